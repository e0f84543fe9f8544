"""Operators, comparisons and what the grammar makes of them."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.functions.function import Function
from holdfast.plan.functions.quantified import quantified
from holdfast.plan.functions.records import field
from holdfast.plan.relation import column
from holdfast.plan.scalar import And, Or, Scalar, Subquery
from holdfast.plan.types import BOOL, TEXT, UNKNOWN, VECTORS, Array, List, Type, array_of, list_of
from holdfast.sql.coerce import Coercion, common_type_or_none
from holdfast.sql.errors import NotSupported, WrongObjectType, WrongSyntax
from holdfast.sql.lower.apply import call, named, operator, resolved_operator
from holdfast.sql.lower.block import Block
from holdfast.sql.lower.constructs import record
from holdfast.sql.lower.placement import emit
from holdfast.sql.lower.rows import relation_of
from holdfast.sql.syntax import expression as syntax
from holdfast.sql.syntax.name import OperatorName
from holdfast.sql.term import Term, leftmost

_LIKES = {
    ("LIKE", False): "~~",
    ("LIKE", True): "!~~",
    ("ILIKE", False): "~~*",
    ("ILIKE", True): "!~~*",
    ("SIMILAR TO", False): "~",
    ("SIMILAR TO", True): "!~",
}
_ESCAPES = {"LIKE": "like_escape", "ILIKE": "like_escape", "SIMILAR TO": "similar_to_escape"}
_ORDERINGS = {"<": "<", "<=": "<", ">": ">", ">=": ">"}
"""What decides a comparison of rows before the last column."""


def conjunction(terms: Sequence[Scalar]) -> Scalar:
    """All of one term or more."""
    return terms[0] if len(terms) == 1 else And(tuple(terms))


def disjunction(terms: Sequence[Scalar]) -> Scalar:
    return terms[0] if len(terms) == 1 else Or(tuple(terms))


def symbol_of(name: OperatorName) -> str:
    if name.schema not in ((), ("pg_catalog",)):
        shown = ".".join((*name.schema, name.symbol))
        raise NotSupported(f"operators have no schema other than pg_catalog: {shown}", name.location)
    return name.symbol


def unary(expression: syntax.Unary, block: Block) -> Term:
    return operator(
        symbol_of(expression.operator), [block.term(expression.operand)], expression.location, block.coercion
    )


def binary(expression: syntax.Binary, block: Block) -> Term:
    """A chain to the left is followed by a loop: it may be as long as its text."""
    spine = [expression]
    while isinstance(spine[-1].left, syntax.Binary):
        spine.append(spine[-1].left)
    found = _binary(spine.pop(), None, block)
    while spine:
        found = _binary(spine.pop(), found, block)
    return found


def _binary(expression: syntax.Binary, left: Term | None, block: Block) -> Term:
    symbol, right_side, location = symbol_of(expression.operator), expression.right, expression.location
    if isinstance(expression.left, syntax.Row):
        items = expression.left.items
        if isinstance(right_side, syntax.Row):
            pairs = _rows(items, right_side.items, expression.location, block)
            return compare_rows(symbol, *pairs, expression.location, block.coercion)
        if isinstance(right_side, syntax.Subquery):
            terms = [block.term(item) for item in items]
            return compare_rows(
                symbol, terms, _row_of_query(right_side, len(terms), location, block), location, block.coercion
            )
    if left is None:
        left = block.term(expression.left)
    return operator(symbol, [left, block.term(right_side)], expression.location, block.coercion)


def _row_of_query(expression: syntax.Subquery, width: int, location: int, block: Block) -> list[Term]:
    """The columns of the one row that a query returns; nulls if it returns none."""
    rows = block.query(expression.query)
    if len(rows.terms) != width:
        many = "many" if len(rows.terms) > width else "few"
        raise WrongSyntax(f"subquery has too {many} columns", location)
    relation = relation_of(rows, block.coercion)
    parts = [column(relation, index) for index in range(width)]
    whole = record(parts)
    found = Subquery("scalar", emit(relation, [whole]), None, whole.type, True)
    return [Term(call(field(index), (found,)), expression.location) for index in range(width)]


def _rows(
    left: Sequence[syntax.Expression], right: Sequence[syntax.Expression], location: int, block: Block
) -> tuple[list[Term], list[Term]]:
    found = [block.term(item) for item in left], [block.term(item) for item in right]
    if len(left) != len(right):
        raise WrongSyntax("unequal number of entries in row expressions", location)
    return found


def compare_rows(symbol: str, left: Sequence[Term], right: Sequence[Term], location: int, coercion: Coercion) -> Term:
    """`(left) symbol (right)`, column by column."""
    if not left:
        raise NotSupported("cannot compare rows of zero length", location)
    place = leftmost(location, *(term.location for term in left))
    if len(left) == 1:
        return Term(_pair(symbol, left[0], right[0], location, coercion), place)
    if symbol in ("=", "<>", "!="):
        pairs = [_pair(symbol, a, b, location, coercion) for a, b in zip(left, right, strict=True)]
        return Term(conjunction(pairs) if symbol == "=" else disjunction(pairs), place)
    if symbol not in _ORDERINGS:
        raise NotSupported(
            f"could not determine interpretation of row comparison operator {symbol}",
            location,
            hint="Row comparison operators must be associated with btree operator families.",
        )
    found = _pair(symbol, left[-1], right[-1], location, coercion)
    for a, b in reversed(list(zip(left[:-1], right[:-1], strict=True))):
        decided = _pair(_ORDERINGS[symbol], a, b, location, coercion)
        equal = _pair("=", a, b, location, coercion)
        found = Or((decided, And((equal, found))))
    return Term(found, place)


def _pair(symbol: str, left: Term, right: Term, location: int, coercion: Coercion) -> Scalar:
    found = operator(symbol, [left, right], location, coercion).scalar
    if found.type is not BOOL:
        raise WrongObjectType(f"row comparison operator must yield type boolean, not type {found.type}", location)
    return found


def negation(scalar: Scalar) -> Scalar:
    return named("not", scalar)


def logical_and(expression: syntax.And, block: Block) -> Term:
    terms = [block.term(item) for item in expression.terms]
    scalars = [block.coercion.boolean(term, "AND") for term in terms]
    return Term(And(tuple(scalars)), leftmost(expression.location, *(term.location for term in terms)))


def logical_or(expression: syntax.Or, block: Block) -> Term:
    terms = [block.term(item) for item in expression.terms]
    scalars = [block.coercion.boolean(term, "OR") for term in terms]
    return Term(Or(tuple(scalars)), leftmost(expression.location, *(term.location for term in terms)))


def logical_not(expression: syntax.Not, block: Block) -> Term:
    term = block.term(expression.operand)
    return Term(negation(block.coercion.boolean(term, "NOT")), leftmost(expression.location, term.location))


def like(expression: syntax.Like, block: Block) -> Term:
    coercion, location = block.coercion, expression.location
    operand, pattern = block.term(expression.operand), block.term(expression.pattern)
    if expression.escape is not None or expression.kind == "SIMILAR TO":
        parts = [pattern] if expression.escape is None else [pattern, block.term(expression.escape)]
        texts = [coercion.specific(part, TEXT, expression.kind) for part in parts]
        pattern = Term(named(_ESCAPES[expression.kind], *texts), pattern.location)
    return operator(_LIKES[expression.kind, expression.negated], [operand, pattern], location, coercion)


def between(expression: syntax.Between, block: Block) -> Term:
    location, coercion = expression.location, block.coercion
    operand, low, high = (block.term(part) for part in (expression.operand, expression.low, expression.high))

    def inside(a: Term, b: Term) -> Scalar:
        first, second = ("<", ">") if expression.negated else (">=", "<=")
        pair = (
            operator(first, [operand, a], location, coercion).scalar,
            operator(second, [operand, b], location, coercion).scalar,
        )
        return Or(pair) if expression.negated else And(pair)

    found = inside(low, high)
    if expression.symmetric:
        other = inside(high, low)
        found = And((found, other)) if expression.negated else Or((found, other))
    return Term(found, leftmost(location, operand.location))


def is_null(expression: syntax.IsNull, block: Block) -> Term:
    operand = block.term(expression.operand)
    if operand.literal:
        operand = block.coercion.known(operand, TEXT)
    name = "is_not_null" if expression.negated else "is_null"
    return Term(named(name, operand.scalar), leftmost(expression.location, operand.location))


def is_boolean(expression: syntax.IsBoolean, block: Block) -> Term:
    operand = block.term(expression.operand)
    negated = "NOT " if expression.negated else ""
    scalar = block.coercion.boolean(operand, f"IS {negated}{expression.value}")
    name = f"is_{negated.lower().replace(' ', '_')}{expression.value.lower()}"
    return Term(named(name, scalar), leftmost(expression.location, operand.location))


def is_distinct(expression: syntax.IsDistinctFrom, block: Block) -> Term:
    location, coercion = expression.location, block.coercion
    if isinstance(expression.left, syntax.Row) and isinstance(expression.right, syntax.Row):
        left, right = _rows(expression.left.items, expression.right.items, location, block)
        pairs = [_distinct(a, b, location, coercion, negated=False) for a, b in zip(left, right, strict=True)]
        found = disjunction(pairs)
        return Term(negation(found) if expression.negated else found, leftmost(location, left[0].location))
    a, b = block.term(expression.left), block.term(expression.right)
    return Term(_distinct(a, b, location, coercion, negated=expression.negated), leftmost(location, a.location))


def _distinct(left: Term, right: Term, location: int, coercion: Coercion, *, negated: bool) -> Scalar:
    equal = operator("=", [left, right], location, coercion).scalar
    # The operands as the operator takes them, or as they stand where only their modifiers differ.
    from_operator = getattr(equal, "arguments", ())
    return named("is_not_distinct" if negated else "is_distinct", *from_operator)


def in_list(expression: syntax.InList, block: Block) -> Term:
    location, coercion = expression.location, block.coercion
    symbol = "<>" if expression.negated else "="
    if isinstance(expression.operand, syntax.Row):
        left = [block.term(item) for item in expression.operand.items]
        found = []
        for item in expression.items:
            if not isinstance(item, syntax.Row):
                found.append(
                    operator(symbol, [block.term(expression.operand), block.term(item)], location, coercion).scalar
                )
                continue
            right = [block.term(part) for part in item.items]
            if len(right) != len(left):
                raise WrongSyntax("unequal number of entries in row expressions", location)
            found.append(compare_rows(symbol, left, right, location, coercion).scalar)
        place = leftmost(location, *(term.location for term in left))
        return Term(conjunction(found) if expression.negated else disjunction(found), place)
    operand, items = block.term(expression.operand), [block.term(item) for item in expression.items]
    common = common_type_or_none([(term.type, term.location) for term in (operand, *items)]) if len(items) > 1 else None
    if isinstance(common, Type) and common.base != "record":
        converted = [coercion.to_base(term, common) for term in (operand, *items)]
        if all(term is not None for term in converted):
            operand, *items = (term for term in converted if term is not None)
    pairs = [operator(symbol, [operand, item], location, coercion).scalar for item in items]
    return Term(conjunction(pairs) if expression.negated else disjunction(pairs), leftmost(location, operand.location))


def over_array(expression: syntax.Quantified, right: syntax.Expression, block: Block) -> Term:
    """`left operator ANY (array)`, and ALL."""
    location, coercion = expression.location, block.coercion
    symbol = symbol_of(expression.operator)
    left, array = block.term(expression.left), block.term(right)
    element: Type
    if array.type in VECTORS:
        array = coercion.to_base(array, array_of(VECTORS[array.type])) or array
    if isinstance(array.type, Array | List):
        element = array.type.element
    elif array.unknown:
        element = UNKNOWN
    else:
        raise WrongObjectType("op ANY/ALL (array) requires array on right side", location)
    resolution = resolved_operator(symbol, [left.type, element], location)
    function = resolution.overload
    assert isinstance(function, Function)  # as all operators are
    wanted = list_of(resolution.targets[1]) if isinstance(array.type, List) else array_of(resolution.targets[1])
    first, second = coercion.to_base(left, resolution.targets[0]), coercion.to_base(array, wanted)
    assert first is not None
    assert second is not None  # the elements can be cast, so the array can
    if isinstance(function.result, Type) and function.result is not BOOL:
        raise WrongObjectType("op ANY/ALL (array) requires operator to yield boolean", location)
    made = call(quantified(function, "any" if expression.quantifier == "ANY" else "all"), (first.scalar, second.scalar))
    return Term(made, leftmost(location, left.location))
