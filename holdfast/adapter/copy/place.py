"""Where in the data of a COPY an error is."""

from __future__ import annotations

from holdfast.errors import HoldfastError


def located(error: HoldfastError, where: str) -> HoldfastError:
    """The error, with the place in the data that clients show as its context."""
    error.where = where
    return error
