"""Metrics as Prometheus reads them: text, version 0.0.4."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_SELF, getpagesize, getrusage
from types import ModuleType
from typing import Literal, TypeAlias

from holdfast.adapter.database import Database
from holdfast.compute.maintain import Counts
from holdfast.persist import metrics as persist
from holdfast.server.http import metrics as http
from holdfast.server.http.metrics import HttpMetrics
from holdfast.server.pgwire import metrics as pgwire
from holdfast.server.pgwire.metrics import PgwireMetrics

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Kind: TypeAlias = Literal["counter", "gauge", "histogram"]
Labels: TypeAlias = Mapping[str, str]
Samples: TypeAlias = Sequence[tuple[str, Labels, float]]
"""What is added to the name, the labels, and the value."""

_PHASES = ("idle", "starting", "up", "down", "failed", "stopped")


@dataclass(frozen=True, slots=True)
class Metric:
    name: str
    kind: Kind
    help: str
    samples: Samples


def single(name: str, kind: Kind, help: str, value: float) -> Metric:
    return Metric(name, kind, help, [("", {}, value)])


def written(metrics: Iterable[Metric]) -> str:
    return "".join(f"{line}\n" for metric in metrics for line in _lines(metric))


def _lines(metric: Metric) -> Iterator[str]:
    yield f"# HELP {metric.name} {metric.help}"
    yield f"# TYPE {metric.name} {metric.kind}"
    for suffix, labels, value in metric.samples:
        said = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items())
        yield f"{metric.name}{suffix}{f'{{{said}}}' if said else ''} {_number(value)}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else repr(value)


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the numbers come from."""

    database: Database
    http: HttpMetrics
    pgwire: PgwireMetrics | None

    def metrics(self) -> Iterator[Metric]:
        yield from _process()
        yield from _adapter(self.database)
        yield from _views(self.database)
        yield from _spark(self.database)
        yield from _counters(persist, self.database.persist.metrics.counts)
        if self.pgwire is not None:
            yield from pgwire_metrics(self.pgwire)
        yield from _http(self.http)


def _counters(module: ModuleType, counts: Mapping[str, int]) -> Iterator[Metric]:
    """All that a module names, also what has not happened yet."""
    for constant, name in sorted(vars(module).items()):
        if constant.isupper() and isinstance(name, str) and name.endswith("_total"):
            yield single(name, "counter", f"{_words(name)}, since the server started.", counts.get(name, 0))


def _words(name: str) -> str:
    """`Parts written (persist)` of `holdfast_persist_parts_written_total`."""
    _, layer, *words = name.removesuffix("_total").split("_")
    return f"{' '.join(words).capitalize()} ({layer})"


def _process() -> Iterator[Metric]:
    used = getrusage(RUSAGE_SELF)
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * getpagesize()
    cpu = used.ru_utime + used.ru_stime
    yield single("process_cpu_seconds_total", "counter", "Time that the process was computing.", cpu)
    yield single("process_resident_memory_bytes", "gauge", "Memory of the process, without Spark's.", resident)


def _adapter(database: Database) -> Iterator[Metric]:
    ledger, catalog = database.ledger, database.ledger.catalog
    lag = max(0.0, time.time() - ledger.read_ts / 1000)
    yield single("holdfast_adapter_read_ts", "gauge", "The latest time that can be read, in ms.", ledger.read_ts)
    yield single("holdfast_adapter_read_ts_lag_seconds", "gauge", "How far it is behind the clock.", lag)
    yield single("holdfast_adapter_sessions", "gauge", "Sessions that are connected.", len(database.sessions))
    since: list[tuple[str, Labels, float]] = []
    upper: list[tuple[str, Labels, float]] = []
    rows: list[tuple[str, Labels, float]] = []
    for item in catalog.items.values():
        if item.kind not in ("table", "materialized-view"):
            continue
        labels = {"id": str(item.id), "name": item.name}
        for samples, frontier in zip((since, upper), ledger.tables.frontiers(item.id), strict=True):
            if frontier.time is not None:
                samples.append(("", labels, frontier.time))
        rows.append(("", labels, ledger.tables.size(item.id)))
    yield Metric(
        "holdfast_adapter_table_since", "gauge", "The earliest time that a table can be read at, in ms.", since
    )
    yield Metric("holdfast_adapter_table_upper", "gauge", "The first time that may still change a table, in ms.", upper)
    yield Metric("holdfast_adapter_table_rows", "gauge", "Rows of a table, roughly.", rows)


