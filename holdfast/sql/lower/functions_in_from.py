"""Functions in FROM: what they return as rows, side by side where there are several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from holdfast.plan.functions.function import Aggregate, Function, TableFunction, WindowFunction
from holdfast.plan.relation import UNIT, ColumnType, FlatMap, Map, OuterJoin, Relation, column
from holdfast.plan.scalar import Coalesce, Column, Constant, Scalar
from holdfast.plan.types import INT8, Record
from holdfast.sql.coerce import Coercion
from holdfast.sql.errors import GroupingError, NotSupported, WindowingError, WrongSyntax
from holdfast.sql.lower.apply import call, operator
from holdfast.sql.lower.block import FUNCTIONS, Block
from holdfast.sql.lower.calls import Resolved, resolved, returned_columns
from holdfast.sql.lower.constructs import field_at
from holdfast.sql.lower.json_records import json_records, makes_records
from holdfast.sql.lower.names import column_name
from holdfast.sql.lower.placement import Placement, emit, projected
from holdfast.sql.lower.source import Inside, Source, aliased
from holdfast.sql.scope import Item, Scope
from holdfast.sql.syntax import expression as expressions
from holdfast.sql.syntax import query as syntax
from holdfast.sql.term import Term

_ONLY_RECORDS = 'a column definition list is only allowed for functions returning "record"'
_UNNAMED = frozenset({"", "?column?"})


@dataclass(frozen=True, slots=True)
class _Rows:
    """What one function returns, with the place of each row last if it was asked for; `single` if just a value."""

    relation: Relation
    names: tuple[str, ...]
    single: bool


def lower_functions(item: syntax.Functions, inside: Inside) -> Source:
    """An item of FROM with one function, or several of ROWS FROM, whose rows are put side by side."""
    functions = [one for part in item.functions for one in _one_by_one(part)]
    numbered = item.ordinality or len(functions) > 1
    definitions = [part.columns or (item.columns if len(functions) == 1 else ()) for part in functions]
    found = [
        _function(part.function, defined, inside, numbered)
        for part, defined in zip(functions, definitions, strict=True)
    ]
    relation, names = found[0].relation, list(found[0].names)
    if len(found) > 1:
        relation = side_by_side([part.relation for part in found], inside.statement.coercion)
        names = [name for part in found for name in part.names]
    if numbered and not item.ordinality:
        relation = projected(relation, range(len(relation.columns) - 1))
    single = len(found) == 1 and found[0].single
    # A column that the function itself has a name for keeps it.
    if single and item.alias is not None and not item.columns and names[0] == _name(functions[0].function):
        names[0] = item.alias.name
    if item.ordinality:
        names.append("ordinality")
    name = item.alias.name if item.alias is not None else _name(item.functions[0].function)
    columns = aliased(names, item.alias, name)
    places = tuple(range(len(columns)))
    return Source(relation, (Item(name, columns, places, single=single and not item.ordinality),))


def _one_by_one(part: syntax.FunctionRows) -> list[syntax.FunctionRows]:
    """`unnest` of several arrays is several of one each."""
    call_ = part.function
    if not isinstance(call_, expressions.Call) or call_.name.parts[-1] != "unnest" or len(call_.arguments) < 2:
        return [part]
    return [replace(part, function=replace(call_, arguments=(argument,))) for argument in call_.arguments]


def _name(function: expressions.Expression) -> str:
    return column_name(function, {})


def _function(
    function: expressions.Expression, definitions: Sequence[syntax.ColumnType], inside: Inside, numbered: bool
) -> _Rows:
    block = Block(inside.statement, Scope((), (), inside.outer), inside.common, FUNCTIONS)
    term = None
    if isinstance(function, expressions.Call):
        if makes_records(function):
            relation = json_records(function, definitions, block, numbered)
            return _Rows(relation, tuple(part.name for part in definitions), single=False)
        found = resolved(function, block)
        if isinstance(found, Resolved):
            match found.overload:
                case TableFunction():
                    return _table(function, found.overload, found.arguments, definitions, block, numbered)
                case Aggregate():
                    raise GroupingError("aggregate functions are not allowed in functions in FROM", function.location)
                case WindowFunction():
                    raise WindowingError("window functions are not allowed in functions in FROM", function.location)
                case Function():
                    term = Term(call(found.overload, found.arguments), function.location)
        else:
            term = found
    if term is None:
        term = block.term(function)
    return _scalar(function, term, definitions, block, numbered)


def _table(
    expression: expressions.Call,
    function: TableFunction,
    arguments: Sequence[Scalar],
    definitions: Sequence[syntax.ColumnType],
    block: Block,
    numbered: bool,
) -> _Rows:
    _no_inner_tables(block, expression.location)
    returned = returned_columns(function, arguments, expression.location)
    if definitions:
        raise WrongSyntax(_ONLY_RECORDS, definitions[0].location)
    columns = tuple(ColumnType(*pair) for pair in zip(returned.types, returned.nullable, strict=True))
    placed = Placement(0).scalars(arguments)
    relation = FlatMap(UNIT, function, placed, columns, numbered)
    single = len(columns) == 1
    names = (expression.name.parts[-1],) if single and returned.names[0] in _UNNAMED else returned.names
    return _Rows(relation, names, single)


def _scalar(
    function: expressions.Expression,
    term: Term,
    definitions: Sequence[syntax.ColumnType],
    block: Block,
    numbered: bool,
) -> _Rows:
    """A function that returns one value: one row with it, or with the fields of a record."""
    _no_inner_tables(block, function.location)
    if definitions:
        raise WrongSyntax(_ONLY_RECORDS, definitions[0].location)
    scalar = Placement(0).scalar(block.coercion.text_if_unknown(term).scalar)
    outputs: list[Scalar] = [scalar]
    names: tuple[str, ...] = (_name(function),)
    single = True
    if isinstance(scalar.type, Record):
        outputs = [field_at(scalar, index) for index in range(len(scalar.type.types))]
        names, single = scalar.type.names, False
    if numbered:
        outputs.append(Constant(1, INT8))
    return _Rows(Map(UNIT, tuple(outputs)), names, single)


def _no_inner_tables(block: Block, location: int) -> None:
    if block.tables:
        raise NotSupported("set-returning functions must appear at top level of FROM", location)


def side_by_side(relations: Sequence[Relation], coercion: Coercion) -> Relation:
    """The rows of all, the first with the first and so on, with nulls where one has fewer; then the place of each.

    The last column of each relation is the place of its rows, from 1.
    """
    found = relations[0]
    for right in relations[1:]:
        left_place, right_place = len(found.columns) - 1, len(found.columns) + len(right.columns) - 1
        columns = (*found.columns, *right.columns)
        places = [
            Term(Column(place, columns[place].type, columns[place].nullable), 0) for place in (left_place, right_place)
        ]
        joined = OuterJoin(found, right, (operator("=", places, 0, coercion).scalar,), True)
        shown = [column(joined, index) for index in range(right_place) if index != left_place]
        place = Coalesce((column(joined, left_place), column(joined, right_place)))
        found = emit(joined, [*shown, place])
    return found
