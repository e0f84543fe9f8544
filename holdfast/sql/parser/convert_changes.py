"""PostgreSQL's raw INSERT, UPDATE and DELETE as ours."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.sql.errors import NotSupported
from holdfast.sql.parser.convert_queries import QueryConverter
from holdfast.sql.parser.postgres import Proto, enums
from holdfast.sql.syntax.expression import Column, Expression
from holdfast.sql.syntax.query import Target, With, WithMutuallyRecursive
from holdfast.sql.syntax.statement.dml import Assignment, Delete, Insert, OnConflict, Update


class ChangeConverter(QueryConverter):
    """Converts the changes of data in one piece of text."""

    def insert(self, proto: Proto) -> Insert:
        if proto.override not in (0, enums.OVERRIDING_NOT_SET):
            raise NotSupported("OVERRIDING is not supported", self.at(proto.relation.location))
        conflict = self.on_conflict(proto.on_conflict_clause) if proto.HasField("on_conflict_clause") else None
        return Insert(
            self.relation(proto.relation),
            tuple([self.column(node.res_target) for node in proto.cols]),
            self.query(proto.select_stmt.select_stmt) if proto.HasField("select_stmt") else None,
            proto.relation.alias.aliasname or None,
            conflict,
            self.returning(proto),
            self.leading(proto),
            location=self.at(proto.relation.location),
        )

    def update(self, proto: Proto) -> Update:
        return Update(
            self.relation(proto.relation),
            self.assignments(proto.target_list),
            proto.relation.alias.aliasname or None,
            self.from_items(proto.from_clause),
            self.optional(proto, "where_clause"),
            self.returning(proto),
            self.leading(proto),
            location=self.at(proto.relation.location),
        )

    def delete(self, proto: Proto) -> Delete:
        return Delete(
            self.relation(proto.relation),
            proto.relation.alias.aliasname or None,
            self.from_items(proto.using_clause),
            self.optional(proto, "where_clause"),
            self.returning(proto),
            self.leading(proto),
            location=self.at(proto.relation.location),
        )

    def leading(self, proto: Proto) -> With | WithMutuallyRecursive | None:
        return self.common(proto.with_clause) if proto.HasField("with_clause") else None

    def returning(self, proto: Proto) -> tuple[Target, ...]:
        if proto.returning_clause.options:
            raise NotSupported("RETURNING WITH is not supported", self.at(proto.relation.location))
        return self.targets(proto.returning_clause.exprs)

    def column(self, proto: Proto) -> str:
        if proto.indirection:
            raise NotSupported("assigning to a part of a column is not supported", self.at(proto.location))
        return str(proto.name)

    def assignments(self, nodes: Iterable[Proto]) -> tuple[Assignment, ...]:
        found: list[Assignment] = []
        targets = [node.res_target for node in nodes]
        for target in targets:
            location, name = self.at(target.location), self.column(target)
            if target.val.WhichOneof("node") != "multi_assign_ref":
                found.append(Assignment((name,), self.expression(target.val), location=location))
            elif (reference := target.val.multi_assign_ref).colno == 1:
                value = self.expression(reference.source)
                found.append(Assignment((name,), value, row=True, location=location))
            else:
                first = found.pop()
                found.append(Assignment((*first.columns, name), first.value, row=True, location=first.location))
        return tuple(found)

    def on_conflict(self, proto: Proto) -> OnConflict:
        return OnConflict(
            tuple([self.conflict_target(node.index_elem) for node in proto.infer.index_elems]),
            proto.infer.conname or None,
            self.optional(proto.infer, "where_clause"),
            self.assignments(proto.target_list),
            self.optional(proto, "where_clause"),
            location=self.at(proto.location),
        )

    def conflict_target(self, proto: Proto) -> Expression:
        return Column((proto.name,)) if proto.name else self.expression(proto.expr)
