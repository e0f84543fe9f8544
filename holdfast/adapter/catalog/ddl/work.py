"""One statement at work on the catalog: what it has changed so far, as it will be seen by what comes after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from holdfast.adapter.catalog.decision import KEPT, Decision
from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.catalog.objects import Item, Object, Role
from holdfast.adapter.catalog.state import FIRST_OID, CatalogState, Change, Key, key_of
from holdfast.adapter.results import Notice

CheckedParameter = Callable[[str, Sequence[str]], tuple[str, str]]
"""A parameter and the values it is given, to its proper name and its one value; an error if it cannot be."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a new object is known by."""

    id: str
    oid: int


class Work:
    """The changes of one statement by one role. Nothing of it is anyone else's to see before it is decided."""

    def __init__(self, names: SessionNames, role: Role, checked: CheckedParameter) -> None:
        self._before, self.names, self.role, self.checked = names.state, names, role, checked
        self._changes: dict[tuple[type, Key], Change] = {}
        self._given = 0
        self.notices: list[Notice] = []

    @property
    def state(self) -> CatalogState:
        """The catalog as the statement has made it."""
        return self.names.state

    def given(self) -> Given:
        """The id of the next new object."""
        number = self._before.next_number + self._given
        self._given += 1
        return Given(f"u{number}", FIRST_OID + number)

    def add(self, *objects: Object) -> None:
        self.change([Change(None, found) for found in objects])

    def remove(self, *objects: Object) -> None:
        self.change([Change(found, None) for found in objects])

    def replace(self, old: Object, new: Object) -> None:
        self.change([Change(old, new)])

    def change(self, changes: Sequence[Change]) -> None:
        if not changes:
            return
        self.names = self.names.at(self.state.changed(changes))
        for change in changes:
            found = change.removed or change.added
            assert found is not None  # a change is of something
            key = (type(found), key_of(found))
            first = self._changes.get(key)
            self._changes[key] = change if first is None else Change(first.removed, change.added)

    def notice(self, message: str, code: str = "00000", detail: str | None = None) -> None:
        self.notices.append(Notice("NOTICE", code, message, detail))

    def warn(self, message: str, code: str = "01000", hint: str | None = None) -> None:
        self.notices.append(Notice("WARNING", code, message, hint=hint))

    def decided(self, tag: str) -> Decision:
        """All of it, each object changed at most once."""
        if self._given:
            given = self._before.numbers_given(self._given)
            self.change([given])
        changes = tuple(change for change in self._changes.values() if change.removed != change.added)
        kept = [
            (_kept(change.removed), _kept(change.added))
            for change in changes
            if isinstance(change.removed or change.added, Item)
        ]
        return Decision(
            changes,
            tag,
            tuple(self.notices),
            created=tuple(new for old, new in kept if old is None and new is not None),
            dropped=tuple(old for old, new in kept if new is None and old is not None),
            altered=tuple(new for old, new in kept if old and new and len(old.columns) < len(new.columns)),
        )


def _kept(found: Object | None) -> Item | None:
    return found if isinstance(found, Item) and found.kind in KEPT else None
