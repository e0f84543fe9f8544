"""What can be set about the wire server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

Authentication: TypeAlias = Literal["trust", "loopback", "password"]
"""Who must show a password: nobody, those who come from another machine, everyone."""


@dataclass(frozen=True, slots=True)
class PgwireSettings:
    """Sizes are in bytes, times in seconds.

    - `authentication` of `trust` is refused on addresses that other machines reach, unless `force_trust`.
    - TLS is offered with `certificate` and `key`, or with a self-signed certificate that is kept in `tls_folder`;
      without any of them it is not. `require_tls` refuses connections from other machines without it.
    - `message_limit` bounds a message, and with it what a connection holds of what it was sent.
    - `connection_limit` bounds sessions; `pending_limit` bounds connections that have not yet said who they are.
    """

    authentication: Authentication = "loopback"
    force_trust: bool = False
    certificate: Path | None = None
    key: Path | None = None
    tls_folder: Path | None = None
    require_tls: bool = False
    connection_limit: int = 5000
    pending_limit: int = 1000
    message_limit: int = 256 << 20
    startup_timeout: float = 60.0
    stop_timeout: float = 10.0
