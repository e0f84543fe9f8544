"""The state of a session: what its statements find, and leave for those after them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable
from dataclasses import dataclass, field

import pyarrow as pa

from holdfast.adapter.catalog.builtin import Introspection, SettingEntry
from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.catalog.objects import Role
from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.errors import SessionEnded
from holdfast.adapter.known import Known
from holdfast.adapter.plan_cache import Compiled
from holdfast.adapter.results import Notice, Piece
from holdfast.adapter.session.lookup import Lookup
from holdfast.adapter.session.shared import Shared
from holdfast.adapter.session.transaction import Transaction
from holdfast.adapter.session.variables import Variables
from holdfast.adapter.tables import Write
from holdfast.plan.types import Type
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.sql import OutputColumn
from holdfast.sql.syntax.statement import Statement as Syntax


@dataclass(frozen=True, slots=True)
class Quick:
    """A query that only picks columns of rows that it finds by equality, by one who may."""

    table: GlobalId
    lookup: Lookup


@dataclass(frozen=True, slots=True)
class Inserted:
    """Rows for a table, all that there is to an INSERT."""

    table: GlobalId
    rows: Write


@dataclass(slots=True)
class Statement:
    """A prepared statement. `columns` are None for one that returns no rows.

    `compiled` is the plan of a query, good for one key of the session's catalog, and `quick` how it finds its rows if
    that is all there is to it. `inserted` are the rows of an INSERT of literals, good for as long.
    """

    text: str
    syntax: Syntax | None
    types: tuple[Type | None, ...]
    parameters: tuple[Type, ...] = ()
    columns: tuple[OutputColumn, ...] | None = None
    key: Hashable = None
    compiled: Compiled | None = None
    quick: Quick | None = None
    inserted: Inserted | None = None


@dataclass(slots=True)
class Portal:
    """A statement with the values of its parameters."""

    statement: Statement
    values: tuple[object, ...]

    @property
    def columns(self) -> tuple[OutputColumn, ...] | None:
        return self.statement.columns


@dataclass(slots=True)
class Cursor:
    """What DECLARE opened: rows that FETCH takes. `ready` were taken from the last piece, and nobody has seen them yet.

    `waits`: more rows may come at any time, as of a SUBSCRIBE; `pending` is the piece that is being waited for.
    """

    columns: tuple[OutputColumn, ...]
    pieces: AsyncIterator[Piece]
    waits: bool
    ready: list[tuple[object, ...]] = field(default_factory=list)
    over: bool = False
    pending: asyncio.Future[Piece | None] | None = None


@dataclass(frozen=True, slots=True)
class Meaning:
    """What texts mean to a session: the same for the same `key`, of whichever session."""

    names: SessionNames = field(compare=False)
    variables: int = field(compare=False)
    key: Hashable


class SessionState:
    def __init__(
        self, shared: Shared, session: int, role: str, client: str, variables: Variables, connected_at: int
    ) -> None:
        """`role` is the id of who asks."""
        self.shared, self.id, self.role_id, self.client = shared, session, role, client
        self.variables, self.connected_at = variables, connected_at
        self.transaction: Transaction | None = None
        self.statements: dict[str, Statement] = {}
        self.portals: dict[str, Portal] = {}
        self.cursors: dict[str, Cursor] = {}
        self.notices: list[Notice] = []
        self.execution: str | None = None
        self._meaning = Meaning(SessionNames(CatalogState(), ""), -1, ())

    @property
    def catalog(self) -> CatalogState:
        return self.shared.ledger.catalog

    @property
    def role(self) -> Role:
        found = self.catalog.roles.get(self.role_id)
        if found is None:
            raise SessionEnded("the role of this session was dropped")
        return found

    @property
    def names(self) -> SessionNames:
        """What names mean now."""
        return self._means().names

    @property
    def key(self) -> Hashable:
        """Another whenever the same text might mean something else."""
        return self._means()

    def is_current(self, key: Hashable) -> bool:
        """Whether `key` is what it was when it was asked for, and nothing that matters has changed since."""
        held = self._meaning
        same = held is key and held.names.state is self.shared.ledger.catalog
        return same and held.variables == self.variables.version

    def _means(self) -> Meaning:
        """What texts mean now. As long as nothing that matters has changed, it is the same object."""
        catalog, version, held = self.catalog, self.variables.version, self._meaning
        if held.names.state is catalog and held.variables == version:
            return held
        names = SessionNames(catalog, self.variables["database"], self.variables.search_path, self.id, by_index=True)
        temporary = self.id if catalog.items_of_session(self.id) else None
        key = (catalog.version, names.database, names.search_path, temporary)
        self._meaning = Meaning(names, version, key)
        return self._meaning

    def knowing(self, as_of: Timestamp | None = None) -> Callable[[], Known]:
        return lambda: self.known(as_of)

    def known(self, as_of: Timestamp | None = None) -> Known:
        """What functions of the session return, in a query that reads at `as_of`."""
        now = self.transaction.began if self.transaction is not None else self.shared.clock()
        schemas = tuple(schema.name for schema in self.names.searched())
        return Known(
            now,
            self.role.name,
            self.variables["database"],
            self.shared.version,
            tuple(name for name in schemas if not name.startswith(("pg_", "mz_"))),
            logical=self.shared.ledger.read_ts if as_of is None else as_of,
            bound=self.shared.functions.bound(self.introspection()),
        )

    async def system(self, name: str) -> pa.Table:
        """The rows of a relation of the system."""
        return await asyncio.to_thread(self.shared.contents.table, name, self.introspection())

    def introspection(self) -> Introspection:
        shared = self.shared
        return Introspection(
            self.catalog,
            self.variables["database"],
            self.variables.search_path,
            self.role,
            self.id,
            shared.clock(),
            shared.ledger.tables.frontiers,
            shared.sessions(),
            tuple(shared.subscriptions.values()),
            shared.activity.entries,
            [SettingEntry(*entry) for entry in self.variables.show()],
            started=shared.started,
            environment_id=shared.environment_id,
            dataflows=shared.dataflows(),
        )

    def notice(self, notice: Notice) -> None:
        self.notices.append(notice)
