"""PostgreSQL's raw queries as ours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from holdfast.sql.errors import NotSupported
from holdfast.sql.parser.convert_expressions import ExpressionConverter
from holdfast.sql.parser.postgres import Proto, enums
from holdfast.sql.syntax.expression import Expression
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.query import (
    Alias,
    Body,
    ColumnType,
    CommonTable,
    Derived,
    Distinct,
    FromItem,
    FunctionRows,
    Functions,
    GroupingSet,
    Join,
    Limit,
    NamedWindow,
    Query,
    RecursiveTable,
    Select,
    SetOperation,
    Table,
    Target,
    Values,
    With,
    WithMutuallyRecursive,
)

_KINDS: dict[int, Literal["UNION", "INTERSECT", "EXCEPT"]] = {
    enums.SETOP_UNION: "UNION",
    enums.SETOP_INTERSECT: "INTERSECT",
    enums.SETOP_EXCEPT: "EXCEPT",
}
_JOINS: dict[int, Literal["INNER", "LEFT", "RIGHT", "FULL"]] = {
    enums.JOIN_INNER: "INNER",
    enums.JOIN_LEFT: "LEFT",
    enums.JOIN_RIGHT: "RIGHT",
    enums.JOIN_FULL: "FULL",
}
_GROUPINGS: dict[int, Literal["EMPTY", "ROLLUP", "CUBE", "GROUPING SETS"]] = {
    enums.GROUPING_SET_EMPTY: "EMPTY",
    enums.GROUPING_SET_ROLLUP: "ROLLUP",
    enums.GROUPING_SET_CUBE: "CUBE",
    enums.GROUPING_SET_SETS: "GROUPING SETS",
}
_MATERIALIZED = {enums.CTEMaterializeAlways: True, enums.CTEMaterializeNever: False}
_WITH_TIES = enums.LIMIT_OPTION_WITH_TIES


class QueryConverter(ExpressionConverter):
    """Converts the queries of one piece of text."""

    def query(self, proto: Proto) -> Query:
        if proto.locking_clause:
            raise NotSupported("SELECT ... FOR UPDATE and FOR SHARE are not supported")
        body = self.naked(proto)
        common = self.common(proto.with_clause) if proto.HasField("with_clause") else None
        order_by = self.order_by(proto.sort_clause)
        limit = self.limit(proto) if proto.HasField("limit_count") else None
        return Query(body, common, order_by, limit, self.optional(proto, "limit_offset"), location=body.location)

    def limit(self, proto: Proto) -> Limit:
        node = proto.limit_count
        count = None if node.a_const.isnull else self.expression(node)
        location = count.location if count is not None else 0
        return Limit(count, proto.limit_option == _WITH_TIES, location=location)

    def body(self, proto: Proto) -> Body:
        """A branch of a set operation."""
        if proto.sort_clause or proto.locking_clause or proto.HasField("with_clause"):
            return self.query(proto)
        if proto.HasField("limit_count") or proto.HasField("limit_offset"):
            return self.query(proto)
        return self.naked(proto)

    def naked(self, proto: Proto) -> Body:
        """The query without its WITH, ORDER BY, LIMIT and OFFSET."""
        if proto.op in _KINDS:
            return self.set_operation(proto)
        if proto.values_lists:
            rows = tuple([self.expressions(row.list.items) for row in proto.values_lists])
            return Values(rows, location=rows[0][0].location)
        return self.select(proto)

    def set_operation(self, proto: Proto) -> Body:
        """A chain to the left is followed by a loop: it may be as long as its text."""
        spine = [proto]
        inner = proto.larg
        while inner.op in _KINDS and not (
            inner.sort_clause
            or inner.locking_clause
            or inner.HasField("with_clause")
            or inner.HasField("limit_count")
            or inner.HasField("limit_offset")
        ):
            spine.append(inner)
            inner = inner.larg
        found = self.body(inner)
        for outer in reversed(spine):
            found = SetOperation(_KINDS[outer.op], found, self.body(outer.rarg), outer.all, location=found.location)
        return found

    def select(self, proto: Proto) -> Select:
        if proto.HasField("into_clause"):
            raise NotSupported("SELECT INTO is not supported", self.at(proto.into_clause.rel.location))
        targets = self.targets(proto.target_list)
        location = targets[0].location if targets else 0
        hints = self.overlay.hints.get(location, ()) if self.overlay is not None and targets else ()
        distinct = None
        if proto.distinct_clause:
            on = [node for node in proto.distinct_clause if node.WhichOneof("node") is not None]
            distinct = Distinct(self.expressions(on))
        return Select(
            targets,
            self.from_items(proto.from_clause),
            self.optional(proto, "where_clause"),
            tuple([self.group(node) for node in proto.group_clause]),
            proto.group_distinct,
            self.optional(proto, "having_clause"),
            tuple([self.named_window(node.window_def) for node in proto.window_clause]),
            distinct,
            hints,
            location=location,
        )

    def targets(self, nodes: Iterable[Proto]) -> tuple[Target, ...]:
        return tuple([self.target(node.res_target) for node in nodes])

    def target(self, proto: Proto) -> Target:
        return Target(self.expression(proto.val), proto.name or None, location=self.at(proto.location))

    def group(self, node: Proto) -> Expression | GroupingSet:
        if node.WhichOneof("node") != "grouping_set":
            return self.expression(node)
        proto = node.grouping_set
        items = tuple([self.group(item) for item in proto.content])
        return GroupingSet(_GROUPINGS[proto.kind], items, location=self.at(proto.location))

    def named_window(self, proto: Proto) -> NamedWindow:
        return NamedWindow(proto.name, self.window(proto), location=self.at(proto.location))

    def from_items(self, nodes: Iterable[Proto]) -> tuple[FromItem, ...]:
        return tuple([self.from_item(node) for node in nodes])

    def from_item(self, node: Proto) -> FromItem:
        match node.WhichOneof("node"):
            case "range_var":
                return self.table(node.range_var)
            case "join_expr":
                return self.join(node.join_expr)
            case "range_subselect":
                proto = node.range_subselect
                query = self.query(proto.subquery.select_stmt)
                return Derived(query, self.alias(proto), proto.lateral, location=query.location)
            case "range_function":
                return self.functions(node.range_function)
            case "range_table_sample":
                raise NotSupported("TABLESAMPLE is not supported", self.at(node.range_table_sample.location))
            case kind:
                raise NotSupported("XMLTABLE and JSON_TABLE are not supported", self.at(getattr(node, kind).location))

    def table(self, proto: Proto) -> Table:
        name = self.relation(proto)
        return Table(name, self.alias(proto), location=name.location)

    def relation(self, proto: Proto) -> ObjectName:
        location = self.at(proto.location)
        if not proto.inh:
            raise NotSupported("ONLY is not supported", location)
        return ObjectName(
            tuple([part for part in (proto.catalogname, proto.schemaname, proto.relname) if part]), location=location
        )

    def alias(self, proto: Proto) -> Alias | None:
        if not proto.HasField("alias") or not proto.alias.aliasname:
            return None
        return Alias(proto.alias.aliasname, tuple([name.string.sval for name in proto.alias.colnames]))

    def join(self, proto: Proto) -> Join:
        """A chain to the left is followed by a loop: it may be as long as its text."""
        spine = [proto]
        while proto.larg.WhichOneof("node") == "join_expr":
            proto = proto.larg.join_expr
            spine.append(proto)
        found = self.from_item(proto.larg)
        for outer in reversed(spine):
            found = self.one_join(outer, found)
        assert isinstance(found, Join)
        return found

    def one_join(self, proto: Proto, left: FromItem) -> Join:
        right = self.from_item(proto.rarg)
        on = self.optional(proto, "quals")
        using = tuple([name.string.sval for name in proto.using_clause])
        crosses = not (proto.is_natural or using or proto.HasField("quals"))
        return Join(
            "CROSS" if crosses else _JOINS[proto.jointype],
            left,
            right,
            proto.is_natural,
            using,
            proto.join_using_alias.aliasname or None,
            on,
            self.alias(proto),
            location=left.location,
        )

    def functions(self, proto: Proto) -> Functions:
        functions = tuple([self.function_rows(node.list.items) for node in proto.functions])
        return Functions(
            functions,
            proto.is_rowsfrom,
            self.alias(proto),
            self.column_types(proto.coldeflist),
            proto.lateral,
            proto.ordinality,
            location=functions[0].location,
        )

    def function_rows(self, items: Proto) -> FunctionRows:
        function = self.expression(items[0])
        columns = self.column_types(items[1].list.items) if len(items) > 1 else ()
        return FunctionRows(function, columns, location=function.location)

    def column_types(self, nodes: Iterable[Proto]) -> tuple[ColumnType, ...]:
        return tuple(
            ColumnType(proto.colname, self.type_name(proto.type_name), location=self.at(proto.location))
            for proto in (node.column_def for node in nodes)
        )

    def common(self, proto: Proto) -> With | WithMutuallyRecursive:
        location = self.at(proto.location)
        tables = [node.common_table_expr for node in proto.ctes]
        for table in tables:
            if table.ctequery.WhichOneof("node") != "select_stmt":
                raise NotSupported("WITH may only have queries, no changes of data", self.at(table.location))
            if table.HasField("search_clause") or table.HasField("cycle_clause"):
                raise NotSupported("SEARCH and CYCLE are not supported", self.at(table.location))
        if self.overlay is not None and (options := self.overlay.recursive.get(location)) is not None:
            return WithMutuallyRecursive(tuple(map(self.recursive_table, tables)), options, location=location)
        return With(tuple(map(self.common_table, tables)), proto.recursive, location=location)

    def common_table(self, proto: Proto) -> CommonTable:
        columns = tuple([name.string.sval for name in proto.aliascolnames])
        query, location = self.query(proto.ctequery.select_stmt), self.at(proto.location)
        return CommonTable(proto.ctename, query, columns, _MATERIALIZED.get(proto.ctematerialized), location=location)

    def recursive_table(self, proto: Proto) -> RecursiveTable:
        assert self.overlay is not None
        location = self.at(proto.location)
        names = [name.string.sval for name in proto.aliascolnames]
        types = self.overlay.columns[location]
        columns = tuple(
            ColumnType(name, type_name, location=type_name.location)
            for name, type_name in zip(names, types, strict=True)
        )
        return RecursiveTable(proto.ctename, columns, self.query(proto.ctequery.select_stmt), location=location)
