"""What the dataflows of materialized views and indexes did: step by step, stage by stage, and minute by minute."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.adapter.catalog.builtin.mz_dataflows import interval_of, known
from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, Row, columns
from holdfast.adapter.catalog.builtin.shown import Shown


def _steps(shown: Shown) -> Iterator[Row]:
    for entry, _ in known(shown):
        for step in entry.last_steps:
            how = (step.lower, step.upper, step.mode, step.reason, step.rows_in, step.rows_out)
            spent = (1000 * step.seconds[phase] for phase in ("wait", "read", "compute", "commit"))
            yield str(entry.id), step.number, step.began_at, *how, *spent, step.error


def _step_stages(shown: Shown) -> Iterator[Row]:
    for entry, _ in known(shown):
        for step in entry.last_steps:
            for place, cost in enumerate(step.stages, start=1):
                rows = (cost.rows_in, cost.looked_up, cost.rows_out)
                yield str(entry.id), step.number, place, cost.stage, cost.mode, *rows, 1000 * cost.seconds


def _stages(shown: Shown) -> Iterator[Row]:
    for entry, _ in known(shown):
        for place, stage in enumerate(entry.stages, start=1):
            rows = (stage.rows_in, stage.looked_up, stage.rows_out)
            yield str(entry.id), place, stage.name, stage.steps, stage.ran, *rows, 1000 * stage.seconds


def _arrangements(shown: Shown) -> Iterator[Row]:
    for entry, _ in known(shown):
        for held in entry.arrangements:
            yield str(entry.id), held.name, held.kind, held.updates, held.size


def _lags(shown: Shown) -> Iterator[Row]:
    for entry, _ in known(shown):
        for minute, lag in entry.lags:
            yield str(entry.id), interval_of(lag), 1000 * minute


def _lags_of_replicas(shown: Shown) -> Iterator[Row]:
    """There are no replicas."""
    return ((id, None, lag, minute) for id, lag, minute in _lags(shown))


_LAGS = "object_id text!, lag interval, occurred_at timestamptz!"

RELATIONS: tuple[Builtin | BuiltinView, ...] = tuple(
    Builtin(oid, "mz_internal", name, columns(spec), rows, "session")
    for oid, name, spec, rows in (
        (
            17182,
            "mz_dataflow_steps",
            "object_id text!, step int8!, began_at timestamptz!, lower mz_timestamp!, upper mz_timestamp!, mode text!, "
            "reason text!, rows_in int8!, rows_out int8!, wait_ms float8!, read_ms float8!, compute_ms float8!, "
            "commit_ms float8!, error text",
            _steps,
        ),
        (
            17183,
            "mz_dataflow_step_stages",
            "object_id text!, step int8!, position int8!, stage text!, mode text!, rows_in int8!, "
            "rows_looked_up int8!, rows_out int8!, ms float8!",
            _step_stages,
        ),
        (
            17184,
            "mz_dataflow_stages",
            "object_id text!, position int8!, stage text!, steps int8!, steps_ran int8!, rows_in int8!, "
            "rows_looked_up int8!, rows_out int8!, ms float8!",
            _stages,
        ),
        (
            17185,
            "mz_dataflow_arrangements",
            "object_id text!, name text!, kind text!, updates int8!, bytes int8!",
            _arrangements,
        ),
        (
            17137,
            "mz_wallclock_lag_history",
            "object_id text!, replica_id text, lag interval, occurred_at timestamptz!",
            _lags_of_replicas,
        ),
        (17139, "mz_wallclock_global_lag_history", _LAGS, _lags),
        (17140, "mz_wallclock_global_lag_recent_history", _LAGS, _lags),
    )
)
