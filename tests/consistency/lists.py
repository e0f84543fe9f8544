"""List-append: every key is a list, so that one read tells in which order its values were appended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from tests.consistency.anomaly import Anomaly
from tests.consistency.graph import Graph, Level, cycles, link_processes, link_realtime, shown
from tests.consistency.reads import bad_reads
from tests.consistency.transactions import Transactions, Writers


def check_lists(history: Transactions, level: Level = "strict") -> list[Anomaly]:
    writers = Writers(history)
    found = list(bad_reads(writers, lists=True))
    orders = _orders(writers)
    found += _incompatible(writers, orders)
    graph = _graph(writers, orders)
    link_processes(graph, writers.happened)
    link_realtime(graph, writers.happened)
    return found + [shown(cycle, history) for cycle in cycles(graph, level)]


def _orders(writers: Writers) -> dict[int, tuple[int, ...]]:
    """By key the longest list that was read: of all others it should be an extension."""
    found: dict[int, tuple[int, ...]] = {}
    for _, _, read in writers.reads():
        if len(read.values or ()) > len(found.get(read.key, ())):
            found[read.key] = read.values or ()
    return found


def _incompatible(writers: Writers, orders: dict[int, tuple[int, ...]]) -> Iterator[Anomaly]:
    for _, operation, read in writers.reads():
        values, longest = read.values or (), orders.get(read.key, ())
        if values != longest[: len(values)]:
            yield Anomaly("incompatible order", (f"{read.key} was also {list(longest)}", str(operation)))


def _graph(writers: Writers, orders: dict[int, tuple[int, ...]]) -> Graph:
    graph = Graph()
    unseen: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for node, append in writers.appended():
        if append.value not in orders.get(append.key, ()):
            unseen[append.key].append((append.value, node))
    known = {
        key: [(value, writers.by_value[key, value]) for value in order if (key, value) in writers.by_value]
        for key, order in orders.items()
    }
    for key, versions in known.items():
        for (one, before), (other, after) in pairwise(versions):
            graph.link(before, after, "ww", f"{other} was appended to {key} after {one}")
    for node, _, read in writers.reads():
        values, key = read.values or (), read.key
        for value in values[-1:]:
            if (key, value) in writers.by_value:
                graph.link(writers.by_value[key, value], node, "wr", f"{value} of {key} was read")
        rest = [version for version in known.get(key, ()) if version[0] not in values]
        for value, writer in rest[:1] or unseen[key]:
            graph.link(node, writer, "rw", f"{value} of {key} was not yet read")
    return graph
