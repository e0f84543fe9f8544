"""What a step says of its stages: what came in, what was looked up, what came out, and which had nothing to do."""

from __future__ import annotations

from holdfast.compute.delta.cost import StageCost
from holdfast.compute.delta.program import Lookup, Scratch
from holdfast.plan.types import INT8, TEXT
from tests.compute.delta.lives import Change, History, Life
from tests.compute.delta.queries import program_of
from tests.compute.delta.shapes import Columns, catalog

SHAPES: dict[str, Columns] = {"o": (("id", INT8), ("name", TEXT), ("n", INT8)), "c": (("name", TEXT), ("town", TEXT))}
ROWS: dict[str, list[tuple[object, ...]]] = {
    "o": [(1, "ada", 10), (2, "ada", 20), (3, "bob", 30), (4, "ada", 40)],
    "c": [("ada", "Paris"), ("bob", "Rome")],
}


def lived(query: str, changed: Change, table: str = "o") -> Life:
    """A view over the first three orders and all customers, after one change at time 10."""
    first = {"o": 3, "c": 2}
    histories = {
        name: History(
            [type_ for _, type_ in SHAPES[name]],
            rows,
            [*(Change(1, place, 1) for place in range(first[name])), *([changed] if name == table else [])],
        )
        for name, rows in ROWS.items()
    }
    program = program_of(query, catalog(SHAPES))
    life = Life(program, {name: histories[name] for name in program.inputs}, query)
    assert life.hydrate(9)
    life.live(11)
    return life


def costs(life: Life) -> dict[str, StageCost]:
    return {cost.stage: cost for cost in life.steps[-1].costs}


def test_every_stage_has_its_cost_in_order() -> None:
    life = lived("SELECT town, sum(n) FROM o JOIN c USING (name) GROUP BY town", Change(10, 3, 1))
    assert [cost.stage for cost in life.steps[-1].costs] == [stage.name for stage in life.program.stages]
    assert all(cost.seconds >= 0 for cost in life.steps[-1].costs)


def test_a_lookup_takes_keys_and_finds_rows() -> None:
    life = lived("SELECT o.id, c.town FROM o JOIN c USING (name)", Change(10, 3, 1))
    lookups = {stage.source: costs(life)[stage.name] for stage in life.program.stages if isinstance(stage, Lookup)}
    of_customers, of_orders = lookups["c"], lookups["o"]
    assert (of_customers.mode, of_customers.rows_in, of_customers.looked_up, of_customers.rows_out) == (
        "incremental",
        1,
        1,
        1,
    )
    assert (of_orders.mode, of_orders.rows_in, of_orders.looked_up, of_orders.rows_out) == ("idle", 0, 0, 0)
    assert costs(life)[life.program.output].rows_out == 1


def test_rows_of_one_key_are_looked_up_however_many_there_are_of_others() -> None:
    life = lived("SELECT o.id, c.town FROM o JOIN c USING (name)", Change(10, 0, -1), "c")
    lookups = {stage.source: costs(life)[stage.name] for stage in life.program.stages if isinstance(stage, Lookup)}
    assert (lookups["o"].rows_in, lookups["o"].looked_up) == (1, 2)
    assert not lookups["c"].ran


def test_what_is_evaluated_anew_reads_all_of_its_inputs() -> None:
    query = (
        "WITH MUTUALLY RECURSIVE (RETURN AT RECURSION LIMIT 3) r (n int8) AS "
        "(SELECT n FROM o UNION SELECT n - 10 FROM r WHERE n > 10) SELECT n FROM r"
    )
    life = lived(query, Change(10, 3, 1))
    anew = [costs(life)[stage.name] for stage in life.program.stages if isinstance(stage, Scratch)]
    assert [(cost.mode, cost.rows_in, cost.looked_up, cost.rows_out) for cost in anew] == [("scratch", 1, 3, 1)]


def test_a_view_that_is_made_from_scratch_runs_no_stages() -> None:
    life = lived("SELECT sum(n) FROM o", Change(10, 3, 1))
    assert life.steps[0].costs == ()
