"""INSERT: the rows of VALUES or of a query, one value for each column of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdfast.plan.scalar import Scalar
from holdfast.sql.catalog import CatalogRelation
from holdfast.sql.change.assign import assigned, default_of
from holdfast.sql.change.target import positions
from holdfast.sql.errors import NotSupported, WrongSyntax
from holdfast.sql.lower.block import VALUES, Block, Clause, Rows, Statement
from holdfast.sql.lower.placement import Placement
from holdfast.sql.lower.query import lower_query
from holdfast.sql.lower.rows import columns_as_terms
from holdfast.sql.lower.source import Inside
from holdfast.sql.lower.values import row_terms, rows_relation
from holdfast.sql.scope import Scope
from holdfast.sql.syntax.expression import Default, Expression, Row
from holdfast.sql.syntax.query import Query, Select, Target, Values
from holdfast.sql.syntax.statement.dml import Insert
from holdfast.sql.term import Term

_ONE_ROW = Clause("VALUES", tables=True)
_PARENTHESES = (
    "The insertion source is a row expression containing the same number of columns expected by the INSERT. "
    "Did you accidentally use extra parentheses?"
)


def lower_insert(insert: Insert, source: Query | None, table: CatalogRelation, inside: Inside) -> Rows:
    """The rows to insert; `source` is the statement's without its WITH."""
    if insert.on_conflict is not None:
        raise NotSupported("INSERT with ON CONFLICT is not supported", insert.on_conflict.location)
    given = positions(table, insert.columns, insert.location)
    into = _Into(table, given, inside.statement, listed=bool(insert.columns))
    if source is None:
        return into.rows_of([into.filled({})])
    if isinstance(source.body, Values) and not source.order_by and source.limit is None and source.offset is None:
        return _values(source.body, into, inside)
    rows = lower_query(source, inside.statement, inside.outer, inside.common)
    if isinstance(source.body, Values):
        # Sorted or limited they are a table of their own, whose columns have types before they are assigned.
        rows = replace(rows, terms=tuple(map(inside.statement.coercion.text_if_unknown, rows.terms)))
    into.check_count(len(rows.terms), [term.location for term in rows.terms], None)
    scalars = into.filled({index: into.value(index, term) for index, term in enumerate(rows.terms)})
    terms = tuple(Term(scalar, 0) for scalar in scalars)
    return replace(rows, terms=terms, names=into.names)


class _Into:
    """The columns that the values of a statement are for: those `given`, which were `listed` or are all."""

    def __init__(self, table: CatalogRelation, given: tuple[int, ...], statement: Statement, *, listed: bool) -> None:
        self.table, self.given, self.statement, self.listed = table, given, statement, listed
        self.names = tuple(column.name for column in table.columns)
        self._defaults: dict[int, Scalar] = {}

    def check_count(self, count: int, locations: Sequence[int], only: Expression | None) -> None:
        """As many values as columns, or without a list of columns fewer. `only` is the value if there is one."""
        if count > len(self.given):
            raise WrongSyntax("INSERT has more expressions than target columns", locations[len(self.given)])
        if self.listed and count < len(self.given):
            wrapped = isinstance(only, Row) and len(only.items) == len(self.given)
            raise WrongSyntax("INSERT has more target columns than expressions", hint=_PARENTHESES if wrapped else None)

    def value(self, index: int, term: Term) -> Scalar:
        """The value for the column that stands at a place of the list."""
        return assigned(term, self.table.columns[self.given[index]], self.statement.coercion)

    def filled(self, values: dict[int, Scalar]) -> list[Scalar]:
        """A whole row: values by their places in the list of columns, and defaults for all else."""
        by_column = {self.given[index]: value for index, value in values.items()}
        places = range(len(self.table.columns))
        return [by_column[place] if place in by_column else self._default(place) for place in places]

    def _default(self, place: int) -> Scalar:
        if place not in self._defaults:
            self._defaults[place] = default_of(self.table.columns[place], self.statement)
        return self._defaults[place]

    def rows_of(self, rows: Sequence[Sequence[Scalar]]) -> Rows:
        relation = rows_relation(rows)
        return Rows(relation, columns_as_terms(relation), self.names)


def _values(values: Values, into: _Into, inside: Inside) -> Rows:
    """Each value gets the type of its column by itself, also where rows differ."""
    if len(values.rows) == 1 and not any(isinstance(item, Default) for item in values.rows[0]):
        found = _returning_rows(values.rows[0], into, inside)
        if found is not None:
            return found
    block = Block(inside.statement, Scope((), (), inside.outer), inside.common, VALUES)
    place = Placement(0)
    rows: list[list[Scalar]] = []
    width: int | None = None
    for items in values.rows:
        terms = _terms(items, block)
        if width is not None and len(terms) != width:
            raise WrongSyntax("VALUES lists must all be the same length", items[0].location if items else 0)
        width = len(terms)
        into.check_count(len(terms), [term.location for term in terms], items[0] if len(items) == 1 else None)
        given = {index: into.value(index, term) for index, term in enumerate(terms) if isinstance(term, Term)}
        rows.append([place.scalar(scalar) for scalar in into.filled(given)])
    return into.rows_of(rows)


def _terms(items: Sequence[Expression], block: Block) -> list[Term | Default]:
    found: list[Term | Default] = []
    for item in items:
        if isinstance(item, Default):
            found.append(item)
        else:
            found.extend(row_terms((item,), block))
    return found


def _returning_rows(items: Sequence[Expression], into: _Into, inside: Inside) -> Rows | None:
    """A single row in which functions return rows: it becomes as many, like those of a SELECT. None if none does."""
    block = Block(inside.statement, Scope((), (), inside.outer), inside.common, _ONE_ROW)
    terms = row_terms(items, block)
    if not block.tables:
        return None
    into.check_count(len(terms), [term.location for term in terms], None)
    select = Query(Select(tuple(Target(item) for item in items)))
    rows = lower_query(select, inside.statement, inside.outer, inside.common)
    scalars = into.filled({index: into.value(index, term) for index, term in enumerate(rows.terms)})
    return replace(rows, terms=tuple(Term(scalar, 0) for scalar in scalars), names=into.names)
