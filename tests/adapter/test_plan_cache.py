from __future__ import annotations

from holdfast.adapter.known import Known
from holdfast.adapter.plan_cache import PlanCache
from holdfast.compute.evaluate import evaluate
from holdfast.plan.types import INT4, INT8, TEXT, Type
from holdfast.sql.catalog import CatalogColumn, CatalogRelation

KNOWN = Known(1_000_000, "me", "db", "holdfast test")


class Counting:
    """A catalog of one table that counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def relation(self, parts: tuple[str, ...]) -> CatalogRelation | None:
        self.asked += 1
        columns = (CatalogColumn("a", INT4), CatalogColumn("b", TEXT))
        return CatalogRelation("t", "t", columns) if parts[-1] == "t" else None

    def type(self, parts: tuple[str, ...]) -> Type | None:  # noqa: ARG002 - there are none
        return None


def test_the_same_text_is_planned_once_for_one_version_of_the_catalog() -> None:
    cache, catalog = PlanCache(), Counting()
    first = cache.prepared("SELECT a FROM t WHERE b = $1", catalog, 1, KNOWN)
    assert cache.prepared("SELECT a FROM t WHERE b = $1", catalog, 1, KNOWN) is first
    assert first.parameters == (TEXT,)
    assert catalog.asked == 1
    cache.prepared("SELECT a FROM t WHERE b = $1", catalog, 2, KNOWN)
    assert catalog.asked == 2


def test_types_of_parameters_make_another_plan() -> None:
    cache, catalog = PlanCache(), Counting()
    assert cache.prepared("SELECT a + $1 FROM t", catalog, 1, KNOWN).parameters == (INT4,)
    assert cache.prepared("SELECT a + $1 FROM t", catalog, 1, KNOWN, (INT8,)).parameters == (INT8,)


def test_what_the_session_knows_is_as_of_each_run() -> None:
    cache, catalog = PlanCache(), Counting()
    later = Known(2_000_000, "me", "db", "holdfast test")
    answers = [
        evaluate(cache.prepared("SELECT now()", catalog, 1, known).plan, {})["now"][0].value for known in (KNOWN, later)
    ]
    assert answers == [1_000_000, 2_000_000]


def test_the_plans_asked_for_longest_ago_are_forgotten() -> None:
    cache, catalog = PlanCache(size=2), Counting()
    kept = cache.prepared("SELECT 1", catalog, 1, KNOWN)
    cache.prepared("SELECT 2", catalog, 1, KNOWN)
    assert cache.prepared("SELECT 1", catalog, 1, KNOWN) is kept
    cache.prepared("SELECT a FROM t", catalog, 1, KNOWN)
    assert cache.prepared("SELECT 1", catalog, 1, KNOWN) is kept
    gone = catalog.asked
    cache.prepared("SELECT 2 FROM t", catalog, 1, KNOWN)
    assert catalog.asked == gone + 1


def test_only_what_the_evaluator_cannot_do_is_said_in_spark_sql() -> None:
    cache, catalog = PlanCache(), Counting()
    assert cache.prepared("SELECT a FROM t WHERE a > 1 ORDER BY a LIMIT 3", catalog, 1, KNOWN).spark is None
    assert cache.prepared("SELECT count(*) FROM t", catalog, 1, KNOWN).spark is not None