def _views(database: Database) -> Iterator[Metric]:
    """What maintained views have done, and how far behind they are; of indexed ones too."""
    compute, read_ts = database.ledger.maintainer.compute, database.ledger.read_ts
    names = {id: item.name for id, item in database.ledger.catalog.items.items()}
    flows = [({"id": str(flow.id), "name": names.get(flow.id, "")}, flow) for flow in compute.statuses()]
    lags: Samples = [("", labels, max(0, read_ts - flow.complete) / 1000) for labels, flow in flows]
    yield Metric("holdfast_adapter_view_lag_seconds", "gauge", "How far a view is behind what can be read.", lags)
    counted: Sequence[tuple[str, str, Callable[[Counts], float]]] = (
        ("steps_total", "Steps that a view has made.", lambda counts: counts.steps),
        ("updates_in_total", "Updates of inputs that its steps took.", lambda counts: counts.updates_in),
        ("updates_out_total", "Updates of the view that they made.", lambda counts: counts.updates_out),
        ("step_seconds_total", "Time that they took, all together.", lambda counts: counts.seconds),
        ("failures_total", "Times that a view had to be tried again.", lambda counts: counts.failures),
    )
    for name, text, count in counted:
        samples: Samples = [("", labels, count(flow.counts)) for labels, flow in flows]
        yield Metric(f"holdfast_adapter_view_{name}", "counter", text, samples)
    rows, nbytes = compute.arranged()
    yield single("holdfast_adapter_arranged_updates", "gauge", "Updates that views keep in memory to look up.", rows)
    yield single("holdfast_adapter_arranged_bytes", "gauge", "Bytes that these take.", nbytes)


def _spark(database: Database) -> Iterator[Metric]:
    runtime, counts = database.runtime, database.runtime.counts
    states = [("", {"state": phase}, int(runtime.state.phase == phase)) for phase in _PHASES]
    yield Metric("holdfast_spark_state", "gauge", "1 for the state that Spark is in.", states)
    yield single("holdfast_spark_starts_total", "counter", "Times that Spark was started.", counts.starts)
    yield single("holdfast_spark_deaths_total", "counter", "Times that Spark died.", counts.deaths)
    yield single("holdfast_spark_jobs_total", "counter", "Jobs that were begun.", counts.jobs)
    yield single("holdfast_spark_jobs_failed_total", "counter", "Jobs that failed.", counts.failed)
    yield single("holdfast_spark_jobs_cancelled_total", "counter", "Jobs that were cancelled.", counts.cancelled)
    yield single("holdfast_spark_jobs_running", "gauge", "Jobs that run now.", runtime.running)
    yield single("holdfast_spark_job_seconds_total", "counter", "Time that jobs took, all together.", counts.seconds)


def pgwire_metrics(metrics: PgwireMetrics) -> Iterator[Metric]:
    yield from _counters(pgwire, metrics.counts)
    errors: Samples = [("", {"code": code}, count) for code, count in sorted(metrics.errors.items())]
    yield Metric("holdfast_pgwire_errors_total", "counter", "Errors that clients were told, by SQLSTATE.", errors)
    yield single("holdfast_pgwire_connections", "gauge", "Connections that are open.", metrics.connections)
    yield single("holdfast_pgwire_sessions", "gauge", "Connections that are logged in.", metrics.sessions)
    histogram = _histogram(pgwire.BOUNDS, metrics.seconds, metrics.seconds_sum)
    yield Metric(pgwire.SECONDS, "histogram", "Time that statements took.", histogram)


def _http(metrics: HttpMetrics) -> Iterator[Metric]:
    yield from _counters(http, metrics.counts)
    yield single("holdfast_http_websockets", "gauge", "WebSockets that are open.", metrics.sockets)
    histogram = _histogram(http.BOUNDS, metrics.seconds, metrics.seconds_sum)
    yield Metric(http.SECONDS, "histogram", "Time that requests for SQL took.", histogram)


def _histogram(bounds: Sequence[float], counts: Sequence[int], seconds: float) -> Samples:
    """Of counts between the bounds: Prometheus wants those up to each bound."""
    samples: list[tuple[str, Labels, float]] = []
    total = 0
    for bound, count in zip((*map(str, bounds), "+Inf"), counts, strict=True):
        total += count
        samples.append(("_bucket", {"le": bound}, total))
    return [*samples, ("_sum", {}, seconds), ("_count", {}, total)]
