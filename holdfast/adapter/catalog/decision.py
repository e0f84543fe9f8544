"""What a statement about the catalog comes to."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.adapter.catalog.objects import Item, ItemKind
from holdfast.adapter.catalog.state import Change
from holdfast.adapter.results import Notice

KEPT: tuple[ItemKind, ...] = ("table", "materialized-view", "index")
"""The kinds of items that have contents of their own: users write those of tables, dataflows those of the others."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The changes, all or none of which happen, and what the client is told.

    - `created` and `dropped` are the items of `KEPT` that come and go, whose contents do too.
    - `altered` are tables as they are now, with columns at their end that they did not have: null in older rows.
    """

    changes: tuple[Change, ...]
    tag: str
    notices: tuple[Notice, ...] = ()
    created: tuple[Item, ...] = ()
    dropped: tuple[Item, ...] = ()
    altered: tuple[Item, ...] = ()
