"""Where in the data of a COPY an error is, and how much may come before it is known whether there is one."""

from __future__ import annotations

from holdfast.errors import HoldfastError
from holdfast.plan.errors import ProgramLimitExceeded

LONGEST = (1 << 30) - 1
"""Bytes of one row, as PostgreSQL has it."""


def located(error: HoldfastError, where: str) -> HoldfastError:
    """The error, with the place in the data that clients show as its context."""
    error.where = where
    return error


def check_length(held: int) -> None:
    """Refuse a row that is not over after so many bytes."""
    if held > LONGEST:
        error = ProgramLimitExceeded("a row of COPY data is too long")
        error.detail = f"A row has at most {LONGEST} bytes."
        raise error
