"""Counters of one HTTP server. Passed in, never global."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field

REQUESTS = "holdfast_http_requests_total"
CROSS_SITE_REFUSED = "holdfast_http_cross_site_refused_total"
LOGINS_FAILED = "holdfast_http_logins_failed_total"
SOCKETS = "holdfast_http_websockets_total"
STATEMENTS = "holdfast_http_statements_total"
ROWS_SENT = "holdfast_http_rows_sent_total"
INTERNAL_ERRORS = "holdfast_http_internal_errors_total"

SECONDS = "holdfast_http_request_seconds"
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The buckets of `holdfast_http_request_seconds`; the last one has no end."""


@dataclass(slots=True)
class HttpMetrics:
    """What has happened since the server started, by metric name; `sockets` are open now.

    `seconds[i]` counts the requests for SQL by the least bound that is not below the time they took.
    """

    counts: Counter[str] = field(default_factory=Counter)
    seconds: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    seconds_sum: float = 0.0
    sockets: int = 0

    def add(self, name: str, amount: int = 1) -> None:
        self.counts[name] += amount

    def took(self, seconds: float) -> None:
        self.seconds[bisect_left(BOUNDS, seconds)] += 1
        self.seconds_sum += seconds
