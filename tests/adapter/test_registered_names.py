from __future__ import annotations

import pytest

from holdfast.adapter.registered_names import with_names
from holdfast.plan.types import INT4, TEXT
from tests.adapter.catalog.builtin.tools import Shop


@pytest.fixture(scope="module")
def shop() -> Shop:
    return Shop()


def answer(shop: Shop, sql: str) -> list[tuple[object, ...]]:
    return list(shop.asking.answered(with_names(shop.asking.planned(sql))))


def test_objects_are_shown_by_name(shop: Shop) -> None:
    sql = "SELECT 1, 'orders'::regclass, 23::regtype, 'reader'::regrole, NULL::regclass, 'public'::regnamespace"
    assert answer(shop, sql) == [(1, "orders", "integer", "reader", None, "public")]


def test_the_client_is_told_that_they_are_text(shop: Shop) -> None:
    planned = with_names(shop.asking.planned("SELECT 1 AS a, 'orders'::regclass AS b"))
    assert [(column.name, column.type) for column in planned.columns] == [("a", INT4), ("b", TEXT)]


def test_the_order_is_still_that_of_the_oids(shop: Shop) -> None:
    tables = "SELECT oid::regclass AS r, relname FROM pg_catalog.pg_class WHERE relname IN ('orders', 'pg_type', 't')"
    assert [row[0] for row in answer(shop, f"{tables} ORDER BY r")] == ["pg_type", "orders", "other.t"]
    assert [row[0] for row in answer(shop, f"{tables} ORDER BY relname, r LIMIT 2")] == ["orders", "pg_type"]


def test_other_queries_stay_as_they_are(shop: Shop) -> None:
    planned = shop.asking.planned("SELECT 1")
    assert with_names(planned) is planned
