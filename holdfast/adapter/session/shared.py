"""What all sessions of a database share."""

from __future__ import annotations

import random
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from holdfast.adapter.catalog.builtin import (
    ActivityEntry,
    Contents,
    DataflowEntry,
    SessionEntry,
    SubscriptionEntry,
)
from holdfast.adapter.catalog.builtin.functions import CatalogFunctions
from holdfast.adapter.insert_template import LiteralTemplate
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
            if error is not None:
                entry.error_message = str(error) if isinstance(error, HoldfastError) else "internal error"
            entry.finished_status = "success" if error is None else "error"
            entry.rows_returned, entry.finished_at = rows, at

    def chose(self, execution: str, as_of: int) -> None:
        entry = self._entries.get(execution)
        if entry is not None:
            entry.execution_timestamp = as_of

    @property
    def entries(self) -> Sequence[ActivityEntry]:
        return tuple(self._entries.values())


_random = random.Random()


def new_execution_id() -> str:
    """A random UUID, which is a name and no secret: the system is not asked for each."""
    text = f"{_random.getrandbits(128):032x}"
    variant = "89ab"[int(text[16], 16) & 3]
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-{variant}{text[17:20]}-{text[20:]}"


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
    literals: PlanCache[LiteralTemplate] = field(default_factory=PlanCache)
    contents: Contents = field(default_factory=Contents)
    functions: CatalogFunctions = field(default_factory=CatalogFunctions)
    activity: ActivityLog = field(default_factory=ActivityLog)
    subscriptions: dict[str, SubscriptionEntry] = field(default_factory=dict)
    clock: Callable[[], int] = microseconds
    dataflows: Callable[[], Sequence[DataflowEntry]] = tuple
