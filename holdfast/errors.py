"""Every error we raise on purpose. Each layer adds its own below one of these."""

from __future__ import annotations


class HoldfastError(Exception):
    """`where` says at which place of the data it was, as in `COPY t, line 3, column a: "x"`."""

    detail: str | None = None
    hint: str | None = None
    where: str | None = None


class UsageError(HoldfastError):
    """Our own code broke a documented contract: a bug."""


class UnavailableError(HoldfastError):
    """A dependency did not answer, and what was asked of it did not happen; the same call may yet succeed."""


class OutcomeUnknown(HoldfastError):
    """A write may or may not have happened; read before retrying."""


class DataCorruption(HoldfastError):
    """What is stored is not what was written. Nothing of it is shown."""


class QueryError(HoldfastError):
    """The statement cannot be run as written."""


class FileUnusable(HoldfastError):
    """A file that the user named cannot be read, or is not what it should be."""
