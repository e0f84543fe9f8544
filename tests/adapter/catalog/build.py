"""A catalog that a test talks to in SQL."""

from __future__ import annotations

from dataclasses import replace

from holdfast.adapter.catalog.ddl import Decision, decide, session_ended
from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.catalog.objects import Item, Role
from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.sqlstate import sqlstate
from holdfast.errors import HoldfastError
from holdfast.sql.parser import parse


class Talk:
    """One catalog, and a session that changes it. `role` and `path` may be set at any time."""

    def __init__(self, *statements: str) -> None:
        self.state = CatalogState.initial()
        self.role, self.database, self.session = "materialize", "materialize", 1
        self.path: tuple[str, ...] = ("public",)
        for statement in statements:
            self.run(statement)

    @property
    def names(self) -> SessionNames:
        return SessionNames(self.state, self.database, self.path, self.session)

    @property
    def current(self) -> Role:
        role = self.state.role_named(self.role)
        assert role is not None
        return role

    def run(self, text: str, role: str | None = None) -> Decision:
        """Run the statements of the text, all by one role; the decision of the last."""
        found: Decision | None = None
        for parsed in parse(text):
            by = self.state.role_named(role or self.role)
            assert by is not None
            found = decide(parsed.statement, self.names, by)
            self.state = self.state.changed(found.changes)
        assert found is not None
        return found

    def refused(self, text: str, role: str | None = None) -> HoldfastError:
        """The error of a statement that changes nothing."""
        before = self.state
        try:
            self.run(text, role)
        except HoldfastError as error:
            assert self.state is before
            return error
        raise AssertionError(f"{text} was not refused")

    def refusal(self, text: str, role: str | None = None) -> tuple[str, str]:
        """Code and message of the error."""
        error = self.refused(text, role)
        return sqlstate(error), str(error)

    def item(self, name: str) -> Item:
        found = self.names.find(tuple(name.split(".")))
        assert isinstance(found, Item), f"there is no item {name}"
        return found

    def sql(self, name: str) -> str:
        return self.item(name).sql

    def columns(self, name: str) -> list[tuple[str, str]]:
        return [(column.name, str(column.type)) for column in self.item(name).columns]

    def exists(self, name: str) -> bool:
        return isinstance(self.names.find(tuple(name.split("."))), Item)

    def end_session(self) -> Decision:
        found = session_ended(self.state, self.session)
        self.state = self.state.changed(found.changes)
        return found

    def lasting(self) -> CatalogState:
        """The catalog without temporary items."""
        items = {id_: item for id_, item in self.state.items.items() if item.session is None}
        return replace(self.state, items=items)
