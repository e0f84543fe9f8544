"""Queries over a catalog that statements have made, answered in this process."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.adapter.catalog.builtin import Contents, Introspection, SessionEntry, SettingEntry
from holdfast.adapter.catalog.builtin.functions import CatalogFunctions
from holdfast.adapter.catalog.builtin.registry import BUILTINS
from holdfast.adapter.known import Known, with_known
from holdfast.adapter.plan_cache import collections_in
from holdfast.compute.evaluate import evaluate
from holdfast.compute.evaluate.values import rows_of
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.relation import Plan
from holdfast.plan.rewrite import optimize
from holdfast.plan.text import read_of
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.sql import Planned, plan_query
from holdfast.sql.syntax.query import Query
from tests.adapter.catalog.build import Talk

NOW = 1_700_000_000_000_000
SETTINGS = (
    SettingEntry("search_path", "public", "The schemas in which names without one are looked up."),
    SettingEntry("server_version", "17.0", "The PostgreSQL whose dialect this is."),
    SettingEntry("server_version_num", "170000", "The same as a number."),
    SettingEntry("standard_conforming_strings", "on", "Whether backslashes are plain."),
    SettingEntry("max_index_keys", "32", "Columns of an index."),
    SettingEntry("timezone", "UTC", "The session's time zone."),
    SettingEntry("jit", "off", "Accepted for clients that set it."),
    SettingEntry("datestyle", "ISO, MDY", "How dates are written."),
    SettingEntry("role", "none", "Whose privileges the session has."),
    SettingEntry("transaction_isolation", "strict serializable", "The isolation of transactions."),
)


class Asking:
    """Someone who asks about the catalog that `talk` has made."""

    def __init__(self, talk: Talk) -> None:
        self.talk, self.contents, self.functions, self.session = talk, Contents(), CatalogFunctions(), 1

    def introspection(self) -> Introspection:
        names, role = self.talk.names, self.talk.current
        session = SessionEntry("1", 1, role.id, "127.0.0.1", NOW - 5_000_000, names.database, "tests")
        return Introspection(
            names.state,
            names.database,
            names.search_path,
            role,
            self.session,
            NOW,
            lambda _: (Frontier(Timestamp(5)), Frontier(Timestamp(9))),
            (session,),
            settings=SETTINGS,
            started=NOW - 60_000_000,
            environment_id="local",
        )

    def planned(self, query: str | Query) -> Planned:
        return plan_query(query, self.talk.names)

    def ready(self, planned: Planned) -> Plan:
        introspection = self.introspection()
        known = Known(
            NOW,
            introspection.role.name,
            introspection.database,
            "PostgreSQL 17.0 (Holdfast)",
            bound=self.functions.bound(introspection),
        )
        return optimize(with_known(decorrelate(planned.plan), known))

    def answer(self, query: str | Query, *parameters: str | None) -> Sequence[tuple[object, ...]]:
        """The rows, as Python's values. Parameters are given as a client sends them, as text."""
        return self.answered(self.planned(query), *parameters)

    def answered(self, planned: Planned, *parameters: str | None) -> Sequence[tuple[object, ...]]:
        plan = self.ready(planned)
        values = [
            None if text is None else read_of(type_)(text)
            for text, type_ in zip(parameters, planned.parameters, strict=True)
        ]
        inputs = {
            name: self.contents.table(name, self.introspection())
            for name in collections_in(plan.relation)
            if name in BUILTINS
        }
        table = evaluate(plan, inputs, values)
        return rows_of(table, [column.type for column in plan.relation.columns[: len(plan.names)]])
