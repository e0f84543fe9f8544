from __future__ import annotations

from collections.abc import Sequence

from holdfast.adapter.known import Known
from holdfast.adapter.plan_cache import Compiled, PlanCache
from holdfast.compute.evaluate import evaluate
from holdfast.plan.types import INT4, INT8, TEXT, Type
from holdfast.sql import plan_query
from holdfast.sql.catalog import CatalogColumn, CatalogRelation, WithoutFunctions

KNOWN = Known(1_000_000, "me", "db", "holdfast test")


class Counting(WithoutFunctions):
    """A catalog of one table that counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def relation(self, parts: tuple[str, ...]) -> CatalogRelation | None:
        self.asked += 1
        columns = (CatalogColumn("a", INT4), CatalogColumn("b", TEXT))
        return CatalogRelation("t", "t", columns) if parts[-1] == "t" else None

    def type(self, parts: tuple[str, ...]) -> Type | None:  # noqa: ARG002 - there are none
        return None


def ask(
    cache: PlanCache[Compiled], catalog: Counting, text: str, version: int = 1, types: Sequence[Type | None] = ()
) -> Compiled:
    key = (text, tuple(types), version)
    return cache.made(key, lambda: Compiled(plan_query(text, catalog, parameter_types=types)))


def test_the_same_text_is_planned_once_for_one_version_of_the_catalog() -> None:
    cache, catalog = PlanCache[Compiled](), Counting()
    first = ask(cache, catalog, "SELECT a FROM t WHERE b = $1")
    assert ask(cache, catalog, "SELECT a FROM t WHERE b = $1") is first
    assert first.parameters == (TEXT,)
    assert first.reads == {"t"}
    assert catalog.asked == 1
    ask(cache, catalog, "SELECT a FROM t WHERE b = $1", version=2)
    assert catalog.asked == 2


def test_types_of_parameters_make_another_plan() -> None:
    cache, catalog = PlanCache[Compiled](), Counting()
    assert ask(cache, catalog, "SELECT a + $1 FROM t").parameters == (INT4,)
    assert ask(cache, catalog, "SELECT a + $1 FROM t", types=(INT8,)).parameters == (INT8,)


def test_what_the_session_knows_is_as_of_each_run() -> None:
    compiled = ask(PlanCache[Compiled](), Counting(), "SELECT now()")
    later = Known(2_000_000, "me", "db", "holdfast test")

    def answer(known: Known) -> int:
        value = evaluate(compiled.prepared(lambda: known).plan, {})["now"][0].value
        return int(value)

    assert [answer(KNOWN), answer(later)] == [1_000_000, 2_000_000]


def test_what_depends_on_nothing_is_made_ready_once() -> None:
    compiled = ask(PlanCache[Compiled](), Counting(), "SELECT a FROM t WHERE b = $1")
    later = Known(2_000_000, "me", "db", "holdfast test")
    assert compiled.prepared(lambda: KNOWN) is compiled.prepared(lambda: later)


def test_the_plans_asked_for_longest_ago_are_forgotten() -> None:
    cache, catalog = PlanCache[Compiled](size=2), Counting()
    kept = ask(cache, catalog, "SELECT 1")
    ask(cache, catalog, "SELECT 2")
    assert ask(cache, catalog, "SELECT 1") is kept
    ask(cache, catalog, "SELECT a FROM t")
    assert ask(cache, catalog, "SELECT 1") is kept
    gone = catalog.asked
    ask(cache, catalog, "SELECT 2 FROM t")
    assert catalog.asked == gone + 1


def test_plain_reads_are_told_from_others() -> None:
    cache, catalog = PlanCache[Compiled](), Counting()
    plain = ask(cache, catalog, "SELECT a FROM t WHERE a > 1 ORDER BY a LIMIT 3").prepared(lambda: KNOWN)
    grouped = ask(cache, catalog, "SELECT count(*) FROM t").prepared(lambda: KNOWN)
    assert plain.is_plain
    assert not grouped.is_plain
    assert "count" in grouped.spark.text


def test_a_plan_that_comes_to_the_same_for_another_is_made_ready_once() -> None:
    compiled = ask(PlanCache[Compiled](), Counting(), "SELECT current_database()")
    first = compiled.prepared(lambda: KNOWN)
    assert compiled.prepared(lambda: Known(2_000_000, "you", "db", "holdfast test")) is first
    assert compiled.prepared(lambda: Known(2_000_000, "you", "other", "holdfast test")) is not first
