"""What can be wrong with a statement about objects of the catalog."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.errors import DataCorruption, QueryError
from holdfast.plan.errors import DataError


class CatalogError(QueryError):
    """A statement that the catalog, as it is, does not let happen."""

    def __init__(self, message: str, position: int = 0, hint: str | None = None, detail: str | None = None) -> None:
        super().__init__(message)
        self.position = position
        self.hint = hint
        self.detail = detail


class UndefinedDatabase(CatalogError):
    pass


class DuplicateDatabase(CatalogError):
    pass


class DuplicateSchema(CatalogError):
    pass


class DuplicateRelation(CatalogError):
    """A table or view of the name exists."""


class DuplicateFunction(CatalogError):
    """A function of the name takes the same types."""


class InvalidFunctionDefinition(CatalogError):
    """What a function cannot be made of."""


class DuplicateObject(CatalogError):
    """A type or role of the name exists."""


class ReservedName(CatalogError):
    """A name that only the system gives."""


class InvalidName(CatalogError):
    pass


class InvalidTableDefinition(CatalogError):
    pass


class InvalidObjectDefinition(CatalogError):
    """What an object cannot be made of, as a view that outlives what it reads."""


class InvalidSchemaName(CatalogError):
    """There is no schema to make an object in, as the search path names none."""


class InvalidParameter(CatalogError):
    """An option or a value of one that does not exist or cannot be."""


class InvalidGrant(CatalogError):
    """A privilege that objects of the kind do not have, or a role that cannot be given."""


class ObjectInUse(CatalogError):
    pass


class InsufficientPrivilege(CatalogError):
    pass


class DependentObjects(CatalogError):
    """Others depend on the object: `dependents` says how, one sentence without a full stop for each."""

    def __init__(self, message: str, dependents: Sequence[str] = (), hint: str | None = None) -> None:
        super().__init__(message, detail="\n".join(dependents) or None, hint=hint)


class UnreadableCatalog(DataCorruption):
    """A row of the durable catalog that this version cannot make an object of."""


class BrokenView(DataError):
    """A view that is in the catalog, and that this version cannot plan or load."""

    hint = (
        "DROP it, or CREATE OR REPLACE it by a query that can be planned. Until then what it holds is kept, for a "
        "version that can go on with it."
    )

    @classmethod
    def of(cls, noun: str, path: Sequence[str], reason: str) -> BrokenView:
        return cls(f'{noun} "{".".join(path)}" is broken: {reason}')


class NotMaintainable(CatalogError):
    """A query whose answer does not follow from what it reads, so that it cannot be kept up to date."""
