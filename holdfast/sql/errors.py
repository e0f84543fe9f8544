"""What can be wrong with a text of SQL before any name in it is looked up.

`position` counts characters of the whole text from 1, as PostgreSQL reports
it; 0 says that the place is not known.
"""

from __future__ import annotations

from holdfast.errors import QueryError


class SyntaxFailure(QueryError):
    """The text is not a statement. The message is PostgreSQL's own wherever PostgreSQL has one."""

    def __init__(self, message: str, position: int = 0, hint: str | None = None) -> None:
        super().__init__(message)
        self.position = position
        self.hint = hint


class NotSupported(QueryError):
    """PostgreSQL's grammar has this and we do not."""

    def __init__(self, message: str, position: int = 0, hint: str | None = None) -> None:
        super().__init__(message)
        self.position = position
        self.hint = hint


class StatementTooComplex(QueryError):
    """The statement nests deeper than is safe to follow."""

    def __init__(self, limit: int, position: int = 0) -> None:
        super().__init__("stack depth limit exceeded")
        self.position = position
        self.detail = f"The statement nests deeper than {limit} levels."
        self.hint = "Split the statement, or name its inner queries as views."


class InvalidText(QueryError):
    """The text has a character that no statement can have: NUL, or half of a surrogate pair."""

    def __init__(self, shown: str, position: int) -> None:
        super().__init__(f'invalid byte sequence for encoding "UTF8": {shown}')
        self.position = position
