"""Write capabilities: the right to write a view, for as long as it is held."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.compute.maintain.collection import Ending
from holdfast.compute.maintain.erring import Errors
from holdfast.compute.maintain.stores import Stores
from holdfast.errors import UsageError
from holdfast.persist import Append, WriteHandle
from holdfast.repr.frontier import EMPTY, Frontier, Timestamp
from holdfast.repr.ids import GlobalId


class WriteCapability:
    """The right to write the rows of a view at times in advance of `frontier`, and with them its state and its errors.

    `frontier` is the upper of its rows, as durable as that, and empty once the right was dropped: then nobody writes
    them any more, and all that is stored of the view ends once nobody reads it.
    """

    def __init__(self, id: GlobalId, stores: Stores, errors: Errors, ending: Ending) -> None:
        """`errors` are when the view errs, as stored."""
        self.id, self.stores, self.errors = id, stores, errors
        self._ending, self._is_dropped = ending, False

    @property
    def handle(self) -> WriteHandle:
        """The collection of the rows."""
        return self.stores.output

    @property
    def frontier(self) -> Frontier:
        return EMPTY if self._is_dropped else self.stores.output.upper

    def downgrade(self, frontier: Frontier, since: Frontier | None = None) -> Sequence[Append]:
        """Give up the right to write before `frontier`, once a transaction has made durable what is returned.

        With `since`, the rows need not be readable before it any more. A capability never moves back.
        """
        if frontier.time is None or not self.frontier <= frontier:
            raise UsageError(f"write capability of {self.id} cannot move from {self.frontier} to {frontier}")
        return self.stores.tick(Timestamp(frontier.time - 1), since)

    def drop(self) -> None:
        """Give the right back. Again does nothing."""
        if not self._is_dropped:
            self._is_dropped = True
            for handle in self.stores.handles:
                self._ending.end(handle)
