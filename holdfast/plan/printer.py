"""Plans as text: one operator a line, its inputs below it, columns by position.

The text is the same for the same plan, so EXPLAIN shows it and tests compare it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from holdfast.plan.relation import (
    AggregateCall,
    Apply,
    Distinct,
    Filter,
    FlatMap,
    Frame,
    FrameBound,
    Get,
    Join,
    Let,
    LetRec,
    Local,
    Map,
    Negate,
    OrderKey,
    OuterJoin,
    Plan,
    Project,
    Reduce,
    Relation,
    SemiJoin,
    Threshold,
    TopK,
    Union,
    Values,
    Window,
    WindowCall,
)
from holdfast.plan.scalar import (
    And,
    Call,
    Case,
    Coalesce,
    Column,
    Constant,
    Or,
    Outer,
    Parameter,
    Scalar,
    Subquery,
    children,
)
from holdfast.plan.text import write_of
from holdfast.plan.types import Type

_STEP = "  "
_SHOWN_ROWS = 20
_BARE = frozenset({"bool", "int2", "int4", "int8", "uint2", "uint4", "uint8", "float4", "float8", "numeric", "oid"})
"""The types whose constants need no quotes."""


def show(plan: Plan | Relation) -> str:
    """The text of a plan or a relation, without a newline at its end."""
    if not isinstance(plan, Plan):
        return "\n".join(_relation(plan, ""))
    head = [f"Result: {', '.join(plan.names)}"]
    if plan.order:
        head.append(f"Order: {_order(plan.order)}")
    if plan.limit is not None:
        head.append(f"Limit: {scalar(plan.limit)}")
    if plan.offset is not None:
        head.append(f"Offset: {scalar(plan.offset)}")
    return "\n".join([*head, *_relation(plan.relation, "")])


def _relation(relation: Relation, margin: str) -> Iterator[str]:
    deeper = margin + _STEP
    match relation:
        case Values():
            yield from _values(relation, margin)
        case Get():
            yield f"{margin}Get {relation.name}"
        case Local():
            yield f"{margin}Local {relation.name}"
        case Let():
            yield f"{margin}With {relation.name} ="
            yield from _relation(relation.value, deeper)
            yield f"{margin}Return"
            yield from _relation(relation.body, deeper)
        case LetRec():
            yield f"{margin}With recursive{_recursion_limit(relation)}"
            for binding in relation.bindings:
                yield f"{deeper}{binding.name} ="
                yield from _relation(binding.value, deeper + _STEP)
            yield f"{margin}Return"
            yield from _relation(relation.body, deeper)
        case Join() | Union():
            yield f"{margin}{_line(relation)}"
            for part in relation.inputs:
                yield from _relation(part, deeper)
            yield from _subqueries(relation.predicates if isinstance(relation, Join) else (), deeper)
        case OuterJoin() | SemiJoin() | Apply():
            yield f"{margin}{_line(relation)}"
            yield from _relation(relation.left, deeper)
            yield from _relation(relation.right, deeper)
            yield from _subqueries(relation.predicates, deeper)
        case _:
            yield f"{margin}{_line(relation)}"
            yield from _relation(relation.input, deeper)
            yield from _subqueries(_scalars(relation), deeper)


def _line(
    relation: Map
    | Filter
    | Project
    | FlatMap
    | Join
    | OuterJoin
    | SemiJoin
    | Reduce
    | Distinct
    | TopK
    | Window
    | Union
    | Negate
    | Threshold
    | Apply,
) -> str:
    match relation:
        case Map():
            return f"Map ({_list(relation.scalars)})"
        case Filter():
            return f"Filter {_conjunction(relation.predicates)}"
        case Project():
            return f"Project ({', '.join(f'#{index}' for index in relation.outputs)})"
        case FlatMap():
            words = ("outer " if relation.outer else "", " with ordinality" if relation.ordinality else "")
            return f"FlatMap {words[0]}{relation.function.name}({_list(relation.arguments)}){words[1]}"
        case Join():
            return f"Join{_on(relation.predicates)}" if relation.predicates else "CrossJoin"
        case OuterJoin():
            return f"{'Full' if relation.full else 'Left'}Join{_on(relation.predicates)}"
        case SemiJoin():
            return f"{'Anti' if relation.anti else 'Semi'}Join{_on(relation.predicates)}"
        case Apply():
            return f"{'Outer' if relation.outer else ''}Apply{_on(relation.predicates)}"
        case Reduce():
            keys = f" by ({_list(relation.keys)})" if relation.keys else ""
            calls = f" ({', '.join(map(aggregate, relation.aggregates))})" if relation.aggregates else ""
            return f"Reduce{keys}{calls}"
        case TopK():
            parts = [f"group ({', '.join(f'#{index}' for index in relation.group)})"] if relation.group else []
            parts += [f"order ({_order(relation.order)})"] if relation.order else []
            parts += [f"limit {scalar(relation.limit)}"] if relation.limit is not None else []
            parts += [f"offset {scalar(relation.offset)}"] if relation.offset is not None else []
            return " ".join(["TopK", *parts])
        case Window():
            return f"Window ({', '.join(map(_window_call, relation.calls))})"
        case Distinct() | Union() | Negate() | Threshold():
            return type(relation).__name__
    assert_never(relation)


def _scalars(relation: Relation) -> tuple[Scalar, ...]:
    """The scalars of an operator that may hold queries."""
    match relation:
        case Map():
            return relation.scalars
        case Filter():
            return relation.predicates
        case FlatMap():
            return relation.arguments
    return ()


def _subqueries(scalars: tuple[Scalar, ...], margin: str) -> Iterator[str]:
    """The queries inside of scalars, in order."""
    for query in _queries(scalars):
        yield f"{margin}Query of {query.kind} ="
        yield from _relation(query.relation, margin + _STEP)


def _queries(scalars: tuple[Scalar, ...]) -> Iterator[Subquery]:
    for part in scalars:
        if isinstance(part, Subquery):
            yield part
        yield from _queries(children(part))


def _values(relation: Values, margin: str) -> Iterator[str]:
    if not relation.rows:
        yield f"{margin}Empty"
        return
    yield f"{margin}Values"
    for row in relation.rows[:_SHOWN_ROWS]:
        shown = (_constant(value, column.type) for value, column in zip(row, relation.columns, strict=True))
        yield f"{margin}{_STEP}({', '.join(shown)})"
    if len(relation.rows) > _SHOWN_ROWS:
        yield f"{margin}{_STEP}... {len(relation.rows) - _SHOWN_ROWS} more"


def _recursion_limit(relation: LetRec) -> str:
    if relation.limit is None:
        return ""
    return f" ({'error' if relation.error_at_limit else 'return'} at limit {relation.limit})"


def _on(predicates: tuple[Scalar, ...]) -> str:
    return f" on {_conjunction(predicates)}" if predicates else ""


def _conjunction(predicates: tuple[Scalar, ...]) -> str:
    return " AND ".join(scalar(predicate) for predicate in predicates)


def _list(scalars: tuple[Scalar, ...]) -> str:
    return ", ".join(scalar(part) for part in scalars)


def _order(keys: tuple[OrderKey, ...]) -> str:
    return ", ".join(_order_key(key) for key in keys)


def _order_key(key: OrderKey) -> str:
    direction = " desc" if key.descending else ""
    nulls = " nulls first" if key.nulls_first else " nulls last" if key.expression.nullable else ""
    return f"{scalar(key.expression)}{direction}{nulls}"


def scalar(expression: Scalar) -> str:
    match expression:
        case Column():
            return f"#{expression.index}"
        case Outer():
            return f"#{'^' * expression.level}{expression.index}"
        case Constant():
            return _constant(expression.value, expression.type)
        case Parameter():
            return f"${expression.number}"
        case And():
            return f"({' AND '.join(map(scalar, expression.terms))})"
        case Or():
            return f"({' OR '.join(map(scalar, expression.terms))})"
        case Coalesce():
            return f"coalesce({_list(expression.terms)})"
        case Case():
            branches = (f"WHEN {scalar(c)} THEN {scalar(r)}" for c, r in expression.branches)
            return f"CASE {' '.join(branches)} ELSE {scalar(expression.otherwise)} END"
        case Call():
            return _call(expression)
        case Subquery():
            about = f" {scalar(expression.predicate)}" if expression.predicate is not None else ""
            return f"{expression.kind}{about}(...)"
    assert_never(expression)


def _call(call: Call) -> str:
    name, shown = call.function.name, [scalar(argument) for argument in call.arguments]
    if call.function.infix and len(shown) == 2:
        return f"({shown[0]} {name} {shown[1]})"
    if call.function.infix and len(shown) == 1:
        return f"({name}{shown[0]})"
    if name.startswith("cast"):
        return f"{shown[0]}::{call.type}"
    return f"{name}({', '.join(shown)})"


def _constant(value: object, type_: Type) -> str:
    if value is None:
        return "null"
    text = write_of(type_)(value)
    return text if type_.base in _BARE else "'" + text.replace("'", "''") + "'"


def aggregate(call: AggregateCall) -> str:
    arguments = _list(call.arguments) or "*"
    distinct = "distinct " if call.distinct else ""
    order = f" order by {_order(call.order)}" if call.order else ""
    counted = f" filter {scalar(call.filter)}" if call.filter is not None else ""
    return f"{call.function.name}({distinct}{arguments}{order}){counted}"


def _window_call(call: WindowCall) -> str:
    counted = f" filter {scalar(call.filter)}" if call.filter is not None else ""
    nulls = " ignore nulls" if call.ignore_nulls else ""
    inside = [f"partition by {_list(call.partition)}"] if call.partition else []
    inside += [f"order by {_order(call.order)}"] if call.order else []
    inside += [_frame(call.frame)] if call.frame is not Frame() else []
    return f"{call.function.name}({_list(call.arguments)}){nulls}{counted} over ({' '.join(inside)})"


def _frame(frame: Frame) -> str:
    exclude = f" exclude {frame.exclude}" if frame.exclude else ""
    return f"{frame.unit} between {_bound(frame.start)} and {_bound(frame.end)}{exclude}"


def _bound(bound: FrameBound) -> str:
    return bound.kind if bound.offset is None else f"{scalar(bound.offset)} {bound.kind}"
