"""Functions that make records of JSON, whose columns the query defines: `jsonb_to_record(j) AS r (a int, b text)`."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.functions.registry import TABLES
from holdfast.plan.relation import UNIT, ColumnType, FlatMap, Map, Relation, column
from holdfast.plan.scalar import Constant, Scalar
from holdfast.plan.types import INT8, JSONB, TEXT, Array, List, Record
from holdfast.plan.types import Map as MapType
from holdfast.sql.errors import NotSupported, UndefinedFunction, WrongSyntax
from holdfast.sql.lower.apply import operator
from holdfast.sql.lower.block import Block
from holdfast.sql.lower.placement import Placement, emit
from holdfast.sql.syntax.expression import Call, NamedArgument
from holdfast.sql.syntax.query import ColumnType as Definition
from holdfast.sql.term import Term
from holdfast.sql.typenames import type_of

_ONE = frozenset({"jsonb_to_record", "json_to_record"})
_MANY = frozenset({"jsonb_to_recordset", "json_to_recordset"})


def makes_records(call: Call) -> bool:
    return call.name.parts[-1] in _ONE | _MANY


def json_records(call: Call, definitions: Sequence[Definition], block: Block, numbered: bool) -> Relation:
    """A row for the object, or for each object of the array, with the values of the keys that the columns name."""
    if not definitions:
        raise WrongSyntax('a column definition list is required for functions returning "record"', call.location)
    if len(call.arguments) != 1 or isinstance(call.arguments[0], NamedArgument):
        shown = ", ".join("unknown" for _ in call.arguments)
        raise UndefinedFunction(f"function {call.name.parts[-1]}({shown}) does not exist", call.location)
    argument = Placement(0).scalar(block.coercion.specific(block.term(call.arguments[0]), JSONB, call.name.parts[-1]))
    source: Relation
    if call.name.parts[-1] in _MANY:
        elements = TABLES["jsonb_array_elements"][0]
        source = FlatMap(UNIT, elements, (argument,), (ColumnType(JSONB, False),), numbered)
    else:
        source = Map(UNIT, (argument, Constant(1, INT8)) if numbered else (argument,))
    outputs = [_value(Term(column(source, 0), call.location), part, block) for part in definitions]
    return emit(source, [*outputs, column(source, 1)] if numbered else outputs)


def _value(source: Term, definition: Definition, block: Block) -> Scalar:
    """The value of the key that a column is named for, read as its type."""
    target, location = type_of(definition.type, block.statement.catalog), definition.location
    if isinstance(target, Array | List | MapType | Record):
        raise NotSupported(f"records of JSON with columns of type {target} are not supported", location)
    key = Term(Constant(definition.name, TEXT), location)
    found = operator("->" if target is JSONB else "->>", [source, key], location, block.coercion)
    return block.coercion.cast(found, target, location).scalar
