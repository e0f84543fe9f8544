"""The workloads that there are."""

from __future__ import annotations

from typing import Any

from tests.consistency.workload import Workload
from tests.consistency.workloads.groups import LongFork
from tests.consistency.workloads.increments import Counters
from tests.consistency.workloads.list_append import ListAppend
from tests.consistency.workloads.numbers import Numbers
from tests.consistency.workloads.set_append import SetAppend
from tests.consistency.workloads.transfers import Bank


def every_workload() -> list[Workload[Any]]:  # each has values of a type of its own
    return [SetAppend(), ListAppend(), Bank(), Counters(), LongFork(), Numbers()]
