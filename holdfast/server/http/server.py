"""The HTTP server: where each path leads, who may take it, and how it ends."""

from __future__ import annotations

import logging

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from holdfast.adapter.client_errors import ClientGone, CrossSite, InternalError, PasswordRefused, RequestMalformed
from holdfast.adapter.database import Database
from holdfast.errors import HoldfastError
from holdfast.server.http.guard import admitted, basic, check_site
from holdfast.server.http.metrics import (
    CROSS_SITE_REFUSED,
    INTERNAL_ERRORS,
    LOGINS_FAILED,
    REQUESTS,
    HttpMetrics,
)
from holdfast.server.http.prometheus import CONTENT_TYPE, Sources, written
from holdfast.server.http.settings import HttpSettings
from holdfast.server.http.shapes import encoded, error_object
from holdfast.server.http.socket import SocketApi
from holdfast.server.http.sql import SqlApi
from holdfast.server.pgwire.metrics import PgwireMetrics
from holdfast.server.pgwire.startup import check_address

log = logging.getLogger(__name__)

_HEADERS = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Server": "holdfast"}


class Server:
    """Started by `serve`. After `stop` nothing of it runs."""

    def __init__(self, runner: web.AppRunner, metrics: HttpMetrics) -> None:
        self._runner, self.metrics = runner, metrics

    @property
    def port(self) -> int:
        """Where it listens: the one that was asked for, or the one that the system chose instead of 0."""
        return int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        """Let requests end within the settings' time, then break them off."""
        await self._runner.cleanup()


class _Pages:
    def __init__(self, database: Database, settings: HttpSettings, sources: Sources) -> None:
        self._database, self._settings, self._sources = database, settings, sources

    async def live(self, request: web.Request) -> web.StreamResponse:  # noqa: ARG002  # whatever it asks
        return web.Response(text="alive\n")

    async def ready(self, request: web.Request) -> web.StreamResponse:  # noqa: ARG002
        failure = self._database.ledger.failure
        if failure is not None:
            raise web.HTTPServiceUnavailable(text=f"not ready: {failure}\n")
        return web.Response(text="ready\n")

    async def metrics(self, request: web.Request) -> web.StreamResponse:
        await admitted(self._database, request, basic(request.headers.get("Authorization")), self._settings)
        text = written(self._sources.metrics())
        return web.Response(body=text.encode(), headers={"Content-Type": CONTENT_TYPE})


async def serve(
    database: Database,
    host: str,
    port: int,
    settings: HttpSettings | None = None,
    *,
    metrics: HttpMetrics | None = None,
    pgwire: PgwireMetrics | None = None,
) -> Server:
    """A server that listens. Port 0 is any that is free. `pgwire` are metrics to show beside its own."""
    settings, metrics = settings or HttpSettings(), metrics or HttpMetrics()
    check_address(host, settings.authentication, forced=settings.force_trust)
    app = web.Application(middlewares=[_guarded(settings, metrics)], client_max_size=settings.body_limit)
    pages, sockets = (
        _Pages(database, settings, Sources(database, metrics, pgwire)),
        SocketApi(database, settings, metrics),
    )
    app.router.add_post("/api/sql", SqlApi(database, settings, metrics).handle)
    app.router.add_get("/api/experimental/sql", sockets.handle)
    app.router.add_get("/api/livez", pages.live)
    app.router.add_get("/api/readyz", pages.ready)
    app.router.add_get("/metrics", pages.metrics)

    async def closing(_: web.Application) -> None:
        await sockets.close()

    app.on_shutdown.append(closing)
    # A client that goes away cancels its request, and with it the jobs of Spark's.
    runner = web.AppRunner(
        app, access_log=None, handler_cancellation=True, shutdown_timeout=settings.stop_timeout, handle_signals=False
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port, ssl_context=settings.tls).start()
    except BaseException:
        await runner.cleanup()
        raise
    return Server(runner, metrics)


def _guarded(settings: HttpSettings, metrics: HttpMetrics) -> Middleware:
    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        metrics.add(REQUESTS)
        try:
            check_site(request, settings)
            response = await handler(request)
        except CrossSite as error:
            metrics.add(CROSS_SITE_REFUSED)
            response = web.Response(status=403, text=f"{error}\n")
        except PasswordRefused as error:
            metrics.add(LOGINS_FAILED)
            response = _refused(401, error)
            response.headers["WWW-Authenticate"] = 'Basic realm="holdfast", charset="UTF-8"'
        except RequestMalformed as error:
            response = _refused(400, error)
        except ClientGone:
            raise
        except HoldfastError as error:
            response = _refused(503, error)
        except web.HTTPException as error:
            error.headers.update(_HEADERS)
            raise
        except Exception:
            log.exception("request failed", extra={"path": request.path})
            metrics.add(INTERNAL_ERRORS)
            response = _refused(500, InternalError())
        if not response.prepared:
            response.headers.update(_HEADERS)
        return response

    return guarded


def _refused(status: int, error: HoldfastError) -> web.Response:
    return web.Response(status=status, text=encoded({"error": error_object(error)}), content_type="application/json")
