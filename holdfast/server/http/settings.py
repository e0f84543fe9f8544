"""What can be set about the HTTP server."""

from __future__ import annotations

import ssl
from dataclasses import dataclass

from holdfast.server.pgwire.settings import Authentication

DEFAULT_USER = "materialize"
"""Who asks, if that is not said."""


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """Sizes are in bytes, times in seconds.

    - `authentication` is as for the wire protocol, with passwords by the Basic scheme.
    - `hosts` are names by which browsers may call, beside `localhost` and addresses in numbers. Those who need no
      password are answered only under such names: a page of another site could otherwise call under a name of its own
      that it lets point here.
    - `tls` makes it HTTPS.
    - `body_limit` bounds a request, or a message of a WebSocket; `body_timeout` is how long a request may take to come.
    """

    authentication: Authentication = "loopback"
    force_trust: bool = False
    hosts: tuple[str, ...] = ()
    tls: ssl.SSLContext | None = None
    body_limit: int = 64 << 20
    body_timeout: float = 60.0
    login_timeout: float = 60.0
    stop_timeout: float = 10.0
