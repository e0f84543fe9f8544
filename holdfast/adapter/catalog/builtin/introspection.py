"""What the relations of the system show: the catalog, the session that asks, and what the server is doing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from holdfast.adapter.catalog.objects import Role
from holdfast.adapter.catalog.state import CatalogState
from holdfast.compute.maintain import ArrangementEntry, StageEntry, StepEntry
from holdfast.repr.frontier import Frontier
from holdfast.repr.ids import GlobalId


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """A session that is connected. Times are microseconds since 1970."""

    id: str
    connection_id: int
    role_id: str
    client_ip: str | None
    connected_at: int
    database: str
    application_name: str = ""
    state: str = "idle"
    statement: str = ""
    statement_began_at: int | None = None
    transaction_began_at: int | None = None


@dataclass(frozen=True, slots=True)
class SubscriptionEntry:
    """A SUBSCRIBE that is running; `session_id` is the id of its session."""

    id: str
    session_id: str
    created_at: int
    object_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DataflowEntry:
    """A dataflow that keeps a materialized view or an index, by the id and the name of its item.

    - "hydrating" until it has rows; then "running", or "stalled" while it cannot go on, for the reason in `error`.
    - `rows_total` is how many rows are to be read before it has any, `rows_done` how many were; None where unknown.
    - `read_ts` is the last time that it has rows for, and `lag_ms` how far that is behind the timeline's.
    - `states` are the collections that it keeps for itself: the name, rows and bytes of each.
    - `steps` is how many it has made since it began, `last_step_ms` how long the last took.
    - `last_steps` are those that are remembered, in order; `stages` are of all of them, `arrangements` of now.
    - `lags` says how far it was behind at some minutes: when they began, and milliseconds; None: it had no rows.
    """

    id: GlobalId
    name: str
    status: Literal["hydrating", "running", "stalled"]
    rows_done: int | None = None
    rows_total: int | None = None
    read_ts: int | None = None
    lag_ms: int | None = None
    error: str | None = None
    states: tuple[tuple[str, int, int], ...] = ()
    steps: int = 0
    last_step_ms: float | None = None
    last_steps: tuple[StepEntry, ...] = ()
    stages: tuple[StageEntry, ...] = ()
    arrangements: tuple[ArrangementEntry, ...] = ()
    lags: Iterable[tuple[int, int | None]] = ()


@dataclass(slots=True)
class ActivityEntry:
    """A statement that was run, or still runs: `finished_at` is None then, and all other fields are known before it."""

    execution_id: str
    session_id: str
    user: str
    database: str
    search_path: tuple[str, ...]
    transaction_isolation: str
    application_name: str
    sql: str
    statement_type: str
    began_at: int
    params: tuple[str | None, ...] = ()
    execution_timestamp: int | None = None
    finished_at: int | None = None
    finished_status: str | None = None
    error_message: str | None = None
    result_size: int | None = None
    rows_returned: int | None = None
    execution_strategy: str | None = None


@dataclass(frozen=True, slots=True)
class SettingEntry:
    name: str
    value: str
    description: str


@dataclass(frozen=True, slots=True)
class Introspection:
    """`session` is the connection id of the session that asks, whose temporary items are shown.

    `frontiers` are the since and the upper of a table. `search_path` is as the session has set it. `now`, and when the
    server `started`, are in microseconds since 1970.
    """

    state: CatalogState
    database: str
    search_path: tuple[str, ...]
    role: Role
    session: int
    now: int
    frontiers: Callable[[GlobalId], tuple[Frontier, Frontier]]
    sessions: Sequence[SessionEntry] = ()
    subscriptions: Sequence[SubscriptionEntry] = ()
    activity: Sequence[ActivityEntry] = ()
    settings: Sequence[SettingEntry] = ()
    started: int = 0
    environment_id: str = ""
    dataflows: Sequence[DataflowEntry] = ()
