"""The order of an instance's writes: they take effect in the order in which they were begun.

Calls make their parts durable at the same time. Only to commit does each wait for those begun before it, so a
`seal` that is begun after a `write` never overtakes it, however long the write's parts take.
"""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

from holdfast.persist.commit import Committer, States, Work
from holdfast.persist.encoding import PartFormat, Stage
from holdfast.persist.errors import Stopped
from holdfast.persist.part import Part
from holdfast.persist.parts import Parts
from holdfast.persist.shard import Command, Refusal, ShardState
from holdfast.repr.ids import ShardId
from holdfast.repr.update import UpdateBatch


class Call:
    """One write. Use as a context manager: without `commit`, its end gives up the turn and the parts.

    The parts stay in hand until the commit is decided, also if the caller is cancelled meanwhile: a commit that is
    queued may still name them.
    """

    def __init__(self, calls: Calls, before: asyncio.Future[None] | None) -> None:
        self._calls, self._before = calls, before
        self._stages = ExitStack()
        self._work: Work | None = None
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def stage(self, shard: ShardId) -> Stage:
        """Names for parts that this call will commit."""
        return self._stages.enter_context(self._calls.parts.stage(shard))

    def hold(self, parts: tuple[Part, ...]) -> None:
        """Keep parts that were staged elsewhere."""
        for stage in {Stage.of_key(part.key) for part in parts}:
            if stage is not None:
                self._stages.enter_context(self._calls.parts.hold(stage.id))

    async def write(self, state: ShardState, form: PartFormat, updates: UpdateBatch) -> tuple[Part, ...]:
        """Parts with `updates` of the shard at `state`: durable, or so few that the commit makes them durable."""
        parts, stage = self._calls.parts, self.stage(form.shard)
        if (part := parts.inline(state, form, updates, stage)) is not None:
            return (part,)
        return await parts.write(form, updates, stage, lambda: not self._calls.ending)

    async def commit(self, commands: tuple[tuple[ShardId, Command], ...]) -> States | Refusal:
        """Run the commands together, after those of all calls begun before."""
        if self._before is not None:
            await asyncio.shield(self._before)
        self._work = Work(commands)
        self.over.set_result(None)  # whoever waits for it runs later: our work is queued by then
        return await self._calls.committer.submit(self._work)

    def __enter__(self) -> Call:
        return self

    def __exit__(self, *_: object) -> None:
        if not self.over.done():
            self._give_up_turn()
        if self._work is None or self._work.done.done():
            self._stages.close()
        else:
            self._work.done.add_done_callback(lambda _: self._stages.close())

    def _give_up_turn(self) -> None:
        """Those after us still come after those before us."""
        if self._before is None or self._before.done():
            self.over.set_result(None)
        else:
            self._before.add_done_callback(lambda _: self.over.set_result(None))


class Calls:
    """The calls of one instance. `ending`: no more are begun, and none waits for a blob store that is down."""

    def __init__(self, committer: Committer, parts: Parts) -> None:
        self.committer, self.parts = committer, parts
        self.ending = False
        self._last: asyncio.Future[None] | None = None

    def begin(self) -> Call:
        """The next call in order."""
        if self.ending:
            raise Stopped
        call = Call(self, self._last)
        self._last = call.over
        return call

    def aside(self) -> Call:
        """A call that waits for no other and that none waits for."""
        return Call(self, None)

    async def finish(self) -> None:
        """Wait until the calls begun are queued or given up."""
        if self._last is not None:
            await asyncio.shield(self._last)
