"""Trees of every kind of node, as a parse could give them.

They are derived from the types of the nodes' fields, so that a new kind of
node is generated without being named here. What a type cannot say, an
invariant of a node's docstring or of the grammar, is said in `_FIELDS`, for
one field, or in `_MAKERS`, for a whole node.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Iterator
from enum import Enum
from importlib import import_module
from pkgutil import walk_packages
from typing import Any, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

import holdfast.sql.syntax
from holdfast.sql.parser.statements.create import CONNECTIONS
from holdfast.sql.syntax import expression as e
from holdfast.sql.syntax import option as o
from holdfast.sql.syntax import query as q
from holdfast.sql.syntax import types as t
from holdfast.sql.syntax.name import ObjectName, OperatorName
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.statement import Statement, alter, create, explain, format, inspect, show
from holdfast.sql.syntax.statement.copy import CopyTo
from holdfast.sql.syntax.statement.cursor import Declare, Fetch
from holdfast.sql.syntax.statement.dml import Assignment, Delete, Insert, OnConflict, SelectStatement, Update
from holdfast.sql.syntax.statement.kind import Kind
from holdfast.sql.syntax.statement.prepared import Prepare
from holdfast.sql.syntax.statement.privilege import PRIVILEGES, AlterDefaultPrivileges, Grant, OnAll, Revoke
from holdfast.sql.syntax.statement.session import SetVariable
from holdfast.sql.syntax.statement.subscribe import Subscribe

Make = Callable[["Trees", int], Any]  # a node of whatever class the maker is for

NAMES = (
    "a",
    "b",
    "t",
    "x1",
    "Weird Name",
    "select",
    "of",
    "list",
    "map",
    "options",
    "ü",
    'q"q',
    "left",
    "rows",
    "key",
    "ignore",
)
_WORDS = ("SIZE", "TOPIC", "RETAIN HISTORY", "TEXT COLUMNS", "SSL KEY", "PASSWORD", "PACKAGES", "SOME NEW OPTION")
_OPERATORS = ("+", "-", "*", "/", "%", "^", "=", "<>", "<", ">=", "||", "->", "->>", "@>", "~~", "&", "<<")
_VARIABLES = ("cluster", "search_path", "ext.name", "time", "local", "weird name", "tables", "all", "columns")
_FUNCTIONS = (
    ("f",),
    ("s", "f"),
    ("left",),
    ("pg_catalog", "timezone"),
    ("pg_catalog", "extract"),
    ("pg_catalog", "btrim"),
)

NODES: dict[str, Any] = {}
"""Every name of every module of the tree: where annotations are looked up."""
for _module in walk_packages(holdfast.sql.syntax.__path__, "holdfast.sql.syntax."):
    NODES |= vars(import_module(_module.name))

CLASSES = {
    value for value in NODES.values() if isinstance(value, type) and issubclass(value, Node) and value is not Node
}

_LEAVES = {e.NullLiteral, e.BooleanLiteral, e.IntegerLiteral, e.NumericLiteral, e.StringLiteral, e.Column, e.Parameter}
_SHALLOW = {
    *(q.Select, q.Table, q.Distinct, q.GroupingSet),
    *(e.Frame, e.Window, e.WindowName),
    *(t.NamedType, t.IntervalType),
    *(ObjectName, o.SecretReference),
    *(create.ListDefinition, create.MapDefinition, create.RecordDefinition),
    *(create.AllTables, create.OfSchemas, create.OfTables),
}


class Trees:
    """Makes nodes by drawing. `depth` is how many more levels a tree may have."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw

    def pick(self, *choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    def coin(self) -> bool:
        return self.draw(st.booleans())

    def maybe(self, make: Callable[[], Any]) -> Any:
        return make() if self.coin() else None

    def some(self, make: Callable[[], Any], least: int = 1, most: int = 2) -> tuple[Any, ...]:
        return tuple(make() for _ in range(self.draw(st.integers(least, most))))

    def of(self, hint: Any, depth: int) -> Any:
        """A value of an annotated type."""
        origin, arguments = get_origin(hint), get_args(hint)
        if hint in _MAKERS:
            return _MAKERS[hint](self, depth)
        if origin is typing.Union or origin is types.UnionType:
            return self.of(self.pick(*_choices(arguments, depth)), depth)
        if origin is typing.Literal:
            return self.pick(*arguments)
        if origin is tuple and arguments[-1] is Ellipsis:
            return self.some(lambda: self.of(arguments[0], depth), least=0, most=2 if depth > 0 else 1)
        if origin is tuple:
            return tuple(self.of(argument, depth) for argument in arguments)
        if hint is type(None):
            return None
        if hint is str:
            return self.pick(*NAMES)
        if hint is bool:
            return self.coin()
        if hint is int:
            return self.draw(st.integers(0, 100))
        if issubclass(hint, Enum):
            return self.pick(*hint)
        return self.node(hint, depth)

    def node(self, cls: type[Any], depth: int, **given: Any) -> Any:
        """A node of a class, with some fields given."""
        hints = get_type_hints(cls, NODES)
        for field in dataclasses.fields(cls):
            if field.name == "location" or field.name in given:
                continue
            make = _FIELDS.get((cls, field.name))
            given[field.name] = make(self, depth - 1) if make else self.of(hints[field.name], depth - 1)
        return cls(**given)

    def expression(self, depth: int, *without: type[Any]) -> Any:
        """An expression that is of none of these classes."""
        without = (*without, e.Star, e.Default)
        allowed = [cls for cls in get_args(e.Expression) if cls not in without]
        return self.of(self.pick(*_choices(allowed, depth)), depth)

    def query(self, depth: int) -> Any:
        return self.of(q.Query, depth)


def _choices(arguments: typing.Iterable[Any], depth: int) -> list[Any]:
    """The members of a union that still fit."""
    members = [member for member in arguments if member not in (e.Star, e.Default)]
    if depth > 0:
        return members
    small = [m for m in members if m is type(None) or m in _LEAVES or m in _SHALLOW or not isinstance(m, type)]
    return small or members


def _exactly(value: Any) -> Make:
    return lambda _trees, _depth: value


def _pick(*choices: Any) -> Make:
    return lambda trees, _depth: trees.pick(*choices)


def _some(hint: Any, least: int = 1) -> Make:
    return lambda trees, depth: trees.some(lambda: trees.of(hint, depth), least, max(least, 2))


def _boolean_terms(cls: type[Any]) -> Make:
    def make(trees: Trees, depth: int) -> Any:
        return (trees.expression(depth, cls), *trees.some(lambda: trees.expression(depth)))

    return make


def _unary(trees: Trees, depth: int) -> Any:
    symbol = trees.pick("-", "+", "@", "~", "!!")
    numbers = (e.IntegerLiteral, e.NumericLiteral) if symbol == "-" else ()
    return e.Unary(OperatorName(symbol), trees.expression(depth - 1, *numbers))


def _operator(trees: Trees, _depth: int) -> Any:
    return OperatorName(trees.pick(*_OPERATORS), trees.pick((), (), (), ("pg_catalog",), ("a", "Weird Name")))


def _subscript(trees: Trees, depth: int) -> e.Subscript:
    operand, apart = _subscripted(trees, depth)
    return e.Subscript(operand, trees.of(e.Expression, depth), apart)


def _slice(trees: Trees, depth: int) -> e.Slice:
    operand, apart = _subscripted(trees, depth)
    lower, upper = (trees.of(e.Expression, depth) if trees.coin() else None for _ in range(2))
    return e.Slice(operand, lower, upper, apart)


def _subscripted(trees: Trees, depth: int) -> tuple[e.Expression, bool]:
    """What is subscripted. Only what has subscripts of its own can stand apart from them."""
    operand = trees.of(e.Expression, depth)
    return operand, isinstance(operand, e.Subscript | e.Slice) and trees.coin()


def _in_list(trees: Trees, depth: int) -> Any:
    items = (trees.expression(depth - 1, e.Subquery), *trees.some(lambda: trees.expression(depth - 1), 0))
    return e.InList(trees.expression(depth - 1), items, trees.coin())


def _quantified(trees: Trees, depth: int) -> Any:
    right = trees.query(depth - 1) if trees.coin() else trees.expression(depth - 1, e.Subquery)
    return e.Quantified(_operator(trees, 0), trees.pick("ANY", "ALL"), trees.expression(depth - 1), right)


def _row(trees: Trees, depth: int) -> Any:
    explicit = trees.coin()
    return e.Row(trees.some(lambda: trees.expression(depth - 1), 0 if explicit else 2, 3), explicit)


def _choice(trees: Trees, depth: int) -> Any:
    kind = trees.pick("COALESCE", "GREATEST", "LEAST", "NULLIF")
    least, most = (2, 2) if kind == "NULLIF" else (1, 3)
    return e.Choice(kind, trees.some(lambda: trees.expression(depth - 1), least, most))


def _current(trees: Trees, _depth: int) -> Any:
    kind = trees.pick(*get_args(e.CurrentKind))
    precise = kind in ("CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP")
    return e.Current(kind, trees.pick(None, 0, 6) if precise else None)


def _call(trees: Trees, depth: int, *, in_from: bool = False) -> Any:
    name = ObjectName(trees.pick(*_FUNCTIONS))

    def orders(least: int) -> tuple[Any, ...]:
        return trees.some(lambda: trees.of(e.Order, depth - 1), least)

    arguments = trees.some(lambda: trees.expression(depth - 1), 0, 2)
    arguments += trees.some(lambda: trees.node(e.NamedArgument, depth - 1), 0, 1)
    given: dict[str, Any] = {}
    match trees.pick("plain", "star", "variadic", "distinct", "ordered", "within"):
        case "star":
            arguments, given = (), {"star": True}
        case "variadic" if arguments:
            given = {"variadic": True, "order_by": orders(0)}
        case "distinct" if arguments:
            given = {"distinct": True, "order_by": orders(0)}
        case "ordered" if arguments:
            given = {"order_by": orders(1)}
        case "within" if not in_from:
            given = {"within_group": True, "order_by": orders(1)}
    if not in_from:
        given["filter"] = trees.maybe(lambda: trees.expression(depth - 1))
        given["nulls"] = trees.pick(None, None, "IGNORE", "RESPECT")
        given["over"] = trees.maybe(lambda: trees.of(trees.pick(e.Window, e.WindowName), depth - 1))
    return e.Call(name, arguments, **given)


def _order(trees: Trees, depth: int) -> Any:
    using = trees.maybe(lambda: _operator(trees, 0))
    direction = None if using else trees.pick(None, "ASC", "DESC")
    return e.Order(trees.expression(depth - 1), direction, trees.pick(None, "FIRST", "LAST"), using)


def _frame(trees: Trees, depth: int) -> Any:
    kinds = get_args(e.BoundKind)
    start = trees.draw(st.integers(0, 3))
    end = trees.draw(st.integers(max(start, 1), 4))

    def bound(at: int) -> e.FrameBound:
        return e.FrameBound(kinds[at], trees.expression(depth - 1) if kinds[at] in ("PRECEDING", "FOLLOWING") else None)

    return e.Frame(
        trees.pick("ROWS", "RANGE", "GROUPS"),
        bound(start),
        bound(end),
        trees.pick(None, "CURRENT ROW", "GROUP", "TIES"),
    )


def _named_type(trees: Trees, _depth: int) -> Any:
    if trees.coin():
        own = trees.pick(
            "int4", "bool", "float8", "numeric", "varchar", "bpchar", "bit", "varbit", "timestamptz", "time"
        )
        return t.NamedType(("pg_catalog", own), trees.pick((), (3,), (10, 2), ("x",)))
    return t.NamedType(trees.pick(("text",), ("list",), ("char",), ("a", "b")), trees.pick((), (1,), ("Word", 2)))


def _interval_type(trees: Trees, _depth: int) -> Any:
    fields = trees.pick(None, *get_args(t.IntervalFields))
    precise = fields is None or fields.endswith("SECOND")
    return t.IntervalType(fields, trees.pick(None, 3) if precise else None)


def _array_type(trees: Trees, depth: int) -> Any:
    element = trees.of(trees.pick(t.NamedType, t.IntervalType, t.ListType), depth - 1)
    return t.ArrayType(element, trees.pick((None,), (3,), (None, 2)))


def _functions(trees: Trees, depth: int) -> Any:
    rows_from = trees.coin()
    functions = trees.some(lambda: _function_rows(trees, depth - 1, rows_from), 1, 2 if rows_from else 1)
    alias = trees.maybe(lambda: trees.of(q.Alias, 0))
    columns: Any = () if rows_from else trees.some(lambda: trees.of(q.ColumnType, depth - 1), 0)
    if columns and alias:
        alias = q.Alias(alias.name)
    return q.Functions(functions, rows_from, alias, columns, trees.coin(), trees.coin())


def _function_rows(trees: Trees, depth: int, rows_from: bool = False) -> Any:
    made = trees.pick(
        lambda: _call(trees, depth, in_from=True), lambda: trees.of(trees.pick(e.Cast, e.Choice, e.Current), depth)
    )
    columns = trees.some(lambda: trees.of(q.ColumnType, depth), 0) if rows_from else ()
    return q.FunctionRows(made(), columns)


def _join(trees: Trees, depth: int) -> Any:
    left, right = trees.of(q.FromItem, depth - 1), trees.of(q.FromItem, depth - 1)
    alias = trees.maybe(lambda: trees.of(q.Alias, 0))
    match trees.pick("CROSS", "NATURAL", "USING", "ON"):
        case "CROSS":
            return q.Join("CROSS", left, right, alias=alias)
        case "NATURAL":
            return q.Join(trees.pick("INNER", "LEFT"), left, right, natural=True, alias=alias)
        case "USING":
            using, name = trees.some(lambda: trees.of(str, 0)), trees.maybe(lambda: trees.of(str, 0))
            return q.Join(trees.pick("RIGHT", "FULL"), left, right, using=using, using_alias=name, alias=alias)
        case _:
            return q.Join(trees.pick("INNER", "LEFT"), left, right, on=trees.expression(depth - 1), alias=alias)


def _select(trees: Trees, depth: int) -> Any:
    targets = trees.some(lambda: _target(trees, depth - 1))
    group_by = trees.some(lambda: _group(trees, depth - 1), 0)
    if not trees.draw(st.integers(0, 9)):
        return q.Select((), (q.Table(ObjectName(("t",))),))
    made = trees.node(q.Select, depth, targets=targets, group_by=group_by, group_distinct=False, hints=_hints(trees))
    return dataclasses.replace(made, group_distinct=bool(group_by) and trees.coin())


def _hints(trees: Trees) -> tuple[o.Option, ...]:
    return trees.some(lambda: o.Option("LIMIT INPUT GROUP SIZE", e.IntegerLiteral(trees.of(int, 0))), 0)


def _target(trees: Trees, depth: int) -> Any:
    if trees.coin() and trees.coin():
        return q.Target(trees.node(e.Star, 0))
    return q.Target(trees.expression(depth), trees.maybe(lambda: trees.of(str, 0)))


def _group(trees: Trees, depth: int) -> Any:
    return trees.of(trees.pick(e.Expression, q.GroupingSet), depth)


def _grouping_set(trees: Trees, depth: int) -> Any:
    kind = trees.pick("EMPTY", "ROLLUP", "CUBE", *(["GROUPING SETS"] if depth > 0 else []))
    if kind == "EMPTY":
        return q.GroupingSet("EMPTY")
    nested = kind == "GROUPING SETS"
    return q.GroupingSet(kind, trees.some(lambda: _group(trees, depth - 1) if nested else trees.expression(depth - 1)))


def _values(trees: Trees, depth: int) -> Any:

    def cell() -> Any:
        return e.Default() if not trees.draw(st.integers(0, 5)) else trees.expression(depth - 1)

    return q.Values(trees.some(lambda: trees.some(cell)))


def _branch(trees: Trees, depth: int) -> Any:
    """A whole query only where it has something that a body has not."""
    if depth > 0 and trees.coin():
        made = trees.query(depth)
        return made if made != q.Query(made.body) else made.body
    return trees.of(trees.pick(*_choices((q.Select, q.Values, q.SetOperation), depth)), depth)


def _query(trees: Trees, depth: int) -> Any:
    body = trees.of(trees.pick(*_choices((q.Select, q.Values, q.SetOperation), depth)), depth - 1)
    order_by = trees.some(lambda: trees.of(e.Order, depth - 1), 0) if depth > 0 else ()
    common = (
        trees.maybe(lambda: trees.of(trees.pick(q.With, q.WithMutuallyRecursive), depth - 1)) if depth > 0 else None
    )
    limit = None
    if trees.coin():
        count = trees.maybe(lambda: trees.expression(depth - 1, e.NullLiteral))
        limit = q.Limit(count, bool(order_by) and count is not None and trees.coin())
    return q.Query(body, common, order_by, limit, trees.maybe(lambda: trees.expression(depth - 1)))


def _option_value(trees: Trees, _depth: int) -> Any:
    simple = (
        lambda: e.StringLiteral(trees.of(str, 0)),
        lambda: e.IntegerLiteral(trees.draw(st.integers(-9, 9))),
        lambda: e.NumericLiteral(trees.pick("1.5", "-0.25")),
        lambda: e.BooleanLiteral(trees.coin()),
        e.NullLiteral,
        lambda: trees.of(ObjectName, 0),
        lambda: trees.node(o.SecretReference, 0),
        lambda: e.Map(((e.StringLiteral("k"), e.StringLiteral("v")),)),
    )
    nested = (
        lambda: o.ValueList(trees.some(trees.pick(*simple), 0), trees.coin()),
        lambda: o.OptionGroup((o.Option("SIZE", trees.pick(*simple)()), *trees.some(lambda: _option(trees, 0), 0))),
        lambda: o.Phrase("FOR", (e.StringLiteral("1h"),)),
        lambda: o.Phrase("ON REFRESH", trees.pick((), (o.OptionGroup((o.Option("SIZE", e.StringLiteral("x")),)),))),
    )
    make: Callable[[], Any] = trees.pick(*simple, *nested)
    return make()


def _option(trees: Trees, depth: int) -> Any:
    interval = e.StringLiteral(trees.of(str, 0))
    special = {
        "BROKERS": lambda: o.Brokers(trees.some(lambda: _broker(trees))),
        "BROKER": lambda: o.Brokers((_broker(trees),)),
        "RULES": lambda: o.NetworkRules(trees.some(lambda: o.NetworkRule(trees.of(str, 0), _hints(trees)))),
        "REFRESH": lambda: trees.pick(
            o.Phrase("ON COMMIT"),
            o.Phrase("AT CREATION"),
            o.Phrase("AT", (trees.expression(1),)),
            o.Phrase("EVERY", (interval,)),
            o.Phrase("EVERY", (interval, trees.expression(1))),
        ),
        "PARTITION BY": lambda: trees.expression(1, e.Row, e.Subquery),
        "VALUE DECODING ERRORS": lambda: o.Phrase("INLINE", trees.pick((), (ObjectName(("a",)),))),
    }
    if depth > 0 and not trees.draw(st.integers(0, 3)):
        name = trees.pick(*special)
        make: Callable[[], Any] = special[name]
        return o.Option(name, make())
    return o.Option(trees.pick(*_WORDS), trees.maybe(lambda: _option_value(trees, depth)))


def _broker(trees: Trees) -> Any:
    if trees.coin():
        return o.Broker("h:1", trees.coin())
    return o.Broker("h:1", trees.coin(), trees.pick("SSH TUNNEL", "AWS PRIVATELINK"), ObjectName(("t",)), _hints(trees))


def _either(cls: type[Any], **empty: Any) -> Make:
    """A node of which one of these fields is empty."""

    def make(trees: Trees, depth: int) -> Any:
        name = trees.pick(*empty)
        return trees.node(cls, depth, **{name: empty[name]})

    return make


def _strategy(trees: Trees, _depth: int) -> Any:
    kind, argument = trees.pick(("LATEST", None), ("ID", 5), ("INLINE", "{}"))
    return format.SchemaStrategy(trees.pick("KEY", "VALUE"), kind, argument)


def _csv(trees: Trees, _depth: int) -> Any:
    columns, header = trees.pick((3, ()), (None, ()), (None, ("a", "Weird Name")))
    return format.CsvFormat(columns, header, trees.pick(None, "|"))


def _include_metadata(trees: Trees, depth: int) -> Any:
    if trees.coin():
        filters = trees.some(lambda: trees.of(format.HeaderFilter, depth - 1), 0)
        return trees.node(format.IncludeMetadata, depth, kind="HEADERS", filters=filters)
    return trees.node(format.IncludeMetadata, depth, kind=trees.pick("KEY", "OFFSET"), filters=())


def _envelope(trees: Trees, _depth: int) -> Any:
    inline = (o.Option("VALUE DECODING ERRORS", o.Phrase("INLINE", (ObjectName(("a",)),))),)
    return trees.pick(format.Envelope("NONE"), format.Envelope("UPSERT", inline), format.Envelope("MATERIALIZE"))


def _webhook(trees: Trees, depth: int) -> Any:
    made = trees.node(create.CreateWebhook, depth)
    return dataclasses.replace(made, cluster=None) if made.as_table else made


def _check_input(trees: Trees, _depth: int) -> Any:
    kind = trees.pick("BODY", "HEADERS", "SECRET")
    secret = ObjectName(("s", "x")) if kind == "SECRET" else None
    return create.CheckInput(kind, secret, trees.maybe(lambda: trees.of(str, 0)), trees.coin())


def _function(trees: Trees, depth: int) -> Any:
    made = trees.node(create.CreateFunction, depth)
    columns = trees.some(lambda: trees.of(q.ColumnType, depth - 1)) if made.returns is None else ()
    return dataclasses.replace(made, columns=columns)


def _show_variable_name(trees: Trees, _depth: int) -> Any:
    return trees.pick(None, *_VARIABLES)


def _explain_analyze(trees: Trees, _depth: int) -> Any:
    subject = explain.Named(trees.pick(Kind.INDEX, Kind.MATERIALIZED_VIEW), ObjectName(("t",)))
    if trees.coin():
        return explain.ExplainAnalyze(("HINTS",), subject, as_sql=trees.coin())
    if trees.coin():
        return explain.ExplainAnalyze((), subject)
    return explain.ExplainAnalyze(
        trees.pick(("CPU",), ("CPU", "MEMORY")), trees.pick(None, subject), trees.coin(), trees.coin()
    )


def _comment(trees: Trees, depth: int) -> Any:
    made = trees.node(inspect.Comment, depth)
    return made if made.kind is not None else dataclasses.replace(made, name=ObjectName(("s", "t", "c")))


def _copy_to(trees: Trees, depth: int) -> Any:
    made = trees.node(CopyTo, depth)
    return made if isinstance(made.relation, ObjectName) else dataclasses.replace(made, columns=())


def _assignment(trees: Trees, depth: int) -> Any:
    if trees.coin():
        return Assignment(trees.some(lambda: trees.of(str, 0)), trees.expression(depth - 1), row=True)
    value = e.Default() if trees.coin() else trees.expression(depth - 1)
    return Assignment((trees.of(str, 0),), value)


def _insert(trees: Trees, depth: int) -> Any:
    made = trees.node(Insert, depth)
    return made if made.source is not None else dataclasses.replace(made, columns=())


def _index(trees: Trees, depth: int) -> Any:
    key = trees.maybe(lambda: trees.some(lambda: trees.expression(depth - 1)))
    name = None if key is None else trees.maybe(lambda: trees.of(str, 0))
    return trees.node(create.CreateIndex, depth, key=key, name=name)


def _on_conflict(trees: Trees, depth: int) -> Any:
    target: Any = trees.some(
        lambda: trees.pick(e.Column(("a",)), e.Binary(OperatorName("+"), e.Column(("a",)), e.IntegerLiteral(1)))
    )
    where = trees.maybe(lambda: trees.expression(depth - 1))
    assignments = trees.some(lambda: _assignment(trees, depth - 1))
    return trees.pick(
        OnConflict(),
        OnConflict(constraint="Weird Name"),
        OnConflict(target, None, where),
        OnConflict(target, None, where, assignments, where),
    )


def _default_privileges(trees: Trees, depth: int) -> Any:
    made = trees.node(AlterDefaultPrivileges, depth)
    change = dataclasses.replace(made.change, subject=trees.of(OnAll, 0))
    return dataclasses.replace(made, change=change)


def _alter_role(trees: Trees, _depth: int) -> Any:
    parameter = trees.maybe(lambda: trees.of(trees.pick(SetVariable, NODES["ResetVariable"]), 0))
    if isinstance(parameter, SetVariable):
        parameter = dataclasses.replace(parameter, local=False)
    attributes: Any = () if parameter else trees.some(lambda: trees.of(NODES["RoleAttribute"], 0))
    return alter.AlterRole(trees.of(str, 0), attributes, parameter)


def _alter_system(trees: Trees, depth: int) -> Any:
    made = trees.node(alter.AlterSystem, depth)
    if isinstance(made.change, SetVariable):
        return alter.AlterSystem(dataclasses.replace(made.change, local=False))
    return made


_MAKERS: dict[Any, Make] = {
    e.Expression: lambda trees, depth: trees.expression(depth),
    e.IntegerLiteral: lambda trees, _depth: e.IntegerLiteral(trees.pick(0, 1, -1, 2147483647, -2147483647)),
    e.NumericLiteral: lambda trees, _depth: e.NumericLiteral(trees.pick("1.5", "-2.25", "1e10", "3000000000")),
    e.StringLiteral: lambda trees, _depth: e.StringLiteral(
        trees.pick("", "a", "it's", "back\\slash", "new\nline", "ü", "$$")
    ),
    e.BitStringLiteral: lambda trees, _depth: trees.pick(e.BitStringLiteral("B", "01"), e.BitStringLiteral("X", "1F")),
    e.Parameter: lambda trees, _depth: e.Parameter(trees.pick(1, 2, 65535)),
    e.Unary: _unary,
    OperatorName: _operator,
    e.InList: _in_list,
    e.Subscript: _subscript,
    e.Slice: _slice,
    e.Quantified: _quantified,
    e.Row: _row,
    e.Choice: _choice,
    e.Current: _current,
    e.Call: _call,
    e.Order: _order,
    e.Frame: _frame,
    e.FrameBound: lambda _trees, _depth: e.FrameBound("CURRENT ROW"),
    t.NamedType: _named_type,
    t.IntervalType: _interval_type,
    t.ArrayType: _array_type,
    q.Functions: _functions,
    q.FunctionRows: _function_rows,
    q.Join: _join,
    q.Select: _select,
    q.Target: _target,
    q.GroupingSet: _grouping_set,
    q.Values: _values,
    q.Query: _query,
    o.Option: _option,
    o.Brokers: lambda trees, _depth: o.Brokers((_broker(trees),)),
    o.Broker: lambda trees, _depth: _broker(trees),
    format.SchemaStrategy: _strategy,
    format.CsvFormat: _csv,
    format.IncludeMetadata: _include_metadata,
    format.Envelope: _envelope,
    create.CreateWebhook: _webhook,
    create.CheckInput: _check_input,
    create.CreateFunction: _function,
    create.CreateMaterializedView: _either(create.CreateMaterializedView, replaces=None, or_replace=False),
    show.ShowObjects: _either(show.ShowObjects, within=None, on=None),
    explain.ExplainAnalyze: _explain_analyze,
    inspect.Comment: _comment,
    CopyTo: _copy_to,
    Assignment: _assignment,
    Insert: _insert,
    create.CreateIndex: _index,
    OnConflict: _on_conflict,
    OnAll: _either(OnAll, schemas=(), databases=()),
    AlterDefaultPrivileges: _default_privileges,
    alter.AlterRole: _alter_role,
    alter.AlterSystem: _alter_system,
}

_EXPLAINED = (SelectStatement, create.CreateView, create.CreateMaterializedView, create.CreateIndex, Subscribe)
_names = _some(str)
_OF_EXPRESSION = _some(e.Expression)
_HAVE_OPTIONS = [kind for kind in Kind if kind not in (Kind.ROLE, Kind.CONNECTION)]
_NOT_FUNCTION = [kind for kind in Kind if kind is not Kind.FUNCTION]
_NOT_ROLE = [kind for kind in Kind if kind is not Kind.ROLE]


def _one_of(*classes: Any) -> Make:
    return lambda trees, depth: trees.of(trees.pick(*classes), depth)


_FIELDS: dict[tuple[type[Any], str], Make] = {
    (ObjectName, "parts"): _some(str),
    (e.Column, "parts"): _some(str),
    (e.And, "terms"): _boolean_terms(e.And),
    (e.Or, "terms"): _boolean_terms(e.Or),
    (e.Case, "branches"): _some(e.When),
    (e.Grouping, "items"): _OF_EXPRESSION,
    (q.SetOperation, "left"): _branch,
    (q.SetOperation, "right"): _branch,
    (q.With, "tables"): _some(q.CommonTable),
    (q.WithMutuallyRecursive, "tables"): _some(q.RecursiveTable),
    (q.WithMutuallyRecursive, "options"): lambda trees, _depth: _hints(trees),
    (q.RecursiveTable, "columns"): _some(q.ColumnType),
    (o.NetworkRule, "options"): lambda trees, _depth: _hints(trees),
    (o.OptionGroup, "options"): _exactly((o.Option("SIZE", e.IntegerLiteral(1)),)),
    (o.Phrase, "words"): _exactly("ON REFRESH"),
    (o.Phrase, "arguments"): _exactly(()),
    (o.ValueList, "items"): _exactly((e.IntegerLiteral(1),)),
    (o.NetworkRules, "items"): _some(o.NetworkRule),
    (Insert, "returning"): _some(q.Target, 0),
    (Update, "returning"): _some(q.Target, 0),
    (Delete, "returning"): _some(q.Target, 0),
    (Update, "assignments"): _some(Assignment),
    (NODES["UpsertOutput"], "key"): _names,
    (NODES["DebeziumOutput"], "key"): _names,
    (NODES["OrderedOutput"], "order_by"): _some(e.Order),
    (Fetch, "count"): _pick(None, 0, 1, 100),
    (Declare, "statement"): _one_of(SelectStatement, Subscribe),
    (Prepare, "statement"): _one_of(SelectStatement, Insert, Update, Delete, Fetch, Subscribe),
    (create.TableConstraint, "columns"): _names,
    (create.RecordDefinition, "fields"): _some(q.ColumnType),
    (create.CreateConnection, "kind"): _pick(*CONNECTIONS),
    (create.CreateSource, "upstream"): _pick(
        create.Upstream("KAFKA", ObjectName(("k",)), (o.Option("TOPIC", e.StringLiteral("t")),)),
        create.Upstream("SQL SERVER", ObjectName(("s", "k"))),
        create.Upstream("LOAD GENERATOR KEY VALUE"),
    ),
    (create.CreateSink, "into"): _pick(
        create.Upstream("KAFKA", ObjectName(("k",))), create.Upstream("ICEBERG CATALOG", ObjectName(("k",)))
    ),
    (create.Upstream, "kind"): _exactly("KAFKA"),
    (create.Upstream, "connection"): _exactly(ObjectName(("k",))),
    (create.OfSchemas, "schemas"): _names,
    (create.OfTables, "tables"): _some(create.UpstreamTable),
    (create.SinkKey, "columns"): _names,
    (alter.ChangeSchema, "kind"): _pick(*_NOT_ROLE),
    (alter.ChangeCluster, "kind"): _pick(*_NOT_ROLE),
    (alter.Swap, "kind"): _pick(Kind.CLUSTER, Kind.SCHEMA),
    (alter.SetOptions, "kind"): _pick(*_HAVE_OPTIONS),
    (alter.ResetOptions, "kind"): _pick(*_HAVE_OPTIONS),
    (alter.ResetOptions, "options"): _pick(("SIZE",), ("RETAIN HISTORY", "SOME NEW OPTION")),
    (alter.DropConnectionOption, "name"): _pick(*_WORDS),
    (alter.AlterConnection, "changes"): _some(alter.SetConnectionOption | alter.DropConnectionOption),
    (alter.AddSubsources, "tables"): _some(create.UpstreamTable),
    (NODES["Drop"], "kind"): _pick(*_NOT_FUNCTION),
    (NODES["Drop"], "names"): _some(ObjectName),
    (NODES["DropFunctions"], "functions"): _some(NODES["Signature"]),
    (NODES["DropOwned"], "roles"): _names,
    (NODES["ReassignOwned"], "roles"): _names,
    (show.ShowObjects, "what"): _pick("OBJECTS", "SUBSOURCES", *(kind.plural for kind in Kind)),
    (show.ShowCreate, "kind"): _pick(*_NOT_FUNCTION),
    (show.ShowPrivileges, "on"): _pick(None, "SYSTEM", "TABLES", "CLUSTERS"),
    (show.ShowVariable, "name"): _show_variable_name,
    (SetVariable, "name"): _pick(*_VARIABLES),
    (SetVariable, "values"): _some(e.StringLiteral | e.IntegerLiteral | e.NumericLiteral, 0),
    (NODES["ResetVariable"], "name"): _pick(None, *_VARIABLES),
    (NODES["SetTransaction"], "modes"): _some(NODES["TransactionMode"]),
    (explain.Named, "kind"): _pick(Kind.VIEW, Kind.INDEX, Kind.MATERIALIZED_VIEW),
    (explain.ExplainPlan, "subject"): _one_of(*_EXPLAINED, explain.Named),
    (explain.ExplainTimestamp, "subject"): _one_of(SelectStatement),
    (explain.ExplainFilterPushdown, "subject"): _one_of(SelectStatement, explain.Named),
    (explain.ExplainSchema, "subject"): _one_of(create.CreateSink),
    (inspect.Verify, "kind"): _pick(Kind.INDEX, Kind.MATERIALIZED_VIEW),
    (NODES["OnObjects"], "names"): _some(ObjectName),
    (Grant, "privileges"): _some(NODES["Literal"][PRIVILEGES], 0),
    (Revoke, "privileges"): _some(NODES["Literal"][PRIVILEGES], 0),
    (Grant, "roles"): _names,
    (Revoke, "roles"): _names,
    (NODES["GrantRole"], "granted"): _names,
    (NODES["GrantRole"], "roles"): _names,
    (NODES["RevokeRole"], "revoked"): _names,
    (NODES["RevokeRole"], "roles"): _names,
}


@st.composite
def statements(draw: st.DrawFn, cls: type[Any]) -> Statement:
    """A statement of one class."""
    made: Statement = Trees(draw).of(cls, 4)
    return made


@st.composite
def expressions(draw: st.DrawFn, cls: type[Any]) -> e.Expression:
    """An expression of one class at its root."""
    made: e.Expression = Trees(draw).of(cls, 3)
    return made


def walk(value: object) -> Iterator[Node]:
    """All nodes of a tree, in order."""
    if isinstance(value, tuple):
        for item in value:
            yield from walk(item)
    elif isinstance(value, Node):
        yield value
        for field in dataclasses.fields(value):
            yield from walk(getattr(value, field.name))
