"""What all sessions of a database share."""

from __future__ import annotations

import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from holdfast.adapter.catalog.builtin import (
    ActivityEntry,
    Contents,
    DataflowEntry,
    SessionEntry,
    SubscriptionEntry,
)
from holdfast.adapter.catalog.builtin.functions import CatalogFunctions
from holdfast.adapter.ledger import Ledger
from holdfast.adapter.plan_cache import Compiled, CompiledChange, PlanCache
from holdfast.adapter.runtime import SparkRuntime
from holdfast.adapter.session.peek import Peeks
from holdfast.errors import HoldfastError

_LOGGED = 10_000
"""Statements that the log of recent activity keeps."""


class ActivityLog:
    """The statements that were run last."""

    def __init__(self) -> None:
        self._entries: OrderedDict[str, ActivityEntry] = OrderedDict()

    def begin(self, entry: ActivityEntry) -> None:
        self._entries[entry.execution_id] = entry
        if len(self._entries) > _LOGGED:
            self._entries.popitem(last=False)

    def finish(self, execution: str, at: int, error: BaseException | None, rows: int | None) -> None:
        entry = self._entries.get(execution)
        if entry is not None:
            message = str(error) if isinstance(error, HoldfastError) else None if error is None else "internal error"
            status = "success" if error is None else "error"
            self._entries[execution] = replace(
                entry, finished_at=at, finished_status=status, error_message=message, rows_returned=rows
            )

    def chose(self, execution: str, as_of: int) -> None:
        entry = self._entries.get(execution)
        if entry is not None:
            self._entries[execution] = replace(entry, execution_timestamp=as_of)

    @property
    def entries(self) -> Sequence[ActivityEntry]:
        return tuple(self._entries.values())


def new_execution_id() -> str:
    return str(uuid.uuid4())


def microseconds() -> int:
    """The time of day, since 1970."""
    return time.time_ns() // 1000


@dataclass(frozen=True)
class Shared:
    """`sessions` lists those that are connected. `started` is when the database was opened.

    `dataflows` lists those that run.
    """

    ledger: Ledger
    runtime: SparkRuntime
    peeks: Peeks
    sessions: Callable[[], Sequence[SessionEntry]]
    version: str
    started: int
    environment_id: str
    plans: PlanCache[Compiled] = field(default_factory=PlanCache)
    changes: PlanCache[CompiledChange] = field(default_factory=PlanCache)
    contents: Contents = field(default_factory=Contents)
    functions: CatalogFunctions = field(default_factory=CatalogFunctions)
    activity: ActivityLog = field(default_factory=ActivityLog)
    subscriptions: dict[str, SubscriptionEntry] = field(default_factory=dict)
    clock: Callable[[], int] = microseconds
    dataflows: Callable[[], Sequence[DataflowEntry]] = tuple
