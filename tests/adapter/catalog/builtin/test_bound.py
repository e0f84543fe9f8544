"""What only a session knows is known by it, and is the same function to all who get the same answers."""

from __future__ import annotations

import pickle

import pytest

from holdfast.adapter import known
from holdfast.adapter.catalog.builtin.functions import OF_CATALOG, OF_SESSION, CatalogFunctions
from holdfast.adapter.plan_cache import Compiled
from holdfast.plan.functions.function import Function
from holdfast.plan.functions.registry import CASTS, FAMILIES, FUNCTIONS
from tests.adapter.catalog.builtin.ask import NOW, Asking
from tests.adapter.catalog.builtin.tools import Shop

STABLE = sorted({found.name for family in FAMILIES for found in family.functions if found.stability == "stable"})


@pytest.fixture(scope="module")
def shop() -> Shop:
    return Shop()


@pytest.mark.parametrize("name", STABLE)
def test_every_function_that_a_session_must_know_has_an_answer(name: str) -> None:
    told = {*OF_CATALOG, *OF_SESSION, *known._VALUES, "age"}
    assert name in told


def test_nothing_is_bound_that_cannot_be_called() -> None:
    callable_ = {*FUNCTIONS, *(cast.function.name for cast in CASTS.values() if cast.function is not None)}
    assert {*OF_CATALOG, *OF_SESSION} <= callable_
    assert not OF_CATALOG.keys() & OF_SESSION.keys()


def _function(name: str) -> Function:
    return FUNCTIONS[name][0]


def test_functions_are_the_same_to_all_who_get_the_same_answers(shop: Shop) -> None:
    functions = CatalogFunctions()
    one, other = functions.bound(shop.asking.introspection()), functions.bound(shop.asking.introspection())
    assert one(_function("pg_get_userbyid")) is other(_function("pg_get_userbyid"))
    assert one(_function("current_setting")) is not other(_function("current_setting"))
    assert one(_function("lower")) is None


def test_they_are_others_once_the_catalog_has_changed() -> None:
    shop, functions = Shop(), CatalogFunctions()
    before = functions.bound(shop.asking.introspection())(_function("pg_table_is_visible"))
    shop.talk.run("CREATE TABLE more (a int)")
    after = functions.bound(shop.asking.introspection())(_function("pg_table_is_visible"))
    assert before is not None
    assert after is not None
    assert before.python is not None
    assert after.python is not None
    more = shop.talk.item("more").oid
    assert (before.python(more), after.python(more)) == (None, True)


def test_a_query_of_a_tool_is_made_ready_once_for_each_version_of_the_catalog() -> None:
    shop = Shop()
    compiled = Compiled(shop.asking.planned("SELECT pg_get_userbyid(relowner) FROM pg_catalog.pg_class"))
    ready = compiled.prepared(lambda: _knowing(shop.asking))
    assert compiled.prepared(lambda: _knowing(shop.asking)) is ready
    shop.talk.run("CREATE TABLE more (a int)")
    assert compiled.prepared(lambda: _knowing(shop.asking)) is not ready


def _knowing(asking: Asking) -> known.Known:
    bound = asking.functions.bound(asking.introspection())
    return known.Known(NOW, "materialize", "materialize", "holdfast", bound=bound)


@pytest.mark.parametrize("name", sorted({*OF_CATALOG}))
def test_what_is_bound_can_be_sent_to_workers(name: str, shop: Shop) -> None:
    """Spark sends functions with all that is in them."""
    cloudpickle = pytest.importorskip("pyspark.cloudpickle")
    bound = shop.asking.functions.bound(shop.asking.introspection())
    overloads = FUNCTIONS.get(name) or tuple(
        cast.function for cast in CASTS.values() if cast.function is not None and cast.function.name == name
    )
    function = bound(overloads[0])
    assert function is not None
    sent = cloudpickle.dumps(function.python)
    assert len(sent) < 1_000_000
    pickle.loads(sent)
