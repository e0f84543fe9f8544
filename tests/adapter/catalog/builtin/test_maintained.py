"""Materialized views and indexes, as the relations of the system show them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.adapter.catalog.builtin import DataflowEntry, Introspection
from holdfast.plan.types import Interval
from tests.adapter.catalog.builtin.ask import Asking
from tests.adapter.catalog.builtin.tools import ALL, Sent, Shop

SETUP = (
    "CREATE MATERIALIZED VIEW totals AS SELECT o.note, sum(b.amount) AS total FROM big AS b "
    "JOIN orders AS o USING (id) GROUP BY o.note",
    "CREATE MATERIALIZED VIEW nightly WITH (REFRESH EVERY '1 day' ALIGNED TO '2024-01-01', REFRESH AT '2024-06-01', "
    "RETAIN HISTORY FOR '1 hour') AS SELECT total FROM totals",
    "CREATE INDEX ON orders (id, (amount + 1), lower(note))",
    "CREATE INDEX ON big (amount)",
    "CREATE DEFAULT INDEX ON totals",
    "COMMENT ON MATERIALIZED VIEW totals IS 'by note'",
    "COMMENT ON INDEX totals_primary_idx IS 'found by note'",
)


def made() -> Shop:
    shop = Shop()
    for statement in SETUP:
        shop.talk.run(statement)
    return shop


@pytest.fixture(scope="module")
def shop() -> Shop:
    return made()


def id_of(shop: Shop, name: str) -> str:
    return str(shop.talk.item(name).id)


@pytest.mark.parametrize("sent", ALL, ids=str)
def test_tools_have_their_answers_where_there_are_views_and_indexes(shop: Shop, sent: Sent) -> None:
    shop.answer(sent)


def test_materialized_views_are_shown_with_their_queries(shop: Shop) -> None:
    found = shop.asking.answer("SELECT name, cluster_id, definition FROM mz_materialized_views ORDER BY name")
    assert found == [
        ("nightly", "u1", "SELECT total FROM materialize.public.totals;"),
        (
            "totals",
            "u1",
            "SELECT o.note, sum(b.amount) AS total FROM materialize.public.big AS b "
            "INNER JOIN materialize.public.orders AS o USING (id) GROUP BY o.note;",
        ),
    ]


def test_objects_have_their_kinds_and_only_relations_are_relations(shop: Shop) -> None:
    query = "SELECT name, type, cluster_id FROM {} WHERE id LIKE 'u%' AND type IN ('index', 'materialized-view')"
    indexes = {"big_amount_idx", "orders_id_expr_expr_idx", "totals_primary_idx"}
    views = {("nightly", "materialized-view", "u1"), ("totals", "materialized-view", "u1")}
    assert set(shop.asking.answer(query.format("mz_relations"))) == views
    assert set(shop.asking.answer(query.format("mz_objects"))) == views | {(name, "index", "u1") for name in indexes}
    named = "SELECT name, object_type, cluster_id FROM mz_internal.mz_object_fully_qualified_names"
    assert {("totals_primary_idx", "index", "u1"), *views} <= set(shop.asking.answer(named))


def test_columns_of_indexes_are_columns_or_expressions(shop: Shop) -> None:
    found = shop.asking.answer(
        "SELECT i.name, c.index_position, c.on_position, c.on_expression, c.nullable FROM mz_indexes AS i "
        "JOIN mz_index_columns AS c ON i.id = c.index_id JOIN mz_objects AS o ON o.id = i.on_id ORDER BY 1, 2"
    )
    assert found == [
        ("big_amount_idx", 1, 2, None, True),
        ("orders_id_expr_expr_idx", 1, 1, None, False),
        ("orders_id_expr_expr_idx", 2, None, "amount + 1", True),
        ("orders_id_expr_expr_idx", 3, None, "lower(note)", True),
        ("totals_primary_idx", 1, 1, None, True),
    ]


def test_strategies_are_shown_for_every_materialized_view(shop: Shop) -> None:
    found = shop.asking.answer(
        "SELECT v.name, s.type, s.interval, s.aligned_to::text, s.at::text FROM mz_materialized_views AS v "
        "JOIN mz_internal.mz_materialized_view_refresh_strategies AS s ON s.materialized_view_id = v.id ORDER BY 1, 2"
    )
    assert found == [
        ("nightly", "at", None, None, "2024-06-01 00:00:00+00"),
        ("nightly", "every", Interval(0, 0, 86_400_000_000), "2024-01-01 00:00:00+00", None),
        ("totals", "on-commit", None, None, None),
    ]
    kept = shop.asking.answer("SELECT id, strategy, value::text FROM mz_internal.mz_history_retention_strategies")
    assert kept == [(id_of(shop, "nightly"), "FOR", "3600000")]


def test_dependencies_lead_through_views_that_are_not_kept(shop: Shop) -> None:
    found = shop.asking.answer("SELECT object_id, dependency_id FROM mz_internal.mz_compute_dependencies")
    expected = {
        ("totals", "orders"),
        ("nightly", "totals"),
        ("orders_id_expr_expr_idx", "orders"),
        ("big_amount_idx", "orders"),
        ("totals_primary_idx", "totals"),
    }
    names = {str(item.id): item.name for item in shop.talk.state.items.values()}
    assert {(names[str(one)], names[str(other)]) for one, other in found} == expected


def test_postgresql_s_catalogs_have_them_by_their_kinds(shop: Shop) -> None:
    query = "SELECT relname, relkind, relhasindex, relnatts FROM pg_class WHERE oid >= 20000 ORDER BY 1"
    assert shop.asking.answer(query) == [
        ("big", "v", True, 2),
        ("big_amount_idx", "i", False, 1),
        ("nightly", "m", False, 1),
        ("orders", "r", True, 4),
        ("orders_id_expr_expr_idx", "i", False, 3),
        ("pair", "c", False, 2),
        ("t", "r", False, 1),
        ("totals", "m", True, 2),
        ("totals_primary_idx", "i", False, 1),
    ]
    views = "SELECT matviewname, hasindexes, definition LIKE 'SELECT %' FROM pg_matviews ORDER BY 1"
    assert shop.asking.answer(views) == [("nightly", False, True), ("totals", True, True)]
    tables = "SELECT table_name, table_type, is_insertable_into FROM information_schema.tables "
    assert shop.asking.answer(f"{tables} WHERE table_name = 'totals'") == [("totals", "MATERIALIZED VIEW", "NO")]


def test_postgresql_s_catalogs_have_the_keys_of_indexes(shop: Shop) -> None:
    found = shop.asking.answer(
        "SELECT i.indexrelid::regclass::text, i.indrelid::regclass::text, i.indkey::text, i.indisunique, i.indisvalid, "
        "i.indexprs, m.amname FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid "
        "JOIN pg_am AS m ON m.oid = c.relam ORDER BY 1"
    )
    assert found == [
        ("big_amount_idx", "big", "2", False, True, None, "arrangement"),
        ("orders_id_expr_expr_idx", "orders", "1 0 0", False, True, "amount + 1, lower(note)", "arrangement"),
        ("totals_primary_idx", "totals", "1", False, True, None, "arrangement"),
    ]
    columns = "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '{}'::regclass"
    assert shop.asking.answer(columns.format("orders_id_expr_expr_idx") + " ORDER BY attnum") == [
        ("id", "integer"),
        ("expr", "numeric"),
        ("expr1", "text"),
    ]


def test_indexes_are_written_as_postgresql_writes_them(shop: Shop) -> None:
    of = "SELECT pg_get_indexdef('orders_id_expr_expr_idx'::regclass{})"
    whole = "CREATE INDEX orders_id_expr_expr_idx ON public.orders USING arrangement (id, (amount + 1), lower(note))"
    assert shop.asking.answer(of.format("")) == [(whole,)]
    assert shop.asking.answer(of.format(", 0, true")) == [(whole,)]
    assert shop.asking.answer(of.format(", 2, true")) == [("(amount + 1)",)]
    assert shop.asking.answer(of.format(", 4, true")) == [("",)]
    assert shop.asking.answer("SELECT pg_get_indexdef('orders'::regclass)") == [(None,)]
    assert shop.asking.answer("SELECT indexdef FROM pg_indexes WHERE tablename = 'orders'") == [(whole,)]


def test_comments_are_those_of_their_objects(shop: Shop) -> None:
    assert shop.asking.answer("SELECT obj_description('totals'::regclass, 'pg_class')") == [("by note",)]
    assert shop.asking.answer("SELECT obj_description('totals_primary_idx'::regclass)") == [("found by note",)]


# Dataflows


class Watching(Asking):
    """Someone who asks while dataflows run."""

    def __init__(self, shop: Shop, *dataflows: DataflowEntry) -> None:
        super().__init__(shop.talk)
        self.dataflows = dataflows

    def introspection(self) -> Introspection:
        return replace(super().introspection(), dataflows=self.dataflows)


def watching(shop: Shop) -> Watching:
    totals, nightly = shop.talk.item("totals").id, shop.talk.item("nightly").id
    states = (("groups", 3, 300), ("sums", 2, 100))
    return Watching(
        shop,
        DataflowEntry(totals, "totals", "running", 7, 7, 6, 2, None, states, 5, 1.5),
        DataflowEntry(nightly, "nightly", "hydrating", 3, 10, error="waits"),
    )


@pytest.mark.parametrize(
    "relation",
    [
        "mz_internal.mz_dataflow_statuses",
        "mz_internal.mz_dataflow_states",
        "mz_internal.mz_hydration_statuses",
        "mz_internal.mz_materialization_lag",
        "mz_internal.mz_materialized_view_refreshes",
        "mz_introspection.mz_dataflows",
        "mz_introspection.mz_arrangement_sizes",
    ],
)
def test_where_nothing_runs_nothing_is_shown_to_run(shop: Shop, relation: str) -> None:
    assert shop.asking.answer(f"SELECT * FROM {relation}") == []


def test_dataflows_show_how_far_they_are(shop: Shop) -> None:
    asking = watching(shop)
    totals, nightly = id_of(shop, "totals"), id_of(shop, "nightly")
    assert asking.answer("SELECT * FROM mz_internal.mz_dataflow_statuses ORDER BY name DESC") == [
        (totals, "totals", "running", 7, 7, 6, Interval(0, 0, 2000), None, 5, 1.5),
        (nightly, "nightly", "hydrating", 3, 10, None, None, "waits", 0, None),
    ]
    hydrated = "SELECT object_id, hydrated FROM mz_internal.mz_hydration_statuses ORDER BY 2"
    assert asking.answer(hydrated) == [(nightly, False), (totals, True)]
    assert set(asking.answer("SELECT object_id, write_frontier::text FROM mz_internal.mz_frontiers")) >= {(totals, "9")}


def test_lag_is_told_against_what_is_read_and_where_that_comes_from(shop: Shop) -> None:
    totals, nightly, orders = id_of(shop, "totals"), id_of(shop, "nightly"), id_of(shop, "orders")
    assert set(watching(shop).answer("SELECT * FROM mz_internal.mz_materialization_lag")) == {
        (totals, Interval(0, 0, 2000), Interval(0, 0, 2000), orders, orders),
        (nightly, Interval(0, 0, 7000), Interval(0, 0, 9000), totals, orders),
    }


def test_what_dataflows_hold_is_shown_by_collection_and_by_dataflow(shop: Shop) -> None:
    asking = watching(shop)
    totals = shop.talk.item("totals").id
    assert asking.answer("SELECT * FROM mz_internal.mz_dataflow_states ORDER BY name") == [
        (str(totals), "groups", 3, 300),
        (str(totals), "sums", 2, 100),
    ]
    by_operator = (
        "SELECT o.name, s.records, s.size FROM mz_introspection.mz_arrangement_sizes AS s "
        "JOIN mz_introspection.mz_dataflow_operator_dataflows AS o ON o.id = s.operator_id ORDER BY 1"
    )
    assert asking.answer(by_operator) == [("groups", 3, 300), ("sums", 2, 100)]
    by_dataflow = "SELECT id, records, size FROM mz_introspection.mz_dataflow_arrangement_sizes WHERE records > 0"
    assert asking.answer(by_dataflow) == [(totals.number, 5, 400)]


def test_refreshes_are_told_of_views_that_have_a_strategy(shop: Shop) -> None:
    midnight = 1_704_067_200_000
    nightly = shop.talk.item("nightly").id
    asking = Watching(shop, DataflowEntry(nightly, "nightly", "running", read_ts=midnight + 5))
    found = asking.answer(
        "SELECT last_completed_refresh::text, next_refresh::text FROM mz_internal.mz_materialized_view_refreshes"
    )
    assert found == [(str(midnight), str(midnight + 86_400_000))]
    young = Watching(shop, DataflowEntry(nightly, "nightly", "running", read_ts=8))
    assert young.answer("SELECT last_completed_refresh FROM mz_internal.mz_materialized_view_refreshes") == [(None,)]


def test_a_dataflow_of_what_was_dropped_is_not_shown() -> None:
    shop = made()
    asking = watching(shop)
    shop.talk.run("DROP MATERIALIZED VIEW totals CASCADE")
    assert asking.answer("SELECT * FROM mz_internal.mz_dataflow_statuses") == []
    assert asking.answer("SELECT * FROM mz_internal.mz_materialization_lag") == []


def test_how_far_dataflows_were_behind_is_shown_by_minute(shop: Shop) -> None:
    totals = shop.talk.item("totals").id
    asking = Watching(shop, DataflowEntry(totals, "totals", "running", lags=((60_000, None), (120_000, 250))))
    for relation in ("mz_wallclock_global_lag_history", "mz_wallclock_global_lag_recent_history"):
        found = asking.answer(f"SELECT object_id, lag, occurred_at::text FROM mz_internal.{relation} ORDER BY 3")
        assert found == [
            (str(totals), None, "1970-01-01 00:01:00+00"),
            (str(totals), Interval(0, 0, 250_000), "1970-01-01 00:02:00+00"),
        ]
    of_replicas = "SELECT replica_id, lag FROM mz_internal.mz_wallclock_lag_history WHERE lag IS NOT NULL"
    assert asking.answer(of_replicas) == [(None, Interval(0, 0, 250_000))]
