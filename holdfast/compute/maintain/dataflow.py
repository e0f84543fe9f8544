"""A dataflow: what brings one view up to date with what it reads, and when it does.

It works only when there is something to do: when an input has changed, or the view changes by itself. Whatever fails
around it is tried again, from what is durable.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from time import monotonic

from holdfast.compute.maintain.read_capability import Holders, ReadCapability
from holdfast.compute.maintain.stepping import Stepping
from holdfast.compute.maintain.surroundings import Surroundings
from holdfast.compute.maintain.view import ViewDescription
from holdfast.compute.maintain.write_capability import WriteCapability
from holdfast.compute.maintain.writing import errors_done
from holdfast.errors import HoldfastError
from holdfast.persist import Append, WriteHandle
from holdfast.persist.errors import AsOfBeforeSince, Fenced, Stopped
from holdfast.repr.frontier import Frontier, Timestamp, after

log = logging.getLogger(__name__)

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 30.0
"""Seconds after something around a dataflow failed until it tries again: more each time."""


class Dataflow(Stepping):
    """Made of the rights to read what a view reads and to write it; it works from `start` on, until it has ended: that
    is when the last capability to read it is dropped. Then it drops its own.
    """

    def __init__(
        self, inputs: Sequence[ReadCapability], view: ViewDescription, output: WriteCapability, around: Surroundings
    ) -> None:
        super().__init__(inputs, view, output, Holders(self.end), around)
        self.trouble: str | None = None
        self._task: asyncio.Task[None] | None = None
        self._ended = self._is_suspect = False

    # Beginning and ending

    def begin(self) -> Sequence[ReadCapability]:
        """Find out whether there is something to do, and hold what is read: if that cannot be, nothing has begun.

        What is returned is the right to read each output, from as early on as it can be.
        """
        basis, errs = self.basis, self.errors.open
        since = self.stores.output.since.time if basis is not None else self.errors.first
        first = Timestamp(self.done + 1)
        if basis is None and errs is None:
            self.changed = first
        self.is_preparing = self._is_unprepared
        if self.refreshes:
            if not self.is_behind:
                self.find_refresh(self.done)
        else:
            self.changed = max(self.changed, *self._last_changes())
        needs_inputs = self.is_behind or self.due is not None or not self.refreshes
        held = first if basis is None and errs is None else self.done if basis is None else basis
        if needs_inputs:
            self._check_inputs(held)
        earliest = Frontier(first if since is None else since)
        outputs = [ReadCapability(id, earliest, self._holders) for id in self.view.outputs]
        if needs_inputs:
            self.hold_inputs(held)
        else:
            self.drop_inputs()
        self._machine.begin(self)
        if not self.refreshes:
            for table in self._input_tables:
                table.readers.add(self)
        return outputs

    def _check_inputs(self, at: Timestamp) -> None:
        """Refuse to go on at `at` if inputs have forgotten what they were then."""
        for capability in self._held:
            if not capability.frontier.less_equal(at):
                name = self._tables.collection(capability.id).handle.name
                raise AsOfBeforeSince(name, at, capability.frontier)

    def start(self) -> None:
        """Do what there is to do, from now on."""
        self.on_behind = self._work
        if self.is_behind:
            self._work()

    @property
    def _is_unprepared(self) -> bool:
        """Whether something has to be found out, or made, before the next step."""
        return self.stores.basis is not None and (self.stores.lacks_states or self.view.program.is_temporal)

    def _last_changes(self) -> list[Timestamp]:
        """When inputs changed last, before they told us."""
        found = [self.done]
        for table in self._input_tables:
            last = table.last_change()
            found += [] if last is None else [last]
            erring = table.progress.erring(self.done, table.progress.complete)
            found += [] if erring is None else [table.progress.complete]
        return found

    def end(self) -> None:
        """Nobody reads the view any more."""
        self._ended = True
        for table in self._input_tables:
            table.readers.discard(self)
        self._machine.end(self)
        if self._task is not None:
            self._task.cancel()
        self.drop_inputs()
        self._output.drop()
        self._tables.ended(self.view.id)
        self._around.on_end(self.view.id)

    async def stop(self) -> None:
        """Do nothing more; what is begun is finished or left."""
        self._ended = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self.fail(Stopped())

    # As time passes

    def tick(self, _: WriteHandle, time: Timestamp, since: Frontier | None, /) -> Sequence[Append]:
        if self.is_behind or self.failure is not None:
            return ()
        self.settle()
        at = min(self.done, time)
        if self.refreshes:
            return self.stores.compacted(since)
        if since is not None and since.time is not None:
            self.errors.forget(since.time)
        if self.errors.open is not None:
            return self.stores.tick_errors(at)
        return self._output.downgrade(after(at), since) if since is not None or self._holds_back() else ()

    def _holds_back(self) -> bool:
        """Whether inputs could forget something if the view were known to need it no more."""
        basis = self.stores.basis
        return basis is not None and any(table.changed_at > basis for table in self._input_tables)

    def ticked(self) -> None:
        self.release_inputs()

    @property
    def rows_done(self) -> int | None:
        """How many rows were read for the first rows, by the share of Spark's work that is done; None if unknown."""
        spark = self._around.spark
        share = None if spark is None else spark.hydrations.share(self.view.id)
        return None if share is None else int(share * self.input_rows())

    # Working

    def _work(self) -> None:
        if self._ended or self.failure is not None:
            return
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name=f"holdfast-dataflow-{self.view.id}")

    async def _run(self) -> None:
        pause = _FIRST_PAUSE
        while self.is_behind:
            began, steps = monotonic(), self.counts.steps
            try:
                await (self._resync() if self._is_suspect else self.advance())
            except (Fenced, Stopped) as error:
                self.fail(error)
                return
            except Exception as error:  # whatever it was, nothing has happened: it is tried again
                if self._ended:
                    return
                foreseen = isinstance(error, HoldfastError)
                self.trouble = str(error) if foreseen else f"{type(error).__name__}: {error}"
                self.counts.failures += 1
                extra = {"view": str(self.view.id), "reason": self.trouble}
                log.warning("view not brought up to date", extra=extra, exc_info=None if foreseen else error)
                self._is_suspect = True
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                self.trouble, pause = None, _FIRST_PAUSE
                if self.counts.steps > steps:
                    self.counts.last_seconds = monotonic() - began
                    self.counts.seconds += self.counts.last_seconds

    async def _resync(self) -> None:
        """Go on from what is durable: someone else may have written it, or we without knowing."""
        self._machine.reset()
        self._keep = None  # what it is of may not have happened
        basis, errors = self.stores.basis, await self.stores.load_errors()
        done = errors_done(self.stores) if errors.open is not None else basis
        if done is not None and done > self.done:
            # What happened up to there is durable, and nobody was told of it.
            self._tables.rewritten(self.view.id, done)
            self.errors = errors
            self.moved(done, basis)
            if self.refreshes:
                self.find_refresh(done)
            self.release_inputs()
            self._tables.wake([self.view.id])
        self.is_preparing = self._is_unprepared
        self._is_suspect = False
