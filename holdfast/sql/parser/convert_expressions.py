"""PostgreSQL's raw expressions as ours."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Literal, TypeVar

from holdfast.sql.errors import NotSupported
from holdfast.sql.parser.convert_types import convert_type
from holdfast.sql.parser.overlay import Overlay
from holdfast.sql.parser.postgres import Proto, enums
from holdfast.sql.syntax.expression import (
    And,
    Array,
    Between,
    Binary,
    BitStringLiteral,
    BooleanLiteral,
    BoundKind,
    Call,
    Case,
    Cast,
    Choice,
    Collate,
    CollectionQuery,
    Column,
    Current,
    CurrentKind,
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
    When,
    Window,
    WindowName,
)
from holdfast.sql.syntax.name import ObjectName, OperatorName
from holdfast.sql.syntax.query import Query
from holdfast.sql.syntax.types import TypeName

_T = TypeVar("_T")

_OP, _OP_ANY, _OP_ALL = enums.AEXPR_OP, enums.AEXPR_OP_ANY, enums.AEXPR_OP_ALL
_DISTINCT, _NOT_DISTINCT, _NULLIF, _IN = (
    enums.AEXPR_DISTINCT,
    enums.AEXPR_NOT_DISTINCT,
    enums.AEXPR_NULLIF,
    enums.AEXPR_IN,
)
_LIKES: dict[int, Literal["LIKE", "ILIKE", "SIMILAR TO"]] = {
    enums.AEXPR_LIKE: "LIKE",
    enums.AEXPR_ILIKE: "ILIKE",
    enums.AEXPR_SIMILAR: "SIMILAR TO",
}
_BETWEENS: dict[int, tuple[bool, bool]] = {
    enums.AEXPR_BETWEEN: (False, False),
    enums.AEXPR_NOT_BETWEEN: (False, True),
    enums.AEXPR_BETWEEN_SYM: (True, False),
    enums.AEXPR_NOT_BETWEEN_SYM: (True, True),
}
"""Whether symmetric, and whether negated."""
_AND, _OR = enums.AND_EXPR, enums.OR_EXPR
_EXISTS, _ALL_LINK, _ANY_LINK, _VALUE_LINK, _ARRAY_LINK = (
    enums.EXISTS_SUBLINK,
    enums.ALL_SUBLINK,
    enums.ANY_SUBLINK,
    enums.EXPR_SUBLINK,
    enums.ARRAY_SUBLINK,
)
_TESTS: dict[int, tuple[Literal["TRUE", "FALSE", "UNKNOWN"], bool]] = {
    enums.IS_TRUE: ("TRUE", False),
    enums.IS_NOT_TRUE: ("TRUE", True),
    enums.IS_FALSE: ("FALSE", False),
    enums.IS_NOT_FALSE: ("FALSE", True),
    enums.IS_UNKNOWN: ("UNKNOWN", False),
    enums.IS_NOT_UNKNOWN: ("UNKNOWN", True),
}
_CURRENT: dict[int, CurrentKind] = {
    enums.SVFOP_CURRENT_DATE: "CURRENT_DATE",
    enums.SVFOP_CURRENT_TIME: "CURRENT_TIME",
    enums.SVFOP_CURRENT_TIME_N: "CURRENT_TIME",
    enums.SVFOP_CURRENT_TIMESTAMP: "CURRENT_TIMESTAMP",
    enums.SVFOP_CURRENT_TIMESTAMP_N: "CURRENT_TIMESTAMP",
    enums.SVFOP_LOCALTIME: "LOCALTIME",
    enums.SVFOP_LOCALTIME_N: "LOCALTIME",
    enums.SVFOP_LOCALTIMESTAMP: "LOCALTIMESTAMP",
    enums.SVFOP_LOCALTIMESTAMP_N: "LOCALTIMESTAMP",
    enums.SVFOP_CURRENT_ROLE: "CURRENT_ROLE",
    enums.SVFOP_CURRENT_USER: "CURRENT_USER",
    enums.SVFOP_USER: "USER",
    enums.SVFOP_SESSION_USER: "SESSION_USER",
    enums.SVFOP_CURRENT_CATALOG: "CURRENT_CATALOG",
    enums.SVFOP_CURRENT_SCHEMA: "CURRENT_SCHEMA",
}
_DIRECTIONS: dict[int, Literal["ASC", "DESC"]] = {enums.SORTBY_ASC: "ASC", enums.SORTBY_DESC: "DESC"}
_NULLS: dict[int, Literal["FIRST", "LAST"]] = {enums.SORTBY_NULLS_FIRST: "FIRST", enums.SORTBY_NULLS_LAST: "LAST"}

# The bits of a frame, as PostgreSQL's parsenodes.h has them.
_FRAME_GIVEN = 0x1
_UNITS: tuple[tuple[int, Literal["ROWS", "RANGE", "GROUPS"]], ...] = ((0x2, "RANGE"), (0x4, "ROWS"), (0x8, "GROUPS"))
_STARTS: tuple[tuple[int, BoundKind], ...] = (
    (0x20, "UNBOUNDED PRECEDING"),
    (0x80, "UNBOUNDED FOLLOWING"),
    (0x200, "CURRENT ROW"),
    (0x800, "PRECEDING"),
    (0x2000, "FOLLOWING"),
)
_ENDS: tuple[tuple[int, BoundKind], ...] = (
    (0x40, "UNBOUNDED PRECEDING"),
    (0x100, "UNBOUNDED FOLLOWING"),
    (0x400, "CURRENT ROW"),
    (0x1000, "PRECEDING"),
    (0x4000, "FOLLOWING"),
)
_EXCLUSIONS: tuple[tuple[int, Literal["CURRENT ROW", "GROUP", "TIES"]], ...] = (
    (0x8000, "CURRENT ROW"),
    (0x10000, "GROUP"),
    (0x20000, "TIES"),
)

_UNSUPPORTED = {
    "xml_expr": "XML expressions are not supported",
    "xml_serialize": "XML expressions are not supported",
    "current_of_expr": "WHERE CURRENT OF is not supported",
    "merge_support_func": "MERGE_ACTION is not supported",
}


class ExpressionConverter(ABC):
    """Converts the expressions of one piece of text.

    `at` makes a position of a byte offset in that piece; `overlay` is what was replaced in it.
    """

    def __init__(self, at: Callable[[int], int], overlay: Overlay | None = None) -> None:
        self.at, self.overlay = at, overlay

    @abstractmethod
    def query(self, proto: Proto) -> Query:
        """A query, from its `SelectStmt`."""

    def expression(self, node: Proto) -> Expression:
        kind = node.WhichOneof("node")
        convert = _CONVERTERS.get(kind)
        if convert is None:
            what = _UNSUPPORTED.get(kind, "this SQL/JSON expression is not supported")
            raise NotSupported(what, self.at(getattr(getattr(node, kind), "location", -1)))
        return convert(self, getattr(node, kind))

    def expressions(self, nodes: Iterable[Proto]) -> tuple[Expression, ...]:
        return tuple([self.expression(node) for node in nodes])

    def optional(self, proto: Proto, name: str) -> Expression | None:
        return self.expression(getattr(proto, name)) if proto.HasField(name) else None

    def type_name(self, proto: Proto) -> TypeName:
        if self.overlay is not None and (ours := self.overlay.types.get(self.at(proto.location))) is not None:
            return ours
        return convert_type(proto, self.at)

    def column_ref(self, proto: Proto) -> Expression:
        fields, location = proto.fields, self.at(proto.location)
        if fields[-1].WhichOneof("node") == "a_star":
            return Star(tuple([part.string.sval for part in fields[:-1]]), location=location)
        return Column(tuple([part.string.sval for part in fields]), location=location)

    def constant(self, proto: Proto) -> Expression:
        location = self.at(proto.location)
        match proto.WhichOneof("val"):
            case "ival":
                return IntegerLiteral(proto.ival.ival, location=location)
            case "sval":
                return StringLiteral(proto.sval.sval, location=location)
            case "fval":
                return NumericLiteral(proto.fval.fval, location=location)
            case "boolval":
                return BooleanLiteral(proto.boolval.boolval, location=location)
            case "bsval":
                digits = proto.bsval.bsval
                return BitStringLiteral("X" if digits[0] in "xX" else "B", digits[1:], location=location)
        return NullLiteral(location=location)

    def parameter(self, proto: Proto) -> Expression:
        return Parameter(proto.number, location=self.at(proto.location))

    def operator(self, names: Proto, location: int) -> OperatorName:
        parts = [part.string.sval for part in names]
        return OperatorName(parts[-1], tuple(parts[:-1]), location=location)

    def a_expr(self, proto: Proto) -> Expression:
        kind = proto.kind
        if kind == _OP:
            return self.operation(proto)
        location = self.at(proto.location)
        if kind in (_OP_ANY, _OP_ALL):
            operator = self.operator(proto.name, location)
            left, right = self.expression(proto.lexpr), self.expression(proto.rexpr)
            return Quantified(operator, "ANY" if kind == _OP_ANY else "ALL", left, right, location=location)
        left = self.expression(proto.lexpr)
        if kind == _IN:
            items = self.expressions(proto.rexpr.list.items)
            return InList(left, items, proto.name[0].string.sval == "<>", location=location)
        if kind in _LIKES:
            pattern, escape = self.pattern(
                proto.rexpr, "similar_to_escape" if _LIKES[kind] == "SIMILAR TO" else "like_escape"
            )
            negated = proto.name[0].string.sval.startswith("!")
            return Like(_LIKES[kind], left, pattern, escape, negated, location=location)
        if kind in _BETWEENS:
            low, high = self.expressions(proto.rexpr.list.items)
            return Between(left, low, high, *_BETWEENS[kind], location=location)
        right = self.expression(proto.rexpr)
        if kind == _NULLIF:
            return Choice("NULLIF", (left, right), location=location)
        return IsDistinctFrom(left, right, kind == _NOT_DISTINCT, location=location)

    def operation(self, proto: Proto) -> Expression:
        """A chain of operators to the left is followed by a loop: it may be as long as its text."""
        spine = [proto]
        while proto.HasField("lexpr"):
            inner = proto.lexpr
            if inner.WhichOneof("node") != "a_expr" or inner.a_expr.kind != _OP:
                break
            proto = inner.a_expr
            spine.append(proto)
        first = spine.pop()
        location = self.at(first.location)
        operator = self.operator(first.name, location)
        right = self.expression(first.rexpr)
        found: Expression
        if first.HasField("lexpr"):
            found = Binary(operator, self.expression(first.lexpr), right, location=location)
        else:
            found = Unary(operator, right, location=location)
        for outer in reversed(spine):
            location = self.at(outer.location)
            operator = self.operator(outer.name, location)
            found = Binary(operator, found, self.expression(outer.rexpr), location=location)
        return found

    def pattern(self, node: Proto, escaping: str) -> tuple[Expression, Expression | None]:
        """The pattern and the escape, which the grammar has put into a call of `escaping`."""
        if node.WhichOneof("node") == "func_call":
            call = node.func_call
            if [part.string.sval for part in call.funcname] == ["pg_catalog", escaping]:
                converted = self.expressions(call.args)
                return converted[0], converted[1] if len(converted) > 1 else None
        return self.expression(node), None

    def boolean(self, proto: Proto) -> Expression:
        terms, location = self.expressions(proto.args), self.at(proto.location)
        if proto.boolop == _AND:
            return And(terms, location=location)
        if proto.boolop == _OR:
            return Or(terms, location=location)
        return Not(terms[0], location=location)

    def cast(self, proto: Proto) -> Expression:
        location = proto.location if proto.location >= 0 else proto.type_name.location
        return Cast(self.expression(proto.arg), self.type_name(proto.type_name), location=self.at(location))

    def null_test(self, proto: Proto) -> Expression:
        negated = proto.nulltesttype == enums.IS_NOT_NULL
        return IsNull(self.expression(proto.arg), negated, location=self.at(proto.location))

    def boolean_test(self, proto: Proto) -> Expression:
        value, negated = _TESTS[proto.booltesttype]
        return IsBoolean(self.expression(proto.arg), value, negated, location=self.at(proto.location))

    def sublink(self, proto: Proto) -> Expression:
        location, kind = self.at(proto.location), proto.sub_link_type
        query = self.query(proto.subselect.select_stmt)
        if kind == _EXISTS:
            return Exists(query, location=location)
        if kind == _VALUE_LINK:
            return Subquery(query, location=location)
        if kind == _ARRAY_LINK:
            ours = self.overlay.collections.get(location) if self.overlay is not None else None
            return CollectionQuery(ours or "ARRAY", query, location=location)
        left = self.expression(proto.testexpr)
        if kind == _ANY_LINK and not proto.oper_name:
            return InQuery(left, query, location=location)
        operator = self.operator(proto.oper_name, location)
        return Quantified(operator, "ANY" if kind == _ANY_LINK else "ALL", left, query, location=location)

    def row(self, proto: Proto) -> Expression:
        location, items = self.at(proto.location), self.expressions(proto.args)
        ours = self.overlay.collections.get(location) if self.overlay is not None else None
        if ours == "LIST":
            return List(items, location=location)
        if ours == "MAP":
            return Map(tuple(zip(items[::2], items[1::2], strict=True)), location=location)
        return Row(items, proto.row_format == enums.COERCE_EXPLICIT_CALL, location=location)

    def array(self, proto: Proto) -> Expression:
        return Array(self.expressions(proto.elements), location=self.at(proto.location))

    def case(self, proto: Proto) -> Expression:
        branches = tuple(
            When(self.expression(when.expr), self.expression(when.result), location=self.at(when.location))
            for when in (node.case_when for node in proto.args)
        )
        operand, otherwise = self.optional(proto, "arg"), self.optional(proto, "defresult")
        return Case(operand, branches, otherwise, location=self.at(proto.location))

    def coalesce(self, proto: Proto) -> Expression:
        return Choice("COALESCE", self.expressions(proto.args), location=self.at(proto.location))

    def min_max(self, proto: Proto) -> Expression:
        kind: Literal["GREATEST", "LEAST"] = "GREATEST" if proto.op == enums.IS_GREATEST else "LEAST"
        return Choice(kind, self.expressions(proto.args), location=self.at(proto.location))

    def collate(self, proto: Proto) -> Expression:
        location = self.at(proto.location)
        name = ObjectName(tuple([part.string.sval for part in proto.collname]), location=location)
        return Collate(self.expression(proto.arg), name, location=location)

    def current(self, proto: Proto) -> Expression:
        precision = proto.typmod if proto.typmod >= 0 else None
        return Current(_CURRENT[proto.op], precision, location=self.at(proto.location))

    def grouping(self, proto: Proto) -> Expression:
        return Grouping(self.expressions(proto.args), location=self.at(proto.location))

    def default(self, proto: Proto) -> Expression:
        return Default(location=self.at(proto.location))

    def indirection(self, proto: Proto) -> Expression:
        found = self.expression(proto.arg)
        apart = isinstance(found, Subscript | Slice)
        for step in proto.indirection:
            location = found.location
            match step.WhichOneof("node"):
                case "string":
                    found = Field(found, step.string.sval, location=location)
                case "a_star":
                    found = FieldStar(found, location=location)
                case _ if step.a_indices.is_slice:
                    lower, upper = self.optional(step.a_indices, "lidx"), self.optional(step.a_indices, "uidx")
                    found = Slice(found, lower, upper, apart, location=location)
                case _:
                    found = Subscript(found, self.expression(step.a_indices.uidx), apart, location=location)
            apart = False
        return found

    def call(self, proto: Proto) -> Expression:
        location = self.at(proto.location)
        name = ObjectName(tuple([part.string.sval for part in proto.funcname]), location=location)
        arguments = tuple([self.argument(node) for node in proto.args])
        nulls = self.overlay.nulls.get(location) if self.overlay is not None else None
        return Call(
            name,
            arguments,
            proto.agg_star,
            proto.func_variadic,
            proto.agg_distinct,
            self.order_by(proto.agg_order),
            proto.agg_within_group,
            self.optional(proto, "agg_filter"),
            nulls,
            self.over(proto.over) if proto.HasField("over") else None,
            location=location,
        )

    def argument(self, node: Proto) -> Expression | NamedArgument:
        if node.WhichOneof("node") == "named_arg_expr":
            named = node.named_arg_expr
            return NamedArgument(named.name, self.expression(named.arg), location=self.at(named.location))
        return self.expression(node)

    def over(self, proto: Proto) -> Window | WindowName:
        return WindowName(proto.name, location=self.at(proto.location)) if proto.name else self.window(proto)

    def window(self, proto: Proto) -> Window:
        return Window(
            proto.refname or None,
            self.expressions(proto.partition_clause),
            self.order_by(proto.order_clause),
            self.frame(proto),
            location=self.at(proto.location),
        )

    def frame(self, proto: Proto) -> Frame | None:
        bits = proto.frame_options
        if not bits & _FRAME_GIVEN:
            return None
        start = FrameBound(_first(_STARTS, bits), self.optional(proto, "start_offset"))
        end = FrameBound(_first(_ENDS, bits), self.optional(proto, "end_offset"))
        exclude = next((name for bit, name in _EXCLUSIONS if bits & bit), None)
        return Frame(_first(_UNITS, bits), start, end, exclude, location=self.at(proto.location))

    def order_by(self, nodes: Iterable[Proto]) -> tuple[Order, ...]:
        return tuple([self.order(node.sort_by) for node in nodes])

    def order(self, proto: Proto) -> Order:
        location = self.at(proto.location)
        expression = self.expression(proto.node)
        using = self.operator(proto.use_op, location) if proto.use_op else None
        return Order(
            expression,
            _DIRECTIONS.get(proto.sortby_dir),
            _NULLS.get(proto.sortby_nulls),
            using,
            location=location or expression.location,
        )


def _first(choices: tuple[tuple[int, _T], ...], bits: int) -> _T:
    return next(name for bit, name in choices if bits & bit)


_CONVERTERS: dict[str, Callable[[ExpressionConverter, Proto], Expression]] = {
    "column_ref": ExpressionConverter.column_ref,
    "a_const": ExpressionConverter.constant,
    "param_ref": ExpressionConverter.parameter,
    "a_expr": ExpressionConverter.a_expr,
    "bool_expr": ExpressionConverter.boolean,
    "func_call": ExpressionConverter.call,
    "type_cast": ExpressionConverter.cast,
    "null_test": ExpressionConverter.null_test,
    "boolean_test": ExpressionConverter.boolean_test,
    "sub_link": ExpressionConverter.sublink,
    "row_expr": ExpressionConverter.row,
    "a_array_expr": ExpressionConverter.array,
    "case_expr": ExpressionConverter.case,
    "coalesce_expr": ExpressionConverter.coalesce,
    "min_max_expr": ExpressionConverter.min_max,
    "collate_clause": ExpressionConverter.collate,
    "sqlvalue_function": ExpressionConverter.current,
    "grouping_func": ExpressionConverter.grouping,
    "set_to_default": ExpressionConverter.default,
    "a_indirection": ExpressionConverter.indirection,
}
