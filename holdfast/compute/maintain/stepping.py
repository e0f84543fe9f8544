"""Steps: how a view is filled, brought up to date with what happened, or known to err.

A step takes all that has happened to the inputs in an interval of times, and writes what follows from it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial

from holdfast.compute.delta import Step
from holdfast.compute.evaluate.budget import TooManyRows
from holdfast.compute.maintain.collection import Collection
from holdfast.compute.maintain.events import first_failing, times_after
from holdfast.compute.maintain.foreseen import Foreseen, all_between, foreseen
from holdfast.compute.maintain.gather import Gathered, gather
from holdfast.compute.maintain.how import (
    MOST,
    TOO_MANY,
    How,
    can_be_replaced,
    counted,
    few_among,
    from_scratch,
    is_worth_loading,
    of_changes,
)
from holdfast.compute.maintain.stores import Written
from holdfast.compute.maintain.writing import Writing
from holdfast.plan.errors import DataError
from holdfast.repr.frontier import Timestamp
from holdfast.repr.update import UpdateBatch

_REFRESHED = "refreshed"


class Stepping(Writing):
    """A view that is brought up to date, step by step."""

    _keep: Callable[[], Awaitable[None]] | None = None
    """What is left to do of a step that can be seen, for which inputs are still held: nobody waits for it."""

    async def advance(self) -> None:
        """Decide some more times."""
        self._keep = None  # of a step that failed
        with self.history.step(lambda: Timestamp(self.done + 1)) as self._draft:
            if self.is_preparing:
                await self._prepare()
            elif self.basis is None and self.errors.open is None:
                await self._begin_at(Timestamp(self.done + 1))
            elif self.refreshes:
                await self._refresh()
            else:
                await self._catch_up()
        await self._finish()

    async def _finish(self) -> None:
        """Do what is left to do of the step."""
        if self._keep is not None:
            try:
                await self._keep()
            finally:
                self._keep = None
                self.release_inputs()

    def release_inputs(self) -> None:
        if self._keep is None:
            super().release_inputs()

    def settle(self) -> None:
        before = self.basis
        super().settle()
        if before is not None and self.basis is not None and before < self.basis:
            self._machine.unchanged(before, self.basis)

    def _kept(self, end: Timestamp) -> None:
        """What is in memory has all up to `end`, and nothing has happened to inputs from there to where the view is."""
        if self.basis is not None and end < self.basis:
            self._machine.unchanged(end, self.basis)

    async def _catch_up(self) -> None:
        """Take what has happened since, or some of it."""
        await self._inputs_reached(Timestamp(self.done + 1))
        self._draft.enter("read")
        large = self._large()
        if large is not None:
            if not await self._take_few_of(*large):
                await self._replace(*large)
            return
        start = self.done if self.basis is None else self.basis
        taken = await gather(self._tables, self._inputs_known, start, self.done, self._reachable())
        times = times_after(self.done, self.due, taken, self._input_tables)
        if not times:
            self._draft.is_made(How("idle", "what changed came to nothing"), taken.rows)
            self.moved(taken.end, self.basis if self.errors.open is not None else taken.end)
            self._tables.wake([self.view.id])
        elif self.basis is None:
            await self._begin_at(times[0])
        elif self.errors.open is not None:
            await self._retry(taken.up_to(times[0]), self.basis, "tried again, as it errs")
        else:
            await self._step(taken, times, self.basis)

    def _large(self) -> tuple[Foreseen, Timestamp, How] | None:
        """What happens next and is for Spark, so that it need not be read here, and how it is taken since when."""
        basis = self.basis
        if self._around.spark is None or basis is None or self.errors.open is not None or self.due is not None:
            return None
        seen = foreseen(self._inputs_by_name(), basis, self._reachable())
        if seen is None or first_failing(self._input_tables, Timestamp(basis + 1), seen.time) is not None:
            return None
        how = self._how_of_changes(seen.rows, 1)
        return (seen, basis, how) if how.mode == "spark" else None

    def _inputs_by_name(self) -> dict[str, Collection]:
        return dict(zip(map(str, self.view.inputs), self._input_tables, strict=True))

    async def _refresh(self) -> None:
        """Take all that has happened since the last refresh, as if it had happened now."""
        time = self.due
        assert time is not None  # else there would be nothing to do
        await self._inputs_reached(time)
        if self.basis is None:
            await self._begin_at(time)
            return
        self._draft.enter("read")
        seen = all_between(self._inputs_by_name(), self.basis, time)
        how = self._how_of_changes(seen.rows, 1)
        if how.mode == "spark" and first_failing(self._input_tables, time, time) is None:
            await self._replace(seen, self.basis, How("spark", f"{_REFRESHED}: {how.reason}"))
        else:
            taken = await gather(self._tables, self._inputs_known, self.basis, time, time)
            await self._retry(taken, self.basis, _REFRESHED)

    # Steps

    async def _prepare(self) -> None:
        """Make the states that are missing, and find out when the view changes by itself."""
        basis = self.basis
        assert basis is not None
        if self.stores.lacks_states:
            how = self._how_from_scratch("its states were missing")
            async with self._from_scratch(basis, None, how) as (written, _):
                self._draft.enter("commit")
                self._expect(await self.stores.rebuild(written.states))
        await self._find_due(basis)
        self.is_preparing = False
        self.stirred()

    @asynccontextmanager
    async def _from_scratch(
        self, at: Timestamp, basis: Timestamp | None, how: How, changed: Mapping[str, int] | None = None
    ) -> AsyncIterator[tuple[Written, UpdateBatch | None]]:
        """What to write for the view to be what it is at `at`, and its updates, if they are at hand.

        It is as it was at `basis`, since when the inputs `changed` have, by so many updates.
        """
        spark = self._around.spark
        self._draft.is_made(how, self.input_rows())
        if how.mode != "spark":
            most = MOST if spark is not None and self.view.is_exact else None
            try:
                made = await self._machine.from_scratch(at, self._draft, most)
            except TooManyRows:
                how = How("spark", f"{how.reason}; {TOO_MANY}")
                self._draft.is_made(how, self.input_rows())
            else:
                yield Written.of(made), made.output
                return
        assert spark is not None  # or it would not be chosen
        self._draft.enter("compute")
        async with spark.from_scratch(self.view, self.stores, at, basis, changed) as written:
            yield written, None

    def input_rows(self) -> int:
        """How many rows there are to read, roughly."""
        return sum(self._tables.size(id) for id in self.view.inputs)

    def _how_of_changes(self, changed: int, times: int) -> How:
        with_spark = self._around.spark is not None
        return of_changes(self.view, self.stores, changed, times, self.input_rows, with_spark=with_spark)

    def _most(self) -> int | None:
        """Rows that a join of a step may come to here, if Spark can do the same."""
        return MOST if self._around.spark is not None and can_be_replaced(self.view, self.stores) else None

    def _how_from_scratch(self, why: str) -> How:
        return from_scratch(self.view, self.input_rows(), why, with_spark=self._around.spark is not None)

    async def _begin_at(self, time: Timestamp) -> None:
        """Write the first rows."""
        await self._inputs_reached(time)
        failing = first_failing(self._input_tables, time, time)
        try:
            if failing is not None:
                raise failing.error
            async with self._from_scratch(time, None, self._how_from_scratch("first rows")) as (written, output):
                await self._write(written, time, None)
        except DataError as error:
            await self._err(time, error, None)
            return
        await self._wrote(output, time, 0)

    async def _step(self, taken: Gathered, times: list[Timestamp], basis: Timestamp) -> None:
        failing = first_failing(self._input_tables, Timestamp(basis + 1), taken.end)
        if failing is not None:
            if failing.start <= times[0]:
                await self._err(times[0], failing.error, basis)
                return
            taken = taken.up_to(Timestamp(failing.start - 1))
            times = [time for time in times if time <= taken.end]
        how = self._how_of_changes(taken.rows, len(times))
        if how.mode == "spark":
            await self._replace(_first(taken, times), basis, how)
            return
        while True:
            self._draft.is_made(how, taken.rows)
            try:
                made = await self._machine.step(taken.changes, basis, taken.end, self._draft, most=self._most())
            except TooManyRows:
                await self._replace(_first(taken, times), basis, How("spark", f"{how.reason}; {TOO_MANY}"))
                return
            except DataError as error:
                if len(times) == 1 and (taken.end == times[0] or not self.view.program.is_temporal):
                    await self._err(times[0], error, basis)
                    return
                times = times[: max(len(times) // 2, 1)]
                taken = taken.up_to(times[-1])
                how = How("incremental", f"{counted(taken.rows)}, to find out when it begins to err")
            else:
                break
        await self._commit(made, taken, basis)

    async def _replace(self, seen: Foreseen, basis: Timestamp, how: How) -> None:
        """Make the view on Spark at the one time at which much has changed."""
        try:
            async with self._from_scratch(seen.time, basis, how, seen.updates) as (written, output):
                await self._write(written, seen.time, basis)
        except DataError as error:
            await self._err(seen.time, error, basis)
            return
        self._machine.reset()
        self._keep = partial(self._follow, seen)
        await self._wrote(output, seen.time, seen.rows)

    async def _follow(self, seen: Foreseen) -> None:
        """Read what changed, which it was not so far, or all that is needed to know what the next large change does."""
        loads = self._machine.may_sift(seen.updates) and is_worth_loading(self.input_rows())
        await self._machine.follow(seen.time, loads=loads)
        self._kept(seen.time)

    async def _take_few_of(self, seen: Foreseen, basis: Timestamp, how: How) -> bool:
        """Take much that changed in this process, if few of it is of use and what tells so is in memory; or not."""
        spark = self._around.spark
        assert spark is not None  # or it would not be large
        if not self._machine.may_sift(seen.updates) or not self._machine.is_loaded(basis):
            return False
        few = int(few_among(self.input_rows()))
        self._draft.is_made(How("incremental", f"{how.reason}, but few of use"), seen.rows)
        try:
            with spark.rest():
                taken = await self._machine.read(seen.updates, basis, seen.time)
                made = await self._machine.step(taken, basis, seen.time, self._draft, most=self._most(), few=few)
        except (TooManyRows, DataError):
            return False  # whether it errs is found out by Spark
        self._draft.costs = made.costs
        await self._write(Written.of(made), seen.time, basis)
        self._keep = partial(self._keep_much, made, seen.time)
        await self._wrote(made.output, seen.time, seen.rows)
        return True

    async def _keep_much(self, made: Step, time: Timestamp) -> None:
        spark = self._around.spark
        assert spark is not None  # or it would not have been large
        with spark.rest():  # the next large change waits for this, if there is one
            await self._machine.keep_much(made.states, time)
        self._kept(time)

    async def _retry(self, taken: Gathered, basis: Timestamp, why: str) -> None:
        """Bring the view up to date with all that was taken, as if it had happened at its end, if it has rows then."""
        time, failing = taken.end, first_failing(self._input_tables, taken.end, taken.end)
        if failing is not None:
            await self._err(time, failing.error, basis)
            return
        how = self._how_of_changes(taken.rows, 1)
        how = How(how.mode, f"{why}: {how.reason if how.mode == 'spark' else counted(taken.rows)}")
        if how.mode != "spark":
            self._draft.is_made(how, taken.rows)
            try:
                made = await self._machine.step(taken.changes, basis, time, self._draft, first=time, most=self._most())
            except TooManyRows:
                how = How("spark", f"{how.reason}; {TOO_MANY}")
            except DataError as error:
                await self._err(time, error, basis)
                return
            else:
                await self._commit(made, taken, basis)
                return
        await self._replace(_first(taken, [time]), basis, how)

    async def _commit(self, made: Step, taken: Gathered, basis: Timestamp) -> None:
        """Write a step, and let it be seen."""
        self._draft.costs = made.costs
        await self._write(Written.of(made), taken.end, basis)
        keep = partial(self._keep_step, made, taken, basis)
        if self.view.program.is_temporal:
            await keep()  # when it changes by itself next is found in what is kept
        else:
            self._keep = keep
        await self._wrote(made.output, taken.end, taken.rows)

    async def _keep_step(self, made: Step, taken: Gathered, basis: Timestamp) -> None:
        await self._machine.keep(made.states, taken, basis)
        self._kept(taken.end)


def _first(taken: Gathered, times: Sequence[Timestamp]) -> Foreseen:
    """What happens at the first of the times."""
    changes = taken.up_to(times[0]).changes
    return Foreseen(times[0], {name: updates.rows for name, updates in changes.items() if updates.rows})
