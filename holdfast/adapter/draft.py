"""The draft of a commit: what all who wait want, in their order, each on top of those before.

It is decided here what is in it; nothing has happened yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from holdfast.adapter.catalog.decision import Decision
from holdfast.adapter.catalog.objects import Item, ItemKind
from holdfast.adapter.catalog.state import CatalogState, Change
from holdfast.adapter.errors import ConcurrentDrop
from holdfast.adapter.tables.commit import Write, check_change
from holdfast.plan.row_types import row_type_of
from holdfast.repr.ids import GlobalId


class Draft:
    """`catalog` is as it will be; `writes` are what happens to tables.

    Once it `is_full`, what comes next must be in another commit: a table has more columns, and the updates of one
    commit all have the same.
    """

    def __init__(self, catalog: CatalogState) -> None:
        self.catalog = catalog
        self.changes: list[Change] = []
        self.writes: dict[GlobalId, list[Write]] = {}
        self.is_full = False

    @property
    def is_empty(self) -> bool:
        return not self.changes and not self.writes

    def write(self, changes: Mapping[GlobalId, Write], planned: CatalogState) -> None:
        """Add changes that were planned on an earlier catalog."""
        for id, change in changes.items():
            item = self.catalog.items.get(id)
            if item is None or item.kind != "table":
                known = planned.items.get(id)
                raise ConcurrentDrop(str(id) if known is None else known.name)
            check_change(row_type_of([column.type for column in item.columns]), change)
        for id, change in changes.items():
            if change.rows:
                self.writes.setdefault(id, []).append(change)

    def decide(self, decide: Callable[[CatalogState], Decision]) -> tuple[Decision, CatalogState]:
        """What a statement comes to, and the catalog after it. It is not in the draft yet."""
        decision = decide(self.catalog)
        return decision, self.catalog.changed(decision.changes) if decision.changes else self.catalog

    def accept(self, decision: Decision, catalog: CatalogState) -> None:
        self.changes += decision.changes
        self.catalog = catalog
        self.is_full = any(True for _ in _widened(decision.changes))

    # What becomes of the tables, written or maintained

    def created(self, *kinds: ItemKind) -> list[Item]:
        return created_by(self.changes, *kinds)

    def dropped(self) -> set[GlobalId]:
        return {item.id for item in _tables(self.changes) if item.id not in self.catalog.items}

    def without(self, kind: ItemKind) -> list[Item]:
        """The items of a kind that will be gone, as they were."""
        removed = [change.removed for change in self.changes if isinstance(change.removed, Item)]
        return [item for item in removed if item.kind == kind and item.id not in self.catalog.items]

    def altered(self) -> list[Item]:
        """The tables of which something else is said than before, as they will be."""
        return [self.catalog.items[id] for id in {item.id for item in _tables(self.changes)} - self.dropped()]

    def widened(self) -> dict[GlobalId, Item]:
        """The tables that get more columns, as they will be."""
        return {item.id: item for item in _widened(self.changes)}


def created_by(changes: Sequence[Change], *kinds: ItemKind) -> list[Item]:
    """The items of these kinds, tables if none is given, that come with some changes."""
    known = {change.removed.id for change in changes if isinstance(change.removed, Item)}
    added = [change.added for change in changes if isinstance(change.added, Item)]
    return [item for item in added if item.kind in (kinds or ("table",)) and item.id not in known]


def _tables(changes: Sequence[Change]) -> Iterator[Item]:
    for change in changes:
        for found in (change.removed, change.added):
            if isinstance(found, Item) and found.kind in ("table", "materialized-view"):
                yield found


def _widened(changes: Sequence[Change]) -> Iterator[Item]:
    for change in changes:
        before, after = change.removed, change.added
        if isinstance(before, Item) and isinstance(after, Item) and len(after.columns) > len(before.columns):
            yield after
