"""INSERT of literals: each is read as a value of its column at once.

It is the value that the literal would come to as an expression, by the same casts. Where that is an error, or takes
more than to read it, nothing is told here: `plan_change` plans or refuses the statement, and knows all places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import InvalidOperation
from functools import cache, lru_cache, partial
from typing import TypeAlias

from holdfast.plan.errors import DataError
from holdfast.plan.functions.conversion import python_of
from holdfast.plan.functions.function import Types
from holdfast.plan.functions.numeric_types import numeric_of
from holdfast.plan.scalar import Constant
from holdfast.plan.text import read_of
from holdfast.plan.types import BOOL, INT4, NUMERIC, REGISTERED, Array, Record, Type
from holdfast.sql.catalog import Catalog, CatalogRelation
from holdfast.sql.change.assign import default_of, steps_into
from holdfast.sql.change.target import positions, target
from holdfast.sql.coerce import literal_type
from holdfast.sql.lower.block import Statement
from holdfast.sql.lower.expressions import lower_term
from holdfast.sql.lower.query import lower_query
from holdfast.sql.number import number
from holdfast.sql.parameters import Parameters
from holdfast.sql.syntax.statement.dml import Insert
from holdfast.sql.typenames import BUILT_IN

Read: TypeAlias = Callable[[Sequence[str]], Sequence[object]]
_INT4_BOUND = 2**31


class _NotPlain(Exception):
    """What a literal would come to takes more than to read it."""


@dataclass(frozen=True, slots=True)
class LiteralColumns:
    """How rows of literals become rows of `table`.

    Each column of it has the literals of one place, with how they are read, or one constant in all rows. There are no
    `columns` if it is not as plain as that.
    """

    table: CatalogRelation
    columns: tuple[tuple[int, Read] | Constant, ...] | None

    def values(self, written: Sequence[Sequence[str]]) -> list[Sequence[object]] | None:
        """The columns of the table, from those of the literals; None if that is not for here to tell."""
        if self.columns is None:
            return None
        try:
            return [
                [each.value] * len(written[0]) if isinstance(each, Constant) else each[1](written[each[0]])
                for each in self.columns
            ]
        except (DataError, InvalidOperation, _NotPlain):
            return None


def plan_literals(insert: Insert, width: int, catalog: Catalog) -> LiteralColumns:
    """How an INSERT of rows of `width` literals reads them.

    What is wrong with its table or its list of columns is an error, as it is to `plan_change`.
    """
    table = target(insert.table, catalog, "insert", insert.location)
    given = positions(table, insert.columns, insert.location)
    if width > len(given) or (insert.columns and width < len(given)):
        return LiteralColumns(table, None)
    statement = Statement(catalog, Parameters(()), lower_term, lower_query)
    columns: list[tuple[int, Read] | Constant] = []
    for place, column in enumerate(table.columns):
        if place in given[:width]:
            columns.append((given.index(place), _reader(column.type)))
        elif isinstance(default := default_of(column, statement), Constant):
            columns.append(default)
        else:
            return LiteralColumns(table, None)
    return LiteralColumns(table, tuple(columns))


@lru_cache(maxsize=1024)
def _reader(type_: Type) -> Read:
    """Reads literals as values of the type. All casts are strict, so a null is one of every type."""
    plain, cast = literal_type(type_), cache(partial(_cast, target=type_))
    text = None if isinstance(plain, Array | Record) or plain in REGISTERED else read_of(plain)

    def one(written: str) -> object:
        first = written[0]
        if first == "'":
            return string(written)
        if first in "nN":
            return None
        if first in "tTfF":
            return cast(BOOL)(first in "tT")
        value, source = number(written)
        return cast(source)(value)

    def string(written: str) -> object:
        if written[-1] != "'":
            written, _, name = written.rpartition("::")
            source = BUILT_IN[name.lower()]
            return cast(source)(read_of(source)(_unquoted(written)))
        if text is None:
            raise _NotPlain
        value = text(_unquoted(written))
        return cast(numeric_of(value) if plain is NUMERIC else plain)(value)

    def read(written: Sequence[str]) -> Sequence[object]:
        integers = _integers(written)
        if integers is None:
            return list(map(one, written))
        of_integer = cast(INT4)
        return integers if of_integer is _same else list(map(of_integer, integers))

    return read


def _integers(written: Sequence[str]) -> list[int] | None:
    """Literals that are all integers, as most are; None if they are not."""
    try:
        found = list(map(int, written))
    except ValueError:
        return None
    return found if min(found) >= -_INT4_BOUND and max(found) < _INT4_BOUND else None


def _unquoted(written: str) -> str:
    return written[1:-1].replace("''", "'")


def _same(value: object) -> object:
    return value


def _cast(source: Type, target: Type) -> Callable[[object], object]:
    """The casts from one type to that of a column, as one function."""
    path = steps_into(source, target)
    if path is None or any(step.function.stability != "immutable" for step in path):
        raise _NotPlain
    types = [source, *(step.type for step in path)]
    casts = [python_of(step.function, Types((before,), step.type)) for before, step in zip(types, path, strict=False)]
    match casts:
        case []:
            return _same
        case [only]:
            return only

    def cast(value: object) -> object:
        for each in casts:
            value = each(value)
        return value

    return cast
