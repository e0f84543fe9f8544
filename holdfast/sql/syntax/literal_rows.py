"""The rows of an INSERT of literals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias, overload

from holdfast.cached import cached_property

if TYPE_CHECKING:
    from holdfast.sql.syntax.expression import Expression

_Row: TypeAlias = "tuple[Expression, ...]"


class LiteralRows(Sequence[_Row]):
    """Rows of literals: the columns of them as they are written, and expressions once somebody looks at those.

    A literal is written as a string between single quotes, perhaps with `::` and the name of a type; a number, perhaps
    with a minus before it; or one of the words TRUE, FALSE and NULL, in any case. `head` is the text of the statement
    before the rows; nothing follows them.
    """

    def __init__(self, head: str, columns: Sequence[Sequence[str]], make: Callable[[], Sequence[_Row]]) -> None:
        self.head, self.columns, self._make = head, columns, make

    @cached_property
    def expressions(self) -> tuple[_Row, ...]:
        return tuple(self._make())

    def __len__(self) -> int:
        return len(self.columns[0])

    @overload
    def __getitem__(self, index: int) -> _Row: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[_Row]: ...

    def __getitem__(self, index: int | slice) -> _Row | Sequence[_Row]:
        return self.expressions[index]

    def __eq__(self, other: object) -> bool:
        """Whether the rows are the same, in whichever form."""
        return self.expressions == (other.expressions if isinstance(other, LiteralRows) else other)

    def __hash__(self) -> int:
        return hash(self.expressions)
