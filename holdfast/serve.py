"""`holdfast serve`: the server, from its settings to its end.

It answers as soon as the store is open. Spark starts beside it, and whatever needs no Spark does not wait for it; what
HTTP needs is loaded beside it too, and what the first query about the catalog needs is made.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
from collections.abc import Awaitable
from importlib import import_module
from typing import Protocol, TypeVar

import uvloop

from holdfast.adapter.catalog.builtin.registry import system_relations
from holdfast.adapter.client_errors import CannotListen
from holdfast.adapter.database import Database
from holdfast.adapter.owned import owned
from holdfast.errors import HoldfastError
from holdfast.repr.frontier import MAX_TIME
from holdfast.server.http.settings import DEFAULT_USER, HttpSettings
from holdfast.server.logs import log_to_stderr
from holdfast.server.pgwire import server as pgwire
from holdfast.server.pgwire.metrics import PgwireMetrics
from holdfast.server.pgwire.settings import PgwireSettings
from holdfast.server.pgwire.tls import load_tls, self_signed
from holdfast.server.settings import Address, ServerSettings

log = logging.getLogger(__name__)

Listening = TypeVar("Listening")

_TURN = 0.001
"""Seconds for which a thread runs Python while another wants to. With Python's own 5 ms, a thread that steps a view
lets the loop, which gives up its turn whenever it waits for clients, answer a handful of reads in each of these."""


class Server(Protocol):
    """Of the wire protocol, or of HTTP."""

    async def stop(self) -> None: ...


def serve(settings: ServerSettings) -> int:
    """Serve until a signal ends it; returns the exit status."""
    log_to_stderr(settings.log_level)
    sys.setswitchinterval(_TURN)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_serve(settings))


async def _serve(settings: ServerSettings) -> int:
    stopping = asyncio.Event()
    _stop_on_signals(stopping)
    log.info("starting", extra={"data": settings.data_dir, "pid": os.getpid()})
    async with owned(settings.data_dir, settings.database, take_over=settings.take_over) as database:
        servers, said = await _listening(database, settings)
        # All that was imported stays. To look through it for garbage again and again would stop everyone for a tenth
        # of a second each time.
        gc.freeze()
        warming = asyncio.create_task(asyncio.to_thread(system_relations))
        try:
            print(said, flush=True)
            failure = await _failure(database, stopping)
            log.info("stopping")
            await warming
        finally:
            await asyncio.gather(*(server.stop() for server in servers))
    if failure is not None:
        raise failure
    log.info("stopped")
    return 0


def _stop_on_signals(stopping: asyncio.Event) -> None:
    """The first signal ends the server in good order, the second at once: nothing that was acknowledged is lost."""

    def received() -> None:
        if stopping.is_set():
            log.warning("ended by a second signal")
            os._exit(1)
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, received)


async def _failure(database: Database, stopping: asyncio.Event) -> HoldfastError | None:
    """Wait for the end: why the database cannot go on, or None if it is to stop."""
    stopped = asyncio.create_task(stopping.wait())
    # Nobody can read at the end of time, so this ends only if the ledger does.
    ledger = asyncio.create_task(database.ledger.wait_until(MAX_TIME))
    await asyncio.wait({stopped, ledger}, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    ledger.cancel()
    await asyncio.gather(stopped, ledger, return_exceptions=True)
    return database.ledger.failure


async def _listening(database: Database, settings: ServerSettings) -> tuple[list[Server], str]:
    """The servers, and what to say when they are ready."""
    metrics = PgwireMetrics()
    listen, site = settings.listen, settings.http
    wire_settings = pgwire_settings(settings)
    wire = await _at(listen, pgwire.serve(database, listen.host, listen.port, wire_settings, metrics))
    said = f"holdfast is ready: postgresql://{DEFAULT_USER}@{Address(listen.host, wire.port)}/materialize"
    if site is None:
        return [wire], said
    try:
        # In a thread, since others are answered meanwhile.
        await asyncio.to_thread(import_module, "holdfast.server.http.server")
        from holdfast.server.http import server as http

        page_settings = await asyncio.to_thread(http_settings, settings, wire_settings)
        pages = await _at(site, http.serve(database, site.host, site.port, page_settings, pgwire=metrics))
    except BaseException:
        await wire.stop()
        raise
    scheme = "http" if page_settings.tls is None else "https"
    return [wire, pages], f"{said} {scheme}://{Address(site.host, pages.port)}"


def pgwire_settings(settings: ServerSettings) -> PgwireSettings:
    return PgwireSettings(
        authentication=settings.authentication,
        force_trust=settings.force_trust,
        certificate=settings.tls_certificate,
        key=settings.tls_key,
        tls_folder=settings.data_dir / "tls" if settings.tls_self_signed else None,
        require_tls=settings.require_tls,
        connection_limit=settings.max_connections,
    )


def http_settings(settings: ServerSettings, wire: PgwireSettings) -> HttpSettings:
    """Where the wire server offers TLS, all of HTTP is HTTPS, with the same certificate."""
    tls = None
    if wire.certificate is not None and wire.key is not None:
        tls = load_tls(wire.certificate, wire.key).context
    elif wire.tls_folder is not None:
        tls = load_tls(*self_signed(wire.tls_folder, settings.listen.host)).context
    return HttpSettings(
        authentication=settings.authentication,
        force_trust=settings.force_trust,
        hosts=tuple(host.lower() for host in settings.http_hosts),
        tls=tls,
    )


async def _at(address: Address, listening: Awaitable[Listening]) -> Listening:
    try:
        return await listening
    except OSError as error:
        raise CannotListen(f"cannot listen on {address}: {os.strerror(error.errno or 0).lower()}") from error
