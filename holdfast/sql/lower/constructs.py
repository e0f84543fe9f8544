"""Expressions that are grammar: CASE and its like, casts, literals, constructors, and parts of values."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import InvalidOperation

from holdfast.plan.errors import DataError
from holdfast.plan.functions.function import Function
from holdfast.plan.functions.records import field as record_field
from holdfast.plan.functions.registry import FUNCTIONS
from holdfast.plan.scalar import Call, Case, Coalesce, Constant, Scalar, null
from holdfast.plan.types import (
    BOOL,
    DATE,
    INT4,
    INT8,
    JSONB,
    TEXT,
    TIME,
    TIMESTAMP,
    UNKNOWN,
    VECTORS,
    Array,
    List,
    Map,
    Modified,
    Record,
    Type,
    array_of,
    list_of,
    map_of,
    record_of,
)
from holdfast.sql.coerce import as_deep, placed, shown
from holdfast.sql.errors import (
    CannotCoerce,
    DatatypeMismatch,
    IndeterminateDatatype,
    NotSupported,
    UndefinedColumn,
    UndefinedObject,
    WrongObjectType,
)
from holdfast.sql.lower.apply import call, named, operator
from holdfast.sql.lower.block import TABLES, Block
from holdfast.sql.number import number
from holdfast.sql.scope import FoundRow
from holdfast.sql.syntax import expression as syntax
from holdfast.sql.term import Term
from holdfast.sql.typenames import type_of

_EMPTY_HINT = "Explicitly cast to the desired type, for example ARRAY[]::integer[]."
_JSON_HINT = "jsonb subscript must be coercible to either integer or text."
_MAP_HINT = "Use the operator ->, as in map -> 'key'."
_MOVE_TO_FROM = "You might be able to move the set-returning function into a LATERAL FROM item."


def null_literal(expression: syntax.NullLiteral, _: Block) -> Term:
    return Term(null(UNKNOWN), expression.location)


def boolean_literal(expression: syntax.BooleanLiteral, _: Block) -> Term:
    return Term(Constant(expression.value, BOOL), expression.location)


def integer_literal(expression: syntax.IntegerLiteral, _: Block) -> Term:
    return Term(Constant(expression.value, INT4), expression.location)


def string_literal(expression: syntax.StringLiteral, _: Block) -> Term:
    return Term(Constant(expression.value, UNKNOWN), expression.location)


def numeric_literal(expression: syntax.NumericLiteral, _: Block) -> Term:
    location = expression.location
    try:
        return Term(Constant(*number(expression.text)), location)
    except DataError as error:
        raise placed(error, location) from None
    except InvalidOperation:
        shown_number = expression.text.replace("_", "")
        raise CannotCoerce(f'invalid input syntax for type numeric: "{shown_number}"', location) from None


def bit_string_literal(expression: syntax.BitStringLiteral, _: Block) -> Term:
    raise NotSupported("bit strings are not supported", expression.location)


def parameter(expression: syntax.Parameter, block: Block) -> Term:
    return Term(block.statement.parameters.at(expression.number, expression.location), expression.location)


def case(expression: syntax.Case, block: Block) -> Term:
    coercion, before = block.coercion, len(block.tables)
    operand = None
    if expression.operand is not None:
        operand = coercion.text_if_unknown(block.term(expression.operand))
    conditions: list[Scalar] = []
    results: list[Term] = []
    for branch in expression.branches:
        condition = block.term(branch.condition)
        if operand is not None:
            condition = operator("=", [operand, condition], branch.location, coercion)
        conditions.append(coercion.boolean(condition, "CASE/WHEN"))
        results.append(block.term(branch.result))
    otherwise = Term(null(UNKNOWN), expression.location)
    if expression.otherwise is not None:
        otherwise = block.term(expression.otherwise)
    no_tables(block, before, "CASE")
    # The type of ELSE counts first.
    last, *matched = (term.scalar for term in coercion.to_common([otherwise, *results], "CASE"))
    return Term(Case(tuple(zip(conditions, matched, strict=True)), last), expression.location)


def no_tables(block: Block, before: int, construct: str) -> None:
    """What is not always run can have no functions that return rows."""
    if len(block.tables) > before:
        location = block.locations[TABLES]
        raise NotSupported(f"set-returning functions are not allowed in {construct}", location, _MOVE_TO_FROM)


def choice(expression: syntax.Choice, block: Block) -> Term:
    coercion, before = block.coercion, len(block.tables)
    terms = [block.term(item) for item in expression.items]
    if expression.kind == "NULLIF":
        return _nullif(terms[0], terms[1], expression.location, block)
    converted = [term.scalar for term in coercion.to_common(terms, expression.kind)]
    if expression.kind == "COALESCE":
        no_tables(block, before, "COALESCE")
        made: Scalar = converted[0] if len(converted) == 1 else Coalesce(tuple(converted))
    else:
        made = named(expression.kind.lower(), *converted)
    return Term(made, expression.location)


def _nullif(left: Term, right: Term, location: int, block: Block) -> Term:
    equal = operator("=", [left, right], location, block.coercion)
    assert isinstance(equal.scalar, Call)  # as operators are
    value = equal.scalar.arguments[0]
    return Term(Case(((equal.scalar, null(value.type)),), value), location)


def cast(expression: syntax.Cast, block: Block) -> Term:
    target = type_of(expression.type, block.statement.catalog)
    operand, location = expression.operand, expression.location
    if isinstance(operand, syntax.Array) and isinstance(target, Array):
        made = array(operand, block, target.element)
        return block.coercion.cast(made, target, location)
    if isinstance(operand, syntax.List) and isinstance(target, List):
        return block.coercion.cast(list_(operand, block, target.element), target, location)
    if isinstance(operand, syntax.Map) and isinstance(target, Map):
        return block.coercion.cast(map_(operand, block, target.value), target, location)
    if isinstance(operand, syntax.Row) and isinstance(target, Record) and len(operand.items) == len(target.types):
        return _row_as(operand, target, block, location)
    return block.coercion.cast(block.term(operand), target, location)


def _row_as(expression: syntax.Row, target: Record, block: Block, location: int) -> Term:
    """`ROW(...)::target`, whose items are cast to the types of the fields."""
    items = [
        block.coercion.cast(term, type_, term.location)
        for term, type_ in zip((block.term(item) for item in expression.items), target.types, strict=True)
    ]
    return block.coercion.cast(Term(record([item.scalar for item in items]), expression.location), target, location)


def array(expression: syntax.Array, block: Block, element: Type | None = None) -> Term:
    """`ARRAY[...]`; where it is cast, its elements are cast to `element`."""
    items = expression.items
    if not items:
        if element is None:
            raise IndeterminateDatatype("cannot determine type of empty array", expression.location, _EMPTY_HINT)
        return Term(Constant((), array_of(element)), expression.location)
    terms = [array(item, block, element) if isinstance(item, syntax.Array) else block.term(item) for item in items]
    coercion = block.coercion
    if element is not None:
        wanted = [
            element if not isinstance(term.type, Array) else as_deep(array_of(element), term.type) for term in terms
        ]
        terms = [coercion.cast(term, type_, term.location) for term, type_ in zip(terms, wanted, strict=True)]
    converted = [term.scalar for term in coercion.to_common(terms, "ARRAY")]
    return Term(named("array", *converted), expression.location)


def list_(expression: syntax.List, block: Block, element: Type | None = None) -> Term:
    """`LIST[...]`; where it is cast, its elements are cast to `element`."""
    if not expression.items:
        if element is None:
            raise IndeterminateDatatype(
                "cannot determine type of empty list",
                expression.location,
                "Explicitly cast to the desired type, for example LIST[]::int list.",
            )
        return Term(Constant((), list_of(element)), expression.location)
    coercion = block.coercion
    terms = [block.term(item) for item in expression.items]
    if element is not None:
        terms = [coercion.cast(term, element, term.location) for term in terms]
    converted = [term.scalar for term in coercion.to_common(terms, "LIST")]
    return Term(named("list", *converted), expression.location)


def map_(expression: syntax.Map, block: Block, value: Type | None = None) -> Term:
    """`MAP[key => value, ...]`; where it is cast, its values are cast to `value`."""
    if not expression.entries:
        if value is None:
            raise IndeterminateDatatype(
                "cannot determine type of empty map",
                expression.location,
                "Explicitly cast to the desired type, for example MAP[]::map[text=>int].",
            )
        return Term(Constant((), map_of(value)), expression.location)
    coercion = block.coercion
    keys = [coercion.specific(block.term(key), TEXT, "MAP") for key, _ in expression.entries]
    terms = [block.term(item) for _, item in expression.entries]
    if value is not None:
        terms = [coercion.cast(term, value, term.location) for term in terms]
    converted = [term.scalar for term in coercion.to_common(terms, "MAP")]
    parts = [part for pair in zip(keys, converted, strict=True) for part in pair]
    return Term(named("map", *parts), expression.location)


def record(scalars: Sequence[Scalar], names: Sequence[str] = (), type_name: str | None = None) -> Scalar:
    """A record of these values; its fields are called f1, f2... unless told otherwise."""
    called = tuple(names) or tuple(f"f{number}" for number in range(1, len(scalars) + 1))
    made = named("row", *scalars)
    return call(made.function, scalars, record_of(called, tuple([scalar.type for scalar in scalars]), type_name))


def field(expression: syntax.Field, block: Block) -> Term:
    operand = block.term(expression.operand)
    name, type_ = expression.name, operand.type
    if isinstance(expression.operand, syntax.Column) and isinstance(type_, Record) and name not in type_.names:
        found = block.scope.column(expression.operand.parts, expression.operand.location)
        if isinstance(found, FoundRow):
            raise UndefinedColumn(f"column {found.item.name}.{name} does not exist", expression.location)
    return Term(field_of(operand, name, expression.location), expression.location)


def field_of(operand: Term, name: str, location: int) -> Scalar:
    type_ = operand.type
    if not isinstance(type_, Record):
        raise WrongObjectType(
            f"column notation .{name} applied to type {type_}, which is not a composite type", location
        )
    if name not in type_.names:
        if type_.name is None:
            raise UndefinedColumn(f'could not identify column "{name}" in record data type', location)
        raise UndefinedColumn(f'column "{name}" not found in data type {type_}', location)
    return field_at(operand.scalar, type_.names.index(name))


def field_at(scalar: Scalar, index: int) -> Scalar:
    """The field of a record at a place, from 0."""
    if isinstance(scalar, Call) and scalar.function.name == "row":
        return scalar.arguments[index]
    return call(record_field(index), (scalar,))


def subscript(expression: syntax.Subscript | syntax.Slice, block: Block) -> Term:
    """All subscripts after one value, which arrays take together."""
    steps: list[syntax.Subscript | syntax.Slice] = []
    inner: syntax.Expression = expression
    while isinstance(inner, syntax.Subscript | syntax.Slice):
        steps.append(inner)
        apart, inner = inner.apart, inner.operand
        if apart:
            break
    steps.reverse()
    operand = block.term(inner)
    match operand.type:
        case Array():
            return _of_array(operand, steps, block)
        case List():
            return _of_list(operand, steps, block)
        case type_ if type_ is JSONB:
            return _of_json(operand, steps, block)
        case Map():
            raise DatatypeMismatch(f"cannot subscript type {operand.type}", operand.location, _MAP_HINT)
        case type_ if type_ in VECTORS:
            return _of_array(operand, steps, block)
    raise DatatypeMismatch(
        f"cannot subscript type {operand.type} because it does not support subscripting", operand.location
    )


def _of_array(operand: Term, steps: Sequence[syntax.Subscript | syntax.Slice], block: Block) -> Term:
    if all(isinstance(step, syntax.Subscript) for step in steps):
        indexes = [_index(step.index, "array subscript", block) for step in steps if isinstance(step, syntax.Subscript)]
        return Term(named("array_subscript", operand.scalar, *indexes), operand.location)
    bounds: list[Scalar] = []
    for step in steps:
        lower, upper = (step.lower, step.upper) if isinstance(step, syntax.Slice) else (None, step.index)
        bounds.append(Constant(1, INT4) if lower is None else _index(lower, "array subscript", block))
        bounds.append(Constant(2**31 - 1, INT4) if upper is None else _index(upper, "array subscript", block))
    return Term(named("array_slice", operand.scalar, *bounds), operand.location)


def _index(expression: syntax.Expression, what: str, block: Block) -> Scalar:
    term = block.term(expression)
    found = block.coercion.to_base(term, INT4, "assignment")
    if found is None:
        raise DatatypeMismatch(f"{what} must have type integer", term.location)
    return found.scalar


def _of_list(operand: Term, steps: Sequence[syntax.Subscript | syntax.Slice], block: Block) -> Term:
    """A list of lists is subscripted step by step."""
    scalar = operand.scalar
    for step in steps:
        if not isinstance(scalar.type, List):
            raise DatatypeMismatch(f"cannot subscript type {scalar.type}", operand.location)
        if isinstance(step, syntax.Subscript):
            scalar = named("list_subscript", scalar, _long(step.index, block))
        else:
            lower = Constant(1, INT8) if step.lower is None else _long(step.lower, block)
            upper = Constant(2**63 - 1, INT8) if step.upper is None else _long(step.upper, block)
            scalar = named("list_slice", scalar, lower, upper)
    return Term(scalar, operand.location)


def _long(expression: syntax.Expression, block: Block) -> Scalar:
    return block.coercion.specific(block.term(expression), INT8, "list subscript")


def _of_json(operand: Term, steps: Sequence[syntax.Subscript | syntax.Slice], block: Block) -> Term:
    scalar = operand.scalar
    for step in steps:
        if isinstance(step, syntax.Slice):
            raise DatatypeMismatch("jsonb subscript does not support slices", step.location)
        scalar = call(*_json_subscript(scalar, block.term(step.index), block))
    return Term(scalar, operand.location)


def _json_subscript(scalar: Scalar, index: Term, block: Block) -> tuple[Function, tuple[Scalar, Scalar]]:
    """The function that looks up a key or a place in `scalar`, and its arguments."""
    for function in FUNCTIONS["jsonb_subscript"]:
        target = function.arguments[1]
        assert isinstance(target, Type)  # text first, which is what a literal is read as, and integer
        found = block.coercion.to_base(index, target)
        if found is not None:
            return function, (scalar, found.scalar)
    raise DatatypeMismatch(f"subscript type {shown(index.type)} is not supported", index.location, _JSON_HINT)


def collate(expression: syntax.Collate, block: Block) -> Term:
    name = expression.collation.parts[-1]
    if name not in ("C", "default", "POSIX", "ucs_basic"):
        raise UndefinedObject(f'collation "{name}" for encoding "UTF8" does not exist', expression.location)
    term = block.term(expression.operand)
    if not term.unknown and term.type.category != "S":
        raise DatatypeMismatch(f"collations are not supported by type {term.type}", expression.location)
    return term


_SESSION = {
    "CURRENT_ROLE": "current_user",
    "CURRENT_USER": "current_user",
    "USER": "current_user",
    "SESSION_USER": "session_user",
    "CURRENT_CATALOG": "current_database",
    "CURRENT_SCHEMA": "current_schema",
}
_TIMES: dict[str, Type | None] = {
    "CURRENT_DATE": DATE,
    "LOCALTIME": TIME,
    "LOCALTIMESTAMP": TIMESTAMP,
    "CURRENT_TIMESTAMP": None,
}


def current(expression: syntax.Current, block: Block) -> Term:
    location = expression.location
    if expression.kind in _SESSION:
        return Term(named(_SESSION[expression.kind]), location)
    if expression.kind == "CURRENT_TIME":
        raise NotSupported("times with a time zone are not supported", location)
    found = Term(named("now"), location)
    wanted = _TIMES[expression.kind]
    if wanted is not None:
        found = block.coercion.cast(found, wanted, location)
    if expression.precision is not None:
        found = block.coercion.cast(found, Modified(found.type.base, min(expression.precision, 6)), location)
    return found


def default(expression: syntax.Default, _: Block) -> Term:
    raise NotSupported("DEFAULT is not allowed in this context", expression.location)
