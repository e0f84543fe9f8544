"""The wire server: it listens, bounds how many are connected, and stops without breaking off what runs."""

from __future__ import annotations

import asyncio
import logging

from holdfast.adapter.client_errors import ClientGone, InternalError, ServerStopping
from holdfast.adapter.database import Database
from holdfast.adapter.errors import LoginRefused, TooManySessions
from holdfast.adapter.session.session import Session
from holdfast.adapter.sqlstate import sqlstate
from holdfast.errors import HoldfastError
from holdfast.server.pgwire import backend
from holdfast.server.pgwire.channel import Channel
from holdfast.server.pgwire.conversation import Conversation
from holdfast.server.pgwire.frontend import Cancel, Startup
from holdfast.server.pgwire.metrics import (
    CANCEL_REQUESTS,
    CONNECTIONS,
    CONNECTIONS_REFUSED,
    INTERNAL_ERRORS,
    LOGINS_FAILED,
    PgwireMetrics,
)
from holdfast.server.pgwire.outbox import Outbox
from holdfast.server.pgwire.settings import PgwireSettings
from holdfast.server.pgwire.startup import (
    Peer,
    authenticate,
    check_address,
    negotiated,
    open_channel,
    wanted,
)
from holdfast.server.pgwire.tls import Tls, load_tls, self_signed

log = logging.getLogger(__name__)

_BACKLOG = 1024
_GIVE_UP = 5.0
"""For so many seconds a statement can end after it was cancelled, when the server stops."""


class Server:
    """Started by `serve`. After `stop` nobody is connected and nothing of it runs."""

    def __init__(self, database: Database, settings: PgwireSettings, tls: Tls | None, metrics: PgwireMetrics) -> None:
        self._database, self._settings, self._tls = database, settings, tls
        self.metrics = metrics
        self._outbox = Outbox(asyncio.get_running_loop())
        self._listening: asyncio.Server | None = None
        self._connections: dict[asyncio.Task[None], Channel] = {}
        self._pending = 0
        self._stopping = False

    async def listen(self, host: str, port: int) -> None:
        loop = asyncio.get_running_loop()
        self._listening = await loop.create_server(self._channel, host, port, backlog=_BACKLOG)

    @property
    def port(self) -> int:
        """Where it listens: the one that was asked for, or the one that the system chose instead of 0."""
        if self._listening is None:
            return 0
        return int(self._listening.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Tells the idle ones, lets statements end within the settings' time, and then breaks them off."""
        self._stopping = True
        if self._listening is not None:
            self._listening.close()
        for channel in self._connections.values():
            channel.end_when_idle(ServerStopping())
        await self._ended(self._settings.stop_timeout)
        for channel in self._connections.values():
            channel.interrupt(ServerStopping())
            if channel.cancel is not None:
                channel.cancel()
        await self._ended(_GIVE_UP)
        for channel in self._connections.values():
            channel.abort()
        await self._ended(_GIVE_UP)
        for task in self._connections:
            task.cancel()
        await self._ended(_GIVE_UP)

    async def _ended(self, timeout: float) -> None:
        if self._connections:
            await asyncio.wait(list(self._connections), timeout=timeout)

    # Connections.

    def _channel(self) -> Channel:
        return Channel(self._settings.message_limit, self.metrics, self._outbox, self._made)

    def _made(self, channel: Channel) -> None:
        self.metrics.add(CONNECTIONS)
        if self._stopping or self._pending >= self._settings.pending_limit:
            self.metrics.add(CONNECTIONS_REFUSED)
            channel.abort()
            return
        self._pending += 1
        self.metrics.connections += 1
        task = asyncio.get_running_loop().create_task(self._connection(channel))
        self._connections[task] = channel
        task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        del self._connections[task]
        self.metrics.connections -= 1

    async def _connection(self, channel: Channel) -> None:
        try:
            session = await self._logged_in(channel)
            if session is not None:
                await self._converse(channel, session)
        except ClientGone:
            pass
        except HoldfastError as error:
            self._last_word(channel, error)
        except Exception:
            log.exception("connection failed")
            self.metrics.add(INTERNAL_ERRORS)
            self._last_word(channel, InternalError())
        finally:
            channel.close()
            await channel.gone()

    def _last_word(self, channel: Channel, error: HoldfastError) -> None:
        self.metrics.errors[sqlstate(error)] += 1
        channel.write(backend.error_response(error, "FATAL"))

    async def _logged_in(self, channel: Channel) -> Session | None:
        """The session that a client may have, or None if it wanted none."""
        loop = asyncio.get_running_loop()
        deadline = loop.call_later(self._settings.startup_timeout, channel.abort)
        try:
            return await self._start(channel)
        finally:
            deadline.cancel()
            self._pending -= 1

    async def _start(self, channel: Channel) -> Session | None:
        asked, encrypted = await open_channel(channel, self._tls)
        if isinstance(asked, Cancel):
            self.metrics.add(CANCEL_REQUESTS)
            self._database.cancel(asked.connection, asked.secret)
            return None
        notice = negotiated(asked)
        if notice is not None:
            channel.write(notice)
        if self.metrics.sessions >= self._settings.connection_limit:
            self.metrics.add(CONNECTIONS_REFUSED)
            raise TooManySessions("sorry, too many clients already")
        return await self._login(channel, asked, encrypted=encrypted)

    async def _login(self, channel: Channel, startup: Startup, *, encrypted: bool) -> Session:
        peer = _peer(channel)
        want = wanted(startup)
        if self._settings.require_tls and not encrypted and not peer.is_local:
            raise LoginRefused(f'connections from host "{peer.host}" must use TLS')
        try:
            if self._settings.authentication == "password" or not (
                self._settings.authentication == "trust" or peer.is_local
            ):
                binding = self._tls.binding if self._tls is not None and encrypted else None
                await authenticate(channel, want.user, self._database.verifier(want.user), binding)
            session = await self._database.connect(want.user, want.database, want.options, str(peer))
        except ClientGone:
            raise
        except HoldfastError:
            self.metrics.add(LOGINS_FAILED)
            raise
        channel.authenticated()
        channel.write(backend.AUTHENTICATION_OK)
        return session

    async def _converse(self, channel: Channel, session: Session) -> None:
        self.metrics.sessions += 1
        conversation = Conversation(channel, session, self.metrics)
        channel.cancel, session.on_terminate = session.cancel, channel.end_when_idle
        try:
            for name, value in session.parameters():
                channel.write(backend.parameter_status(name, value))
            channel.write(backend.backend_key(session.id, session.secret))
            await conversation.run()
        finally:
            channel.cancel = session.on_terminate = None
            self.metrics.sessions -= 1
            await conversation.close()
            await self._database.disconnect(session)


def _peer(channel: Channel) -> Peer:
    name = channel.transport.get_extra_info("peername")
    return Peer(name[0], name[1]) if isinstance(name, tuple) else Peer(None, None)


async def serve(
    database: Database, host: str, port: int, settings: PgwireSettings, metrics: PgwireMetrics | None = None
) -> Server:
    """A server that listens. Port 0 is any that is free."""
    check_address(host, settings.authentication, forced=settings.force_trust)
    server = Server(database, settings, await asyncio.to_thread(_tls, settings, host), metrics or PgwireMetrics())
    await server.listen(host, port)
    return server


def _tls(settings: PgwireSettings, host: str) -> Tls | None:
    if settings.certificate is not None and settings.key is not None:
        return load_tls(settings.certificate, settings.key)
    return None if settings.tls_folder is None else load_tls(*self_signed(settings.tls_folder, host))
