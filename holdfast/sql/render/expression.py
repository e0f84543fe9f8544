"""Expressions, with no more parentheses than PostgreSQL's precedences ask for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from enum import IntEnum
from typing import assert_never

from holdfast.sql.render.quote import dotted, identifier, quoted, string
from holdfast.sql.render.types import type_name
from holdfast.sql.syntax.expression import (
    And,
    Array,
    Between,
    Binary,
    BitStringLiteral,
    BooleanLiteral,
    Call,
    Case,
    Cast,
    Choice,
    Collate,
    CollectionQuery,
    Column,
    Current,
    Default,
    Exists,
    Expression,
    Field,
    FieldStar,
    Frame,
    FrameBound,
    Grouping,
    InList,
    InQuery,
    IntegerLiteral,
    IsBoolean,
    IsDistinctFrom,
    IsNull,
    Like,
    List,
    Map,
    NamedArgument,
    Not,
    NullLiteral,
    NumericLiteral,
    Or,
    Order,
    Parameter,
    Quantified,
    Row,
    Slice,
    Star,
    StringLiteral,
    Subquery,
    Subscript,
    Unary,
    Window,
    WindowName,
)
from holdfast.sql.syntax.name import OperatorName
from holdfast.sql.syntax.query import Query


class Binding(IntEnum):
    """How tightly an expression holds its operands, from PostgreSQL's grammar."""

    OR = 1
    AND = 2
    NOT = 3
    IS = 4
    COMPARISON = 5
    LIKE = 6
    OPERATOR = 7
    SUM = 8
    PRODUCT = 9
    POWER = 10
    AT_TIME_ZONE = 11
    COLLATE = 12
    SIGN = 13
    CAST = 14
    PRIMARY = 15


_OPERATORS = {
    **dict.fromkeys(("<", ">", "=", "<=", ">=", "<>"), Binding.COMPARISON),
    **dict.fromkeys(("+", "-"), Binding.SUM),
    **dict.fromkeys(("*", "/", "%"), Binding.PRODUCT),
    "^": Binding.POWER,
}
_INDIRECT = (Column, Parameter, Field, Subscript, Slice, Subquery)
"""What a subscript can follow without parentheses."""


def above(binding: Binding) -> Binding:
    """The next tighter binding: for operands that may not be of the same one."""
    return Binding(binding + 1)


def operator(name: OperatorName) -> str:
    return f"OPERATOR({dotted(name.schema)}.{name.symbol})" if name.schema else name.symbol


