"""Graphs of what must have come before what, and their cycles.

An edge says why one transaction is before another:

- `ww`: it wrote a version that the other replaced;
- `wr`: the other read what it wrote;
- `rw`: it read a version that the other replaced;
- `process`: one process asked for it before the other;
- `realtime`: it was over before the other began.

A cycle is an anomaly, which the kinds of its edges name, as Adya did: G0 has only `ww`, G1c also `wr`, G-single one
`rw`, G2 more of them. If it needs an edge of `process` or `realtime`, the transactions are serializable without that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tests.consistency.anomaly import Anomaly
from tests.consistency.history import History, Operation, Value

Kind: TypeAlias = Literal["ww", "wr", "rw", "process", "realtime"]
Level: TypeAlias = Literal["serializable", "strong session", "strict"]

_ORDER: tuple[Kind, ...] = ("ww", "wr", "rw", "process", "realtime")
_STARTS = 200
"""How many transactions of one tangle are looked at for its shortest cycle."""


@dataclass(frozen=True, slots=True)
class Edge:
    before: int
    after: int
    kind: Kind
    why: str


@dataclass(frozen=True, slots=True)
class Cycle:
    kind: str
    edges: tuple[Edge, ...]


@dataclass(slots=True)
class Graph:
    """Nodes are numbers. Between two of them there may be an edge of each kind."""

    after: dict[int, dict[int, dict[Kind, Edge]]] = field(default_factory=dict)

    def link(self, before: int, after: int, kind: Kind, why: str) -> None:
        """One transaction is before another. None is before itself."""
        if before != after:
            self.after.setdefault(before, {}).setdefault(after, {}).setdefault(kind, Edge(before, after, kind, why))

    def edges(self, kinds: Collection[Kind], within: Collection[int]) -> Iterator[Edge]:
        for before in within:
            yield from self.from_(before, kinds, within)

    def from_(self, before: int, kinds: Collection[Kind], within: Collection[int]) -> Iterator[Edge]:
        """For each node right after one, the first of the kinds that an edge to it has."""
        for after, found in self.after.get(before, {}).items():
            if after in within:
                kind = next((kind for kind in _ORDER if kind in kinds and kind in found), None)
                if kind is not None:
                    yield found[kind]

    def path(self, start: int, end: int, kinds: Collection[Kind], within: Collection[int]) -> list[Edge] | None:
        """The shortest way from one node to another, which is not empty."""
        reached: dict[int, Edge] = {}
        queue = deque([start])
        while queue:
            for edge in self.from_(queue.popleft(), kinds, within):
                if edge.after in reached:
                    continue
                reached[edge.after] = edge
                if edge.after == end:
                    return _way(reached, start, end)
                queue.append(edge.after)
        return None


def _way(reached: dict[int, Edge], start: int, end: int) -> list[Edge]:
    found = [reached[end]]
    while found[-1].before != start:
        found.append(reached[found[-1].before])
    return found[::-1]


def link_processes(graph: Graph, operations: Sequence[tuple[int, Operation[Value]]]) -> None:
    """Each operation of a process is before its next."""
    last: dict[int, int] = {}
    for node, operation in sorted(operations, key=lambda pair: pair[1].invoked):
        if operation.process in last:
            graph.link(last[operation.process], node, "process", f"process {operation.process} asked for it first")
        last[operation.process] = node


def link_realtime(graph: Graph, operations: Sequence[tuple[int, Operation[Value]]]) -> None:
    """What was over is before what began then. Only edges that do not follow from others are made."""
    events: list[tuple[int, bool, int]] = []
    for node, operation in operations:
        events.append((operation.invoked, True, node))
        if operation.completed is not None:
            events.append((operation.completed, False, node))
    over: set[int] = set()
    before: dict[int, frozenset[int]] = {}
    for _, begins, node in sorted(events):
        if begins:
            before[node] = frozenset(over)
            for other in over:
                graph.link(other, node, "realtime", "it was over before the other began")
        else:
            over -= before[node]
            over.add(node)


def shown(cycle: Cycle, history: History[Value]) -> Anomaly:
    """The cycle as what it shows: each operation, and why it is before the next."""
    lines: list[str] = []
    for edge in cycle.edges:
        lines += [str(history[edge.before]), f"  {edge.kind}: {edge.why}"]
    return Anomaly(cycle.kind, (*lines, f"{history[cycle.edges[0].before]} again"))


def cycles(graph: Graph, level: Level = "strict") -> list[Cycle]:
    """One cycle of each tangle, of the worst kind that the tangle has."""
    extras: list[tuple[str, tuple[Kind, ...]]] = [("", ())]
    if level != "serializable":
        extras.append(("-process", ("process",)))
    if level == "strict":
        extras.append(("-realtime", ("process", "realtime")))
    allowed = ("ww", "wr", "rw", *extras[-1][1])
    return [_worst(graph, tangle, extras) for tangle in tangles(graph, allowed)]


def _worst(graph: Graph, tangle: Collection[int], extras: Iterable[tuple[str, tuple[Kind, ...]]]) -> Cycle:
    for suffix, extra in extras:
        for name, kinds in (("G0", ("ww", *extra)), ("G1c", ("ww", "wr", *extra))):
            found = _shortest(graph, tangle, kinds)
            if found is not None:
                return Cycle(name + suffix, tuple(found))
        found = _single(graph, tangle, ("ww", "wr", *extra))
        if found is not None:
            return Cycle("G-single" + suffix, tuple(found))
        found = _shortest(graph, tangle, ("ww", "wr", "rw", *extra))
        if found is not None:
            return Cycle("G2" + suffix, tuple(found))
    raise AssertionError("a tangle has a cycle")


def _shortest(graph: Graph, tangle: Collection[int], kinds: Collection[Kind]) -> list[Edge] | None:
    best: list[Edge] | None = None
    inner = [node for part in tangles(graph, kinds, tangle) for node in part]
    for node in inner[:_STARTS]:
        found = graph.path(node, node, kinds, tangle)
        if found is not None and (best is None or len(found) < len(best)):
            best = found
        if best is not None and len(best) == 2:
            break
    return best


def _single(graph: Graph, tangle: Collection[int], kinds: Collection[Kind]) -> list[Edge] | None:
    best: list[Edge] | None = None
    anti: tuple[Kind, ...] = ("rw",)
    for edge in graph.edges(anti, tangle):
        back = graph.path(edge.after, edge.before, kinds, tangle)
        if back is not None and (best is None or len(back) + 1 < len(best)):
            best = [edge, *back]
        if best is not None and len(best) == 2:
            break
    return best


def tangles(graph: Graph, kinds: Collection[Kind], within: Collection[int] | None = None) -> list[frozenset[int]]:
    """The strongly connected components with more than one node (Tarjan's algorithm, without recursion)."""
    nodes = (
        set(within) if within is not None else {*graph.after, *(to for found in graph.after.values() for to in found)}
    )
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    open_: set[int] = set()
    found: list[frozenset[int]] = []
    for root in nodes:
        if root in index:
            continue
        work = [(root, graph.from_(root, kinds, nodes))]
        index[root] = low[root] = len(index)
        stack.append(root)
        open_.add(root)
        while work:
            node, edges = work[-1]
            for edge in edges:
                if edge.after not in index:
                    index[edge.after] = low[edge.after] = len(index)
                    stack.append(edge.after)
                    open_.add(edge.after)
                    work.append((edge.after, graph.from_(edge.after, kinds, nodes)))
                    break
                if edge.after in open_:
                    low[node] = min(low[node], index[edge.after])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part: set[int] = set()
                    while node not in part:
                        part.add(stack.pop())
                    open_ -= part
                    if len(part) > 1:
                        found.append(frozenset(part))
    return found
