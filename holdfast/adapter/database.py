"""A database: durable tables on a timeline, and the sessions that ask of it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

from holdfast.adapter.catalog.builtin import SessionEntry
from holdfast.adapter.catalog.decision import Decision
from holdfast.adapter.catalog.objects import Role
from holdfast.adapter.catalog.state import CatalogState, Change
from holdfast.adapter.errors import InvalidVariableValue, LoginRefused, SessionEnded, TooManySessions
from holdfast.adapter.ledger import Ledger, LedgerSettings
from holdfast.adapter.results import Notice
from holdfast.adapter.runtime import RuntimeSettings, SparkRuntime
from holdfast.adapter.session.peek import Peeks
from holdfast.adapter.session.session import Session
from holdfast.adapter.session.shared import Shared, microseconds
from holdfast.adapter.session.state import SessionState
from holdfast.adapter.session.variables import VARIABLES, Variables, checked, variable
from holdfast.adapter.sqlstate import sqlstate
from holdfast.persist import Location, Persist, PersistSettings
from holdfast.persist.blob import Blob
from holdfast.persist.metadata import Metadata
from holdfast.spark import SparkSettings

_MAX_SESSIONS = 5000
_SECRET_BITS = 32


@dataclass(frozen=True)
class DatabaseSettings:
    """`reentrance_id` lets its bearer take the store over from whoever opened it with the same.

    `metadata` and `blob` may be given opened, as in `Persist.open_writer`. Without `eager_spark`, Spark is started by
    the first query that needs it.
    """

    location: Location
    spark: SparkSettings = field(default_factory=SparkSettings)
    persist: PersistSettings = field(default_factory=PersistSettings)
    ledger: LedgerSettings = field(default_factory=LedgerSettings)
    runtime: RuntimeSettings = field(default_factory=RuntimeSettings)
    reentrance_id: str | None = None
    max_sessions: int = _MAX_SESSIONS
    eager_spark: bool = True
    metadata: Metadata | None = None
    blob: Blob | None = None


class Database:
    """Made by `open`, ended by `stop`."""

    def __init__(self, persist: Persist, ledger: Ledger, runtime: SparkRuntime, settings: DatabaseSettings) -> None:
        self.persist, self.ledger, self.runtime = persist, ledger, runtime
        self._settings = settings
        self._sessions: dict[int, Session] = {}
        self._next = 1
        self.shared = Shared(
            ledger,
            runtime,
            Peeks(ledger.tables, runtime),
            self._entries,
            f"PostgreSQL 17.0 on Holdfast {version('holdfast')}",
            microseconds(),
            f"holdfast-{persist.committer.store.epoch}",
            dataflows=lambda: ledger.maintainer.entries(ledger.catalog),
        )

    @classmethod
    async def open(cls, settings: DatabaseSettings) -> Database:
        """Open the store as its one writer. Spark starts beside, and is waited for only where it is needed."""
        persist = await Persist.open_writer(
            settings.location,
            reentrance_id=settings.reentrance_id,
            settings=settings.persist,
            metadata=settings.metadata,
            blob=settings.blob,
        )
        runtime = SparkRuntime(settings.spark, settings.runtime)
        try:
            ledger = await Ledger.open(persist, settings=settings.ledger, runtime=runtime)
        except BaseException:
            await runtime.stop()
            await persist.stop()
            raise
        if settings.eager_spark:
            runtime.start()
        return cls(persist, ledger, runtime, settings)

    async def stop(self) -> None:
        """End the sessions, finish what is pending, give the store back."""
        for session in list(self._sessions.values()):
            session.terminate(SessionEnded("terminating connection due to administrator command"))
        for session in list(self._sessions.values()):
            await self.disconnect(session)
        await self.ledger.stop()
        await self.runtime.stop()
        await self.persist.stop()

    @property
    def sessions(self) -> Sequence[Session]:
        return tuple(self._sessions.values())

    def _entries(self) -> list[SessionEntry]:
        return [session.entry for session in self._sessions.values()]

    async def connect(
        self, user: str, database: str | None = None, options: Mapping[str, str] | None = None, client: str = ""
    ) -> Session:
        """A session of `user`, who was let in. Someone new is made a role: who may come in is for others to say."""
        if len(self._sessions) >= self._settings.max_sessions:
            raise TooManySessions("sorry, too many clients already")
        role = await self._role(user)
        catalog = self.ledger.catalog
        system = {name: value for name in VARIABLES if (value := catalog.parameter(name)) is not None}
        asked, refused = _settings(options or {})
        values = system | dict(role.parameters) | asked
        known = database is None or database == user or catalog.database_named(database) is not None
        if database is not None and catalog.database_named(database) is not None:
            values["database"] = database
        number, self._next = self._next, self._next + 1
        state = SessionState(self.shared, number, role.id, client, Variables(values), self.shared.clock())
        if not known:
            state.notice(Notice("NOTICE", "3D000", f'session database "{database}" does not exist'))
        for error in refused:
            state.notice(Notice("NOTICE", sqlstate(error), f"startup setting not set: {error}", hint=error.hint))
        session = self._sessions[number] = Session(state, secrets.randbits(_SECRET_BITS))
        return session

    async def disconnect(self, session: Session) -> None:
        """The client is gone."""
        if self._sessions.pop(session.id, None) is not None:
            await session.end()

    async def _role(self, user: str) -> Role:
        found = self.ledger.catalog.role_named(user)
        if found is None:
            await self.ledger.change_catalog(lambda state: _newcomer(state, user))
            found = self.ledger.catalog.role_named(user)
            assert found is not None
        if not found.login:
            raise LoginRefused(f'role "{user}" is not permitted to log in')
        return found

    def verifier(self, user: str) -> str | None:
        """What a password of the role is checked against; None if it has none."""
        found = self.ledger.catalog.role_named(user)
        return None if found is None else found.verifier

    def cancel(self, session: int, secret: int) -> None:
        """End the statement that a session runs, for one who knows its secret."""
        found = self._sessions.get(session)
        if found is not None and secrets.compare_digest(str(found.secret), str(secret)):
            found.cancel()


def _settings(options: Mapping[str, str]) -> tuple[dict[str, str], list[InvalidVariableValue]]:
    """What a client asks for when it connects, but for a time zone that it cannot have: pgjdbc always sends its own."""
    asked, refused = dict(options), list[InvalidVariableValue]()
    for name, value in options.items():
        try:
            if variable(name).name == "timezone":
                checked(name, [value])
        except InvalidVariableValue as error:
            del asked[name]
            refused.append(error)
    return asked, refused


def _newcomer(state: CatalogState, user: str) -> Decision:
    """The role of someone whom nobody has heard of, and whom the server let in all the same: on trust."""
    if state.role_named(user) is not None:
        return Decision((), "CREATE ROLE")
    role = Role(str(state.next_id()), state.next_oid(), user, superuser=True)
    return Decision((state.numbers_given(1), Change(None, role)), "CREATE ROLE")
