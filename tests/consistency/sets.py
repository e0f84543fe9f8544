"""Set-append: every key is a set of rows, so a read tells which values there were, but not since when.

Nothing is ever removed. So a transaction is before every read that has a value of it, and after every read of the key
that lacks one. That is all there is to know, and enough: a history is serializable if and only if it has no cycle.
"""

from __future__ import annotations

from collections import defaultdict

from tests.consistency.anomaly import Anomaly
from tests.consistency.graph import Graph, Level, cycles, link_processes, link_realtime, shown
from tests.consistency.reads import bad_reads
from tests.consistency.transactions import Transactions, Writers


def check_sets(history: Transactions, level: Level = "strict") -> list[Anomaly]:
    writers = Writers(history)
    found = list(bad_reads(writers, lists=False))
    graph = _graph(writers)
    link_processes(graph, writers.happened)
    link_realtime(graph, writers.happened)
    return found + [shown(cycle, history) for cycle in cycles(graph, level)]


def _graph(writers: Writers) -> Graph:
    graph = Graph()
    appended: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for node, append in writers.appended():
        appended[append.key].append((node, append.value))
    for node, _, read in writers.reads():
        values = set(read.values or ())
        for writer, value in appended[read.key]:
            if value in values:
                graph.link(writer, node, "wr", f"{value} of {read.key} was read")
            else:
                graph.link(node, writer, "rw", f"{value} of {read.key} was not yet read")
    return graph
