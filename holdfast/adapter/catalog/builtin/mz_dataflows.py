"""What keeps materialized views and indexes up to date: how far it is, how it goes, and what it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from holdfast.adapter.catalog.builtin.introspection import DataflowEntry
from holdfast.adapter.catalog.builtin.mz_maintained import read_by
from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, Row, columns
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.refresh import last_refresh, next_refresh
from holdfast.plan.types import Interval
from holdfast.repr.ids import GlobalId


def known(shown: Shown) -> Iterator[tuple[DataflowEntry, Item]]:
    """Those of items that are shown: one that was just dropped may still run."""
    items = {item.id: item for item in shown.items}
    for entry in shown.introspection.dataflows:
        if entry.id in items:
            yield entry, items[entry.id]


def interval_of(milliseconds: int | None) -> Interval | None:
    return None if milliseconds is None else Interval(0, 0, milliseconds * 1000)


def _statuses(shown: Shown) -> Iterator[Row]:
    for entry, _ in known(shown):
        done = (entry.rows_done, entry.rows_total, entry.read_ts, interval_of(entry.lag_ms))
        yield str(entry.id), entry.name, entry.status, *done, entry.error, entry.steps, entry.last_step_ms


def _states(shown: Shown) -> Iterator[Row]:
    for entry, _ in known(shown):
        for name, rows, size in entry.states:
            yield str(entry.id), name, rows, size


def _hydration(shown: Shown) -> Iterator[Row]:
    for entry, _ in known(shown):
        done, total, hydrated = entry.rows_done, entry.rows_total, entry.read_ts is not None
        percent = 100.0 if hydrated else None if done is None or not total else min(100.0 * done / total, 100.0)
        yield str(entry.id), None, hydrated, done, total, percent


def _compute_hydration(shown: Shown) -> Iterator[Row]:
    return ((id, replica, hydrated, None) for id, replica, hydrated, *_ in _hydration(shown))


def _wall_clock_lag(shown: Shown) -> Iterator[Row]:
    for entry, _ in known(shown):
        yield str(entry.id), interval_of(entry.lag_ms)


def _lag(shown: Shown) -> Iterator[Row]:
    """How far each is behind what it reads, and behind the tables that all of that comes from."""
    upper = _Uppers(shown)
    for entry, item in known(shown):
        near = read_by(shown.state, item)
        far = _sources(shown, near)
        if not near:
            continue
        own = 0 if entry.read_ts is None else entry.read_ts + 1
        found = []
        for inputs in (near, far):
            slowest = min(inputs, key=lambda each: (upper.of(each), each.number))
            found.append((interval_of(max(upper.of(slowest) - own, 0)), str(slowest)))
        (local, slow_near), (global_, slow_far) = found
        yield str(entry.id), local, global_, slow_near, slow_far


class _Uppers:
    """How far relations are complete. A view without rows has none, so that those of nothing are as far as 0."""

    def __init__(self, shown: Shown) -> None:
        self._frontiers = shown.introspection.frontiers
        self._entries: Mapping[GlobalId, DataflowEntry] = {entry.id: entry for entry, _ in known(shown)}
        self._state = shown.state

    def of(self, id: GlobalId) -> int:
        if self._state.item(id).kind == "table":
            time = self._frontiers(id)[1].time
            return 2**63 if time is None else time
        entry = self._entries.get(id)
        return 0 if entry is None or entry.read_ts is None else entry.read_ts + 1


def _sources(shown: Shown, inputs: set[GlobalId]) -> set[GlobalId]:
    found: set[GlobalId] = set()
    waiting, seen = list(inputs), set(inputs)
    while waiting:
        item = shown.state.item(waiting.pop())
        below = read_by(shown.state, item)
        if not below:
            found.add(item.id)
        waiting += below - seen
        seen |= below
    return found


def _refreshes(shown: Shown) -> Iterator[Row]:
    """Of views that are not refreshed with every change. One before what can be read may never have been."""
    for entry, item in known(shown):
        if item.refresh:
            since, _ = shown.introspection.frontiers(entry.id)
            upper = 0 if entry.read_ts is None else entry.read_ts + 1
            last = last_refresh(item.refresh, upper)
            is_known = last is not None and since.time is not None and since.time <= last
            yield str(entry.id), last if is_known else None, next_refresh(item.refresh, upper)


def _dataflows(shown: Shown) -> Iterator[Row]:
    for entry, _ in known(shown):
        yield entry.id.number, f"Dataflow: {entry.name}"


def _exports(shown: Shown) -> Iterator[Row]:
    for entry, _ in known(shown):
        yield str(entry.id), entry.id.number


def _frontiers(shown: Shown) -> Iterator[Row]:
    for entry, _ in known(shown):
        yield str(entry.id), 0 if entry.read_ts is None else entry.read_ts + 1


def _errors(shown: Shown) -> Iterator[Row]:
    for entry, _ in known(shown):
        yield str(entry.id), 0 if entry.error is None else 1


def _operators(shown: Shown) -> Iterator[tuple[int, DataflowEntry, tuple[str, int, int]]]:
    """A number for each state, which no other has."""
    held = ((entry, state) for entry, _ in known(shown) for state in entry.states)
    return ((number, entry, state) for number, (entry, state) in enumerate(held, start=1))


def _dataflow_operators(shown: Shown) -> Iterator[Row]:
    for number, entry, (name, _, _) in _operators(shown):
        yield number, name, entry.id.number, f"Dataflow: {entry.name}"


def _arrangements(shown: Shown) -> Iterator[Row]:
    for number, _, (_, rows, size) in _operators(shown):
        yield number, rows, None, size, None, None


def _arrangements_of_dataflows(shown: Shown) -> Iterator[Row]:
    for entry, _ in known(shown):
        rows, size = sum(state[1] for state in entry.states), sum(state[2] for state in entry.states)
        yield entry.id.number, f"Dataflow: {entry.name}", rows, None, size, None, None


RELATIONS: tuple[Builtin | BuiltinView, ...] = tuple(
    Builtin(oid, schema, name, columns(spec), rows, "session")
    for oid, schema, name, spec, rows in (
        (
            17180,
            "mz_internal",
            "mz_dataflow_statuses",
            "object_id text!, name text!, status text!, rows_done int8, rows_total int8, read_ts mz_timestamp, "
            "lag interval, error text, steps int8!, last_step_ms float8",
            _statuses,
        ),
        (
            17181,
            "mz_internal",
            "mz_dataflow_states",
            "object_id text!, name text!, rows int8!, bytes int8!",
            _states,
        ),
        (
            17142,
            "mz_internal",
            "mz_hydration_statuses",
            "object_id text!, replica_id text, hydrated bool!, rows_done int8, rows_total int8, percent float8",
            _hydration,
        ),
        (
            17143,
            "mz_internal",
            "mz_compute_hydration_statuses",
            "object_id text!, replica_id text, hydrated bool!, hydration_time interval",
            _compute_hydration,
        ),
        (17138, "mz_internal", "mz_wallclock_global_lag", "object_id text!, lag interval", _wall_clock_lag),
        (
            17141,
            "mz_internal",
            "mz_materialization_lag",
            "object_id text!, local_lag interval, global_lag interval, slowest_local_input_id text!, "
            "slowest_global_input_id text!",
            _lag,
        ),
        (
            17153,
            "mz_internal",
            "mz_materialized_view_refreshes",
            "materialized_view_id text!, last_completed_refresh mz_timestamp, next_refresh mz_timestamp",
            _refreshes,
        ),
        (17700, "mz_introspection", "mz_dataflows", "id uint8!, name text!", _dataflows),
        (17701, "mz_introspection", "mz_compute_exports", "export_id text!, dataflow_id uint8!", _exports),
        (17702, "mz_introspection", "mz_compute_frontiers", "export_id text!, time mz_timestamp!", _frontiers),
        (17703, "mz_introspection", "mz_compute_error_counts", "export_id text!, count int8!", _errors),
        (
            17704,
            "mz_introspection",
            "mz_dataflow_operator_dataflows",
            "id uint8!, name text!, dataflow_id uint8!, dataflow_name text!",
            _dataflow_operators,
        ),
        (
            17705,
            "mz_introspection",
            "mz_arrangement_sizes",
            "operator_id uint8!, records int8, batches int8, size int8, capacity int8, allocations int8",
            _arrangements,
        ),
        (
            17706,
            "mz_introspection",
            "mz_dataflow_arrangement_sizes",
            "id uint8!, name text!, records int8, batches int8, size int8, capacity int8, allocations int8",
            _arrangements_of_dataflows,
        ),
    )
)
