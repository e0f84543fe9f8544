"""PostgreSQL's wire protocol, version 3: sessions for any client that speaks it."""

from holdfast.server.pgwire.metrics import PgwireMetrics
from holdfast.server.pgwire.server import Server, serve
from holdfast.server.pgwire.settings import Authentication, PgwireSettings

__all__ = ["Authentication", "PgwireMetrics", "PgwireSettings", "Server", "serve"]
