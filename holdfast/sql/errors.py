"""What can be wrong with a text of SQL: that it is no statement, and that it is one that means nothing.

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

    def __init__(self, message: str, position: int = 0, hint: str | None = None, detail: str | None = None) -> None:
        super().__init__(message)
        self.position = position
        self.hint = hint
        self.detail = detail


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


class SemanticError(QueryError):
    """A statement that reads well and means nothing."""

    def __init__(self, message: str, position: int = 0, hint: str | None = None, detail: str | None = None) -> None:
        super().__init__(message)
        self.position = position
        self.hint = hint
        self.detail = detail


class UndefinedColumn(SemanticError):
    pass


class AmbiguousColumn(SemanticError):
    pass


class AmbiguousAlias(SemanticError):
    """Several relations of FROM have the name."""


class UndefinedTable(SemanticError):
    """No relation has this name, or none in FROM that this place can see."""


class DuplicateAlias(SemanticError):
    """Two relations of one FROM, or two windows, have one name."""


class DuplicateColumn(SemanticError):
    pass


class UndefinedSchema(SemanticError):
    pass


class UndefinedFunction(SemanticError):
    """No function or operator of this name takes arguments of these types."""


class AmbiguousFunction(SemanticError):
    """Several functions or operators fit equally well."""


class UndefinedObject(SemanticError):
    """A type, collation or window that does not exist."""


class UndefinedParameter(SemanticError):
    pass


class DatatypeMismatch(SemanticError):
    pass


class IndeterminateDatatype(SemanticError):
    """Nothing says of what type a parameter or an array is."""


class CannotCoerce(SemanticError):
    pass


class AmbiguousParameter(SemanticError):
    """What surrounds a parameter says two things of its type."""


class GroupingError(SemanticError):
    """An aggregate, or a column that is not grouped, where none can be."""


class WindowingError(SemanticError):
    """A window function or a window where none can be."""


class InvalidColumnReference(SemanticError):
    """An ORDER BY, DISTINCT ON or lateral reference to what is not there to refer to."""


class WrongObjectType(SemanticError):
    """An aggregate where a plain function must be, a type without fields where one with fields must be, and so on."""


class InvalidTypeModifier(SemanticError):
    """A length or a precision that a type cannot have."""


class InvalidRecursion(SemanticError):
    pass


class WrongSyntax(SemanticError):
    """What the grammar lets through and nothing can be made of: rows of different lengths, a wrong DISTINCT."""


class NotUpdatable(SemanticError):
    """A relation whose rows are not there to be changed: a view."""


class SystemCatalog(SemanticError):
    """A relation of the system's own, which users may only read."""
