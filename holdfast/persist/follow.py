"""Following: how a read-only instance learns of what a writer in another process commits."""

from __future__ import annotations

import asyncio
import contextlib
import logging

from holdfast.errors import HoldfastError, UnavailableError
from holdfast.persist.commit import Committer
from holdfast.persist.metadata import Metadata
from holdfast.persist.notify import changes_told
from holdfast.persist.watch import Watch

log = logging.getLogger(__name__)


class Follower:
    """Looks at the metadata store whenever the writer tells of a change, and every `poll_seconds` anyway.

    With `listen` off it has no contact to the writer at all.
    """

    def __init__(
        self, metadata: Metadata, committer: Committer, watch: Watch, *, poll_seconds: float, listen: bool
    ) -> None:
        self._metadata, self._committer, self._watch = metadata, committer, watch
        self._poll_seconds = poll_seconds
        self._version = -1
        self._look = asyncio.Event()
        self._tasks = [asyncio.create_task(self._poll(), name="holdfast-follow")]
        if listen:
            self._tasks.append(asyncio.create_task(self._listen(), name="holdfast-listen"))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def refresh(self) -> None:
        """Take in the versions committed since the last look, of the shards that are known here."""
        store = await asyncio.to_thread(self._metadata.store)
        if store.version == self._version:
            return
        changed = await asyncio.to_thread(self._metadata.summaries, self._version)
        known = [s.id for s in changed if (state := self._committer.state(s.id)) and state.seqno < s.seqno]
        self._committer.observe(await asyncio.to_thread(self._metadata.load, known))
        self._version = store.version
        self._watch.changed(known)

    async def _poll(self) -> None:
        while True:
            try:
                await self.refresh()
            except UnavailableError as error:
                log.warning("metadata store does not answer", extra={"reason": str(error)})
            except HoldfastError as error:
                log.error("metadata store cannot be followed", extra={"reason": str(error)})
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._poll_seconds):
                    await self._look.wait()
            self._look.clear()

    async def _listen(self) -> None:
        while True:
            with contextlib.suppress(OSError, ValueError, UnavailableError):  # a line may be another program's
                store = await asyncio.to_thread(self._metadata.store)
                if store.address:
                    async for _ in changes_told(store.address):
                        self._look.set()
            await asyncio.sleep(self._poll_seconds)
