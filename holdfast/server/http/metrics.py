"""Counters of one HTTP server. Passed in, never global."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

REQUESTS = "holdfast_http_requests_total"
CROSS_SITE_REFUSED = "holdfast_http_cross_site_refused_total"
LOGINS_FAILED = "holdfast_http_logins_failed_total"
SOCKETS = "holdfast_http_websockets_total"
STATEMENTS = "holdfast_http_statements_total"
ROWS_SENT = "holdfast_http_rows_sent_total"
INTERNAL_ERRORS = "holdfast_http_internal_errors_total"


@dataclass(slots=True)
class HttpMetrics:
    """What has happened since the server started, by metric name; `sockets` are open now."""

    counts: Counter[str] = field(default_factory=Counter)
    sockets: int = 0

    def add(self, name: str, amount: int = 1) -> None:
        self.counts[name] += amount
