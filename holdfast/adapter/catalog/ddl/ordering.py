"""Items after those that they are made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.catalog.statement import settled, statement_of
from holdfast.repr.ids import GlobalId


def in_order(state: CatalogState, roots: Iterable[GlobalId]) -> list[GlobalId]:
    """The roots and all that uses them, each after what it uses."""
    within: set[GlobalId] = set()
    waiting = list(roots)
    while waiting:
        id_ = waiting.pop()
        if id_ not in within:
            within.add(id_)
            waiting.extend(state.used_by(id_))
    missing = {id_: len(state.uses(id_) & within) for id_ in within}
    ready = sorted((id_ for id_, count in missing.items() if not count), key=lambda each: each.number)
    found: list[GlobalId] = []
    while ready:
        id_ = ready.pop(0)
        found.append(id_)
        for user in sorted(state.used_by(id_) & within, key=lambda each: each.number):
            missing[user] -= 1
            if not missing[user]:
                ready.append(user)
    return found


def settle(work: Work, roots: Iterable[GlobalId]) -> None:
    """What follows from statements, for these items and all that uses them: what they mention has changed."""
    for id_ in in_order(work.state, roots):
        item = work.state.item(id_)
        names = replace(work.names, session=item.session)
        work.replace(item, settled(item, statement_of(item), names))