class ExpressionRenderer(ABC):
    """Renders expressions; queries inside them are for whoever knows queries."""

    @abstractmethod
    def query(self, query: Query) -> str:
        """A query, without parentheses around it."""

    def expression(self, node: Expression, least: Binding = Binding.OR) -> str:
        """An expression as an operand that must bind at least so tightly."""
        text = self._text(node)
        return text if self._binding(node) >= least else f"({text})"

    def listed(self, nodes: Iterable[Expression]) -> str:
        return ", ".join(map(self.expression, nodes))

    def _binding(self, node: Expression) -> Binding:
        match node:
            case Or():
                return Binding.OR
            case And():
                return Binding.AND
            case Not():
                return Binding.NOT
            case IsNull() | IsBoolean() | IsDistinctFrom():
                return Binding.IS
            case Like() | Between() | InList() | InQuery():
                return Binding.LIKE
            case Binary(operator=name):
                return _binary_binding(name)
            case Quantified(operator=name):
                return min(_binary_binding(name), Binding.OPERATOR)
            case Unary(operator=name):
                return Binding.SIGN if name.symbol in ("+", "-") and not name.schema else Binding.OPERATOR
            case IntegerLiteral(value=value) if value < 0:
                return Binding.SIGN
            case NumericLiteral(text=text) if text.startswith("-"):
                return Binding.SIGN
            case Collate():
                return Binding.COLLATE
            case Cast():
                return Binding.CAST
            case Call() if _is_time_zone(node):
                return Binding.AT_TIME_ZONE
        return Binding.PRIMARY

    def _text(self, node: Expression) -> str:
        match node:
            case Column(parts=parts):
                return dotted(parts)
            case StringLiteral(value=value):
                return string(value)
            case IntegerLiteral(value=number):
                return str(number)
            case NumericLiteral(text=text):
                return text
            case BooleanLiteral(value=truth):
                return "TRUE" if truth else "FALSE"
            case NullLiteral():
                return "NULL"
            case BitStringLiteral(base=base, digits=digits):
                return f"{base}'{digits}'"
            case Parameter(number=number):
                return f"${number}"
            case Star(qualifier=qualifier):
                return f"{dotted(qualifier)}.*" if qualifier else "*"
            case Default():
                return "DEFAULT"
            case Current(kind=kind, precision=precision):
                return kind if precision is None else f"{kind}({precision})"
            case Call():
                return self._special_call(node) or self.call(node)
            case Cast(operand=operand, type=target):
                return f"{self.expression(operand, Binding.CAST)}::{type_name(target)}"
            case Collate(operand=operand, collation=collation):
                return f"{self.expression(operand, Binding.COLLATE)} COLLATE {dotted(collation.parts)}"
            case Choice(kind=kind, items=items):
                return f"{kind}({self.listed(items)})"
            case Grouping(items=items):
                return f"GROUPING({self.listed(items)})"
            case Case():
                return self._case(node)
            case Row(items=items, explicit=explicit):
                return f"{'ROW' if explicit else ''}({self.listed(items)})"
            case Array(items=items):
                return f"ARRAY[{self.listed(items)}]"
            case List(items=items):
                return f"LIST[{self.listed(items)}]"
            case Map(entries=entries):
                return "MAP[" + ", ".join(f"{self.expression(k)} => {self.expression(v)}" for k, v in entries) + "]"
            case Field(operand=operand, name=name):
                return f"{self._selected(operand)}.{identifier(name)}"
            case FieldStar(operand=operand):
                return f"{self._selected(operand)}.*"
            case Subscript(index=index):
                return f"{self._indexed(node)}[{self.expression(index)}]"
            case Slice(lower=lower, upper=upper):
                # Spaces keep the colon apart from a cast's.
                bounds = " : ".join("" if bound is None else self.expression(bound) for bound in (lower, upper))
                return f"{self._indexed(node)}[{bounds}]"
            case Exists(query=query):
                return f"EXISTS ({self.query(query)})"
            case Subquery(query=query):
                return f"({self.query(query)})"
            case CollectionQuery(kind=kind, query=query):
                return f"{kind}({self.query(query)})"
            case _:
                return self._operation(node)

    def _operation(
        self,
        node: Unary
        | Binary
        | And
        | Or
        | Not
        | Like
        | Between
        | IsDistinctFrom
        | IsNull
        | IsBoolean
        | InList
        | InQuery
        | Quantified,
    ) -> str:
        match node:
            case Unary(operator=name, operand=operand):
                binding = self._binding(node)
                least = binding if binding == Binding.SIGN else above(binding)
                return f"{operator(name)} {self.expression(operand, least)}"
            case Binary():
                return self._binary(node)
            case And(terms=terms):
                return " AND ".join(self.expression(term, Binding.NOT) for term in terms)
            case Or(terms=terms):
                return " OR ".join(self.expression(term, Binding.AND) for term in terms)
            case Not(operand=operand):
                return f"NOT {self.expression(operand, Binding.NOT)}"
            case Like(kind=kind, operand=operand, pattern=pattern, escape=escape, negated=negated):
                inner = above(Binding.LIKE)
                text = f"{self.expression(operand, inner)} {_not(negated)}{kind} {self.expression(pattern, inner)}"
                return text if escape is None else f"{text} ESCAPE {self.expression(escape, inner)}"
            case Between(operand=operand, low=low, high=high, symmetric=symmetric, negated=negated):
                # The lower bound is of a smaller grammar, which has no COLLATE, for one.
                words = f"{_not(negated)}BETWEEN{' SYMMETRIC' if symmetric else ''}"
                bounds = f"{self.expression(low, Binding.CAST)} AND {self.expression(high, above(Binding.LIKE))}"
                return f"{self.expression(operand, above(Binding.LIKE))} {words} {bounds}"
            case IsDistinctFrom(left=left, right=right, negated=negated):
                inner = above(Binding.IS)
                words = f"IS {_not(negated)}DISTINCT FROM"
                return f"{self.expression(left, inner)} {words} {self.expression(right, inner)}"
            case IsNull(operand=operand, negated=negated):
                return f"{self.expression(operand, above(Binding.IS))} IS {_not(negated)}NULL"
            case IsBoolean(operand=operand, value=value, negated=negated):
                return f"{self.expression(operand, above(Binding.IS))} IS {_not(negated)}{value}"
            case InList(operand=operand, items=items, negated=negated):
                return f"{self.expression(operand, above(Binding.LIKE))} {_not(negated)}IN ({self.listed(items)})"
            case InQuery(operand=operand, query=query):
                return f"{self.expression(operand, above(Binding.LIKE))} IN ({self.query(query)})"
            case Quantified(operator=name, quantifier=quantifier, left=left, right=right):
                inside = self.query(right) if isinstance(right, Query) else self.expression(right)
                return f"{self.expression(left, Binding.AT_TIME_ZONE)} {operator(name)} {quantifier} ({inside})"
            case _:
                assert_never(node)

    def _binary(self, node: Binary) -> str:
        """A chain to the left is followed by a loop: it may be as long as its text."""
        parts: list[str] = []
        opened = 0
        while True:
            binding = _binary_binding(node.operator)
            parts.append(f" {operator(node.operator)} {self.expression(node.right, above(binding))}")
            least = above(binding) if binding == Binding.COMPARISON else binding
            left = node.left
            if not isinstance(left, Binary):
                parts.append(self.expression(left, least))
                return "(" * opened + "".join(reversed(parts))
            if _binary_binding(left.operator) < least:
                parts.append(")")
                opened += 1
            node = left

    def _selected(self, operand: Expression) -> str:
        """What a field is taken of: a bare name would join it."""
        if isinstance(operand, Field | Subscript | Slice | Parameter):
            return self._text(operand)
        return f"({self._text(operand)})"

    def _indexed(self, node: Subscript | Slice) -> str:
        operand = node.operand
        bare = isinstance(operand, _INDIRECT) and not node.apart
        return self._text(operand) if bare else f"({self._text(operand)})"

    def _case(self, node: Case) -> str:
        parts = ["CASE"]
        if node.operand is not None:
            parts.append(self.expression(node.operand))
        parts += [f"WHEN {self.expression(b.condition)} THEN {self.expression(b.result)}" for b in node.branches]
        if node.otherwise is not None:
            parts.append(f"ELSE {self.expression(node.otherwise)}")
        return " ".join([*parts, "END"])

    def _special_call(self, node: Call) -> str | None:
        """The calls that PostgreSQL's grammar makes of words, in those words."""
        arguments = _plain_arguments(node)
        if arguments is None:
            return None
        match node.name.parts[1], arguments:
            case "timezone", (zone, operand):
                left = self.expression(operand, Binding.AT_TIME_ZONE)
                return f"{left} AT TIME ZONE {self.expression(zone, above(Binding.AT_TIME_ZONE))}"
            case "extract", (StringLiteral(value=field), operand):
                return f"EXTRACT({quoted(field)} FROM {self.expression(operand)})"
            case "btrim" | "ltrim" | "rtrim" as side, (operand, characters):
                word = {"btrim": "BOTH", "ltrim": "LEADING", "rtrim": "TRAILING"}[side]
                return f"TRIM({word} {self.expression(characters)} FROM {self.expression(operand)})"
        return None

    def call(self, node: Call) -> str:
        """A call as a name and arguments in parentheses."""
        arguments = [self._argument(argument) for argument in node.arguments]
        if node.variadic:
            arguments[-1] = f"VARIADIC {arguments[-1]}"
        inside = "*" if node.star else ", ".join(arguments)
        if node.distinct:
            inside = f"DISTINCT {inside}"
        if node.order_by and not node.within_group:
            inside += f" ORDER BY {self.order_by(node.order_by)}"
        text = f"{dotted(node.name.parts)}({inside})"
        if node.nulls is not None:
            text += f" {node.nulls} NULLS"
        if node.within_group:
            text += f" WITHIN GROUP (ORDER BY {self.order_by(node.order_by)})"
        if node.filter is not None:
            text += f" FILTER (WHERE {self.expression(node.filter)})"
        match node.over:
            case None:
                return text
            case WindowName(name=name):
                return f"{text} OVER {identifier(name)}"
            case Window():
                return f"{text} OVER ({self.window(node.over)})"
            case _:
                assert_never(node.over)

    def _argument(self, node: Expression | NamedArgument) -> str:
        if isinstance(node, NamedArgument):
            return f"{identifier(node.name)} => {self.expression(node.value)}"
        return self.expression(node)

    def order_by(self, keys: Iterable[Order]) -> str:
        return ", ".join(map(self._order, keys))

    def _order(self, key: Order) -> str:
        text = self.expression(key.expression)
        if key.using is not None:
            text += f" USING {operator(key.using)}"
        if key.direction is not None:
            text += f" {key.direction}"
        return text if key.nulls is None else f"{text} NULLS {key.nulls}"

    def window(self, window: Window) -> str:
        """What stands in the parentheses."""
        # The name of a window could be taken for a word of the clause that follows it.
        parts = [quoted(window.base)] if window.base is not None else []
        if window.partition_by:
            parts.append(f"PARTITION BY {self.listed(window.partition_by)}")
        if window.order_by:
            parts.append(f"ORDER BY {self.order_by(window.order_by)}")
        if window.frame is not None:
            parts.append(self._frame(window.frame))
        return " ".join(parts)

    def _frame(self, frame: Frame) -> str:
        text = f"{frame.unit} BETWEEN {self._bound(frame.start)} AND {self._bound(frame.end)}"
        return text if frame.exclude is None else f"{text} EXCLUDE {frame.exclude}"

    def _bound(self, bound: FrameBound) -> str:
        return bound.kind if bound.offset is None else f"{self.expression(bound.offset, Binding.CAST)} {bound.kind}"


def _binary_binding(name: OperatorName) -> Binding:
    return Binding.OPERATOR if name.schema else _OPERATORS.get(name.symbol, Binding.OPERATOR)


def _plain_arguments(node: Call) -> tuple[Expression, ...] | None:
    """The arguments of a call in `pg_catalog` that has nothing but arguments without names."""
    if len(node.name.parts) != 2 or node.name.parts[0] != "pg_catalog":
        return None
    arguments = tuple(argument for argument in node.arguments if not isinstance(argument, NamedArgument))
    alone = Call(node.name, arguments) == node
    return arguments if alone else None


def _is_time_zone(node: Call) -> bool:
    return (
        node.name.parts == ("pg_catalog", "timezone")
        and (arguments := _plain_arguments(node)) is not None
        and len(arguments) == 2
    )


def _not(negated: bool) -> str:
    return "NOT " if negated else ""
