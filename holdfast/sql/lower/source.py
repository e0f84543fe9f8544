"""Sources: what one item of FROM, or several, come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from holdfast.plan.relation import Relation
from holdfast.sql.errors import DuplicateAlias, InvalidColumnReference
from holdfast.sql.lower.block import Common, Statement
from holdfast.sql.scope import Item, Scope
from holdfast.sql.syntax.query import Alias


@dataclass(frozen=True, slots=True)
class Source:
    """A relation and the names of its columns. `hidden` are relations in it that an alias around them hides."""

    relation: Relation
    items: tuple[Item, ...]
    hidden: tuple[Item, ...] = ()

    def beside(self, other: Source) -> tuple[Item, ...]:
        """The names of both, where the columns of the other follow."""
        width = len(self.relation.columns)
        found = (*self.items, *(item.moved(width) for item in other.items))
        check_names(found)
        return found


@dataclass(frozen=True, slots=True)
class Inside:
    """Where an item of FROM stands.

    `outer` are the rows around: those of outer queries and, in front, the rows of what stands to the left (`lefts`),
    which only what is LATERAL may name. `beside` are relations of the same FROM that it cannot name at all.
    """

    statement: Statement
    outer: Scope | None
    common: Mapping[str, Common]
    lefts: tuple[Scope, ...] = ()
    beside: tuple[Item, ...] = ()

    def right_of(self, left: Source, forbids: str | None = None) -> tuple[Inside, Scope]:
        """Where what stands to the right of `left` is, and the row of `left` as it sees it."""
        scope = Scope(left.items, left.relation.columns, self.outer)
        scope.forbids = forbids
        return replace(self, outer=scope, lefts=(*self.lefts, scope)), scope

    @contextmanager
    def not_lateral(self) -> Iterator[None]:
        """While something is lowered that may not name what stands to the left."""
        before = [scope.hidden for scope in self.lefts]
        for scope in self.lefts:
            scope.hidden = True
        try:
            yield
        finally:
            for scope, hidden in zip(self.lefts, before, strict=True):
                scope.hidden = hidden


def check_names(items: Sequence[Item]) -> None:
    """No two relations of one FROM have one name, unless they are in different schemas."""
    seen: dict[str, list[tuple[str, ...]]] = {}
    for item in items:
        if item.name is None or not item.qualified:
            continue
        others = seen.setdefault(item.name, [])
        if any(not other or not item.schema or other == item.schema for other in others):
            raise DuplicateAlias(f'table name "{item.name}" specified more than once')
        others.append(item.schema)


def aliased(names: Sequence[str], alias: Alias | None, default: str | None) -> tuple[str, ...]:
    """The names of columns, the first of which an alias may give others."""
    if alias is None or not alias.columns:
        return tuple(names)
    if len(alias.columns) > len(names):
        raise InvalidColumnReference(
            f'table "{alias.name or default}" has {len(names)} columns available but '
            f"{len(alias.columns)} columns specified"
        )
    return (*alias.columns, *names[len(alias.columns) :])
