"""Holds: the right to read several tables at a time, for as long as it is held."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.compute.maintain import ReadCapability
from holdfast.repr.frontier import Frontier, Timestamp


class Hold:
    """A read capability of each table, all at one time. While held, their since does not pass it."""

    def __init__(self, capabilities: Sequence[ReadCapability]) -> None:
        self._capabilities = capabilities

    def downgrade(self, at: Timestamp) -> None:
        """Give up the right to read before `at`. A hold never moves back."""
        for capability in self._capabilities:
            capability.downgrade(Frontier(at))

    def release(self) -> None:
        """Give the right back. Again does nothing."""
        for capability in self._capabilities:
            capability.drop()

    def __enter__(self) -> Hold:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
