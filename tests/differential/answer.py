"""Answers, as text, and when two of them are the same."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal

Cell = str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows as text, or the SQLSTATE of an error."""

    names: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    error: str | None = None

    def with_columns_of(self, other: Answer) -> Answer:
        """The same rows under the names and types of another answer."""
        return Answer(other.names, other.types, self.rows, self.error)

    def differs(self, other: Answer, *, ordered: bool) -> str | None:
        """What is different, or None."""
        if self.error or other.error:
            return None if self.error == other.error else f"{self.error or 'rows'} against {other.error or 'rows'}"
        if self.names != other.names:
            return f"names {self.names} against {other.names}"
        if self.types != other.types:
            return f"types {self.types} against {other.types}"
        ours, theirs = ([_row(row, self.types) for row in answer.rows] for answer in (self, other))
        if (ours != theirs) if ordered else (Counter(ours) != Counter(theirs)):
            missing, extra = Counter(theirs) - Counter(ours), Counter(ours) - Counter(theirs)
            return f"missing {list(missing.elements())[:5]}, too many {list(extra.elements())[:5]}, of {len(theirs)}"
        return None


_TIMEOUT, _GROUPING = "57014", "42803"
_DATA = ("22", "21")
"""Classes of errors that the data causes: an overflow, a division by zero, two rows for one value."""


def either(ours: Answer, theirs: Answer) -> bool:
    """Whether they differ only in which data they had to look at.

    PostgreSQL folds a constant that fails though no row needs it, and leaves out what no one asks for; which of two
    errors is met first is chance. So is whether it is done in time.
    """
    if theirs.error == _TIMEOUT:
        return True
    errors = [answer.error for answer in (ours, theirs) if answer.error is not None]
    return bool(errors) and all(error.startswith(_DATA) for error in errors)


def refuses_merged(theirs: Answer, query: str) -> bool:
    """Whether PostgreSQL did not accept that a column that a full join merges is grouped by, as is documented."""
    return theirs.error == _GROUPING and "FULL JOIN" in query and "USING" in query


def _row(row: tuple[Cell, ...], types: tuple[str, ...]) -> tuple[Cell, ...]:
    return tuple(_cell(cell, type_) for cell, type_ in zip(row, types, strict=True))


def _cell(cell: Cell, type_: str) -> Cell:
    """Numbers that agree in 15 digits are the same: floats are added in any order, and quotients cut somewhere."""
    if cell is None:
        return None
    if type_ in ("double precision", "real"):
        value = float(cell)
        return cell if math.isnan(value) or math.isinf(value) else f"{value + 0.0:.12g}".replace("-0", "0", value == 0)
    if type_ == "numeric":
        return str(Decimal(f"{Decimal(cell):.15g}").normalize()) if Decimal(cell) else "0"
    return cell
