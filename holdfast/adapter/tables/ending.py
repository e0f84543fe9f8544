"""Collections that nobody needs any more: each ends once nobody reads it, elsewhere too."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection

from holdfast.adapter.tables.background import Background
from holdfast.errors import HoldfastError, UnavailableError
from holdfast.persist import Persist, WriteHandle

log = logging.getLogger(__name__)


class Ending:
    def __init__(self, persist: Persist, background: Background) -> None:
        self._persist, self._background = persist, background
        self._waiting: dict[str, WriteHandle] = {}

    def end(self, handle: WriteHandle) -> None:
        """End a collection, beside everything else."""
        self._waiting[handle.name] = handle
        self._background.start(self._end(handle.name), "holdfast-drop-table")

    async def finish(self, ours: Callable[[str], bool]) -> None:
        """Wait until those among `ours` have ended that are about to: then their names can be given to others."""
        for name in [name for name in self._waiting if ours(name)]:
            await self._end(name)
            if name in self._waiting:
                raise UnavailableError(f'collection "{name}" is about to end, but somebody still reads it')

    async def end_strays(self, ours: Callable[[str], bool], known: Collection[str]) -> None:
        """End the collections among `ours` that are not `known` to anyone."""
        strays = {name for name in await self._persist.names() if ours(name)} - set(known)
        for name, handle in (await self._persist.writers(sorted(strays))).items():
            log.info("collection without a catalog entry ended", extra={"collection": name})
            if not await self._persist.drop(handle):
                self._waiting[name] = handle

    async def retry(self) -> None:
        """Try again to end those that someone was still reading."""
        for name in list(self._waiting):
            await self._end(name)

    async def _end(self, name: str) -> None:
        try:
            if name in self._waiting and await self._persist.drop(self._waiting[name]):
                self._waiting.pop(name, None)
        except HoldfastError as error:
            log.warning("dropped collection not ended yet", extra={"collection": name, "reason": str(error)})
