"""Counters of one wire server. Passed in, never global."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field

CONNECTIONS = "holdfast_pgwire_connections_total"
CONNECTIONS_REFUSED = "holdfast_pgwire_connections_refused_total"
LOGINS_FAILED = "holdfast_pgwire_logins_failed_total"
CANCEL_REQUESTS = "holdfast_pgwire_cancel_requests_total"
QUERIES = "holdfast_pgwire_queries_total"
EXECUTIONS = "holdfast_pgwire_executions_total"
ROWS_SENT = "holdfast_pgwire_rows_sent_total"
BYTES_RECEIVED = "holdfast_pgwire_received_bytes_total"
BYTES_SENT = "holdfast_pgwire_sent_bytes_total"
INTERNAL_ERRORS = "holdfast_pgwire_internal_errors_total"

SECONDS = "holdfast_pgwire_statement_seconds"
BOUNDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The buckets of `holdfast_pgwire_statement_seconds`; the last one has no end."""


@dataclass(slots=True)
class PgwireMetrics:
    """What has happened since the server started, by metric name; and what is open now.

    - `errors` counts what clients were told, by SQLSTATE.
    - `seconds[i]` counts the messages that ran statements to their end, by the least bound not below the time it took.
    """

    counts: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    seconds: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    seconds_sum: float = 0.0
    connections: int = 0
    sessions: int = 0

    def add(self, name: str, amount: int = 1) -> None:
        self.counts[name] += amount

    def took(self, seconds: float) -> None:
        self.seconds[bisect_left(BOUNDS, seconds)] += 1
        self.seconds_sum += seconds
