"""Queries that cannot be maintained."""

from __future__ import annotations

from holdfast.errors import QueryError


class CannotMaintain(QueryError):
    """The query can be asked, but not kept up to date."""

    def __init__(self, message: str, detail: str | None = None) -> None:
        super().__init__(message)
        self.detail = detail
