"""What a user may have meant by a column that does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_MAX_DISTANCE = 3
"""As PostgreSQL has it: names further apart are not the same word misspelt."""


@dataclass(frozen=True, slots=True)
class Near:
    """A column that exists."""

    relation: str
    column: str
    visible: bool


@dataclass(frozen=True, slots=True)
class Suggestion:
    hint: str | None = None
    detail: str | None = None


def nearest(relation: str | None, name: str, columns: Iterable[Near]) -> Suggestion:
    """A hint with the column that is spelt most like `name`, or the two that are, or none."""
    best, found = _MAX_DISTANCE + 1, list[Near]()
    exact: list[Near] = []
    for column in columns:
        penalty = 0 if relation is None else distance(relation, column.relation, best)
        if relation is None and not column.visible and column.column == name:
            exact.append(column)
        apart = distance(name, column.column, best)
        if apart > len(name.encode()) // 2:
            continue
        apart += penalty
        if apart < best:
            best, found = apart, [column]
        elif apart == best and best <= _MAX_DISTANCE:
            found.append(column)
    if exact:
        table = exact[0].relation
        return Suggestion(
            detail=f'There is a column named "{name}" in table "{table}", but it cannot be referenced from this part '
            "of the query.",
            hint="To reference that column, you must mark this subquery with LATERAL.",
        )
    if not found or len(found) > 2:
        return Suggestion()
    shown = " or the column ".join(f'"{column.relation}.{column.column}"' for column in found)
    return Suggestion(hint=f"Perhaps you meant to reference the column {shown}.")


def distance(left: str, right: str, limit: int) -> int:
    """How many letters must be added, removed or changed; any number beyond `limit` if that many."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        before, row[0] = row[0], i
        for j, b in enumerate(right, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]
