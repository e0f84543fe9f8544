"""The committer: puts an instance's commands in one order and makes them durable, several to a transaction.

Commands wait in a queue. All that wait when the previous transaction ends go
into the next one, so a busy instance pays one commit for many commands. A
command is a pure function of a shard's state, and so may be run again: when
another process changed the shard first, or when a transaction did not happen.
Whether a transaction happened whose answer was lost is found out by its token.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from holdfast.errors import HoldfastError, OutcomeUnknown, UnavailableError, UsageError
from holdfast.persist.errors import Fenced, MetadataOutcomeUnknown, Stopped, UnknownCollection
from holdfast.persist.metadata import Change, Commit, Committed, Conflict, EpochMismatch, Metadata
from holdfast.persist.metrics import COMMIT_CONFLICTS, COMMITS, UPPER_MISMATCHES, PersistMetrics
from holdfast.persist.retry import pauses, report_and_pause
from holdfast.persist.shard import Command, Refusal, ShardState, UpperMismatch
from holdfast.persist.store import StoreState
from holdfast.repr.ids import ShardId

log = logging.getLogger(__name__)

States: TypeAlias = Mapping[ShardId, ShardState]


@dataclass(frozen=True, slots=True)
class Work:
    """Commands that happen together or not at all, in order; what they make of the shards is the result.

    `create`, given the id allotted to it, is a new shard; `address` is where the writer tells of changes from now on.
    """

    commands: tuple[tuple[ShardId, Command], ...] = ()
    create: Callable[[ShardId], ShardState] | None = None
    address: str | None = None
    done: asyncio.Future[States | Refusal] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


@dataclass(slots=True)
class _Attempt:
    """What one transaction would do."""

    commit: Commit
    results: list[States | Refusal | HoldfastError]
    changed: dict[ShardId, ShardState]
    store: StoreState | None


class Committer:
    """One per instance. `epoch` None: of a read-only instance, which changes nothing but its readers."""

    def __init__(
        self,
        metadata: Metadata,
        store: StoreState,
        *,
        writes: bool,
        now: Callable[[], int],
        metrics: PersistMetrics,
        on_change: Callable[[States], None],
    ) -> None:
        self._metadata, self._now, self._metrics, self._on_change = metadata, now, metrics, on_change
        self._store = store
        self._epoch = store.epoch if writes else None
        self._states: dict[ShardId, ShardState] = {}
        self._stale: set[ShardId] = set()
        self._guard = threading.Lock()
        self._waiting: list[Work] = []
        self._wake = asyncio.Event()
        self._stopping = False
        self._fenced: Fenced | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="holdfast-commit")
        self._task = asyncio.create_task(self._run(), name="holdfast-committer")

    async def submit(self, work: Work) -> States | Refusal:
        """Run `work` after all submitted before it. A caller that is cancelled does not take it back."""
        if self._fenced is not None:
            raise self._fenced
        if self._stopping:
            raise Stopped
        self._waiting.append(work)
        self._wake.set()
        return await asyncio.shield(work.done)

    async def apply(self, shard: ShardId, command: Command) -> ShardState | Refusal:
        """Run one command on one shard."""
        result = await self.submit(Work(((shard, command),)))
        return result[shard] if isinstance(result, Mapping) else result

    def state(self, shard: ShardId) -> ShardState | None:
        """The last version of `shard` that went through here."""
        return self._states.get(shard)

    def observe(self, states: States) -> None:
        """Take in versions read from the metadata store."""
        with self._guard:
            for shard, state in states.items():
                known = self._states.get(shard)
                if known is None or known.seqno < state.seqno:
                    self._states[shard] = state

    @property
    def store(self) -> StoreState:
        """The store as this writer last left it."""
        return self._store

    @property
    def fenced(self) -> Fenced | None:
        return self._fenced

    async def set_address(self, address: str) -> None:
        """Write down where this writer tells of changes."""
        await self.submit(Work(address=address))

    async def stop(self) -> None:
        """Finish what is waiting; refuse what comes."""
        self._stopping = True
        self._wake.set()
        await self._task
        self._thread.shutdown()

    # The loop

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            works, self._waiting = self._waiting, []
            if works:
                await self._commit(works)
            if self._stopping and not self._waiting:
                return

    async def _commit(self, works: Sequence[Work]) -> None:
        try:
            results, changed = await self._until_decided(works)
            if changed:
                self._on_change(changed)
        except HoldfastError as error:
            _settle(works, [error] * len(works))
            return
        except Exception as error:
            log.exception("committer failed")
            self._stale |= self._states.keys()
            _settle(works, [OutcomeUnknown(f"a commit failed: {type(error).__name__}: {error}")] * len(works))
            return
        self._metrics.add(UPPER_MISMATCHES, sum(isinstance(r, UpperMismatch) for r in results))
        _settle(works, results)

    async def _until_decided(
        self, works: Sequence[Work]
    ) -> tuple[Sequence[States | Refusal | HoldfastError], dict[ShardId, ShardState]]:
        """Try until a transaction with all of `works` has happened, or cannot."""
        undecided: dict[str, _Attempt] = {}
        for number, pause in enumerate(pauses(), start=1):
            try:
                attempt = await self._in_thread(lambda: self._attempt(works, undecided))
            except (MetadataOutcomeUnknown, UnavailableError) as error:
                if self._stopping and number > 1:
                    _check_decided(error, undecided)
                    raise
                await report_and_pause("commit", error, number, pause, self._metrics)
            except HoldfastError as error:
                _check_decided(error, undecided)
                raise
            else:
                if attempt is not None:
                    return attempt.results, attempt.changed
                self._metrics.add(COMMIT_CONFLICTS)
        raise AssertionError("pauses never end")

    async def _in_thread(self, call: Callable[[], _Attempt | None]) -> _Attempt | None:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    def _attempt(self, works: Sequence[Work], undecided: dict[str, _Attempt]) -> _Attempt | None:
        """One transaction. None: it was refused because a shard had changed, so try again from its new state."""
        if undecided and (happened := self._happened(undecided)) is not None:
            return happened
        attempt = self._prepare(works)
        token = attempt.store.token if attempt.store is not None else ""
        if not attempt.commit.changes and (attempt.store is None or attempt.store.address == self._store.address):
            self._check_epoch(attempt)
            return attempt
        try:
            outcome = self._metadata.commit(attempt.commit)
        except MetadataOutcomeUnknown:
            if self._epoch is not None:
                undecided[token] = attempt
            self._stale |= attempt.changed.keys() & self._states.keys()
            raise
        match outcome:
            case Committed(version):
                return self._took_effect(attempt, version)
            case Conflict(shard):
                if shard not in self._states and not undecided:
                    raise UsageError(f'collection "{attempt.changed[shard].name}" exists already')
                self._stale |= {shard} & self._states.keys()
                return None
            case EpochMismatch(current):
                self._fence(current)
        return None

    def _prepare(self, works: Sequence[Work]) -> _Attempt:
        """Run the commands on the current states."""
        wanted = {shard for work in works for shard, _ in work.commands}
        if unknown := (wanted - self._states.keys()) | (wanted & self._stale):
            self.observe(self._metadata.load(unknown))
            self._stale -= wanted
        now = self._now()
        before = {shard: self._states[shard] for shard in wanted if shard in self._states}
        current = {shard: state.expire(now) for shard, state in before.items()}
        next_shard, address = self._store.next_shard, self._store.address
        results: list[States | Refusal | HoldfastError] = []
        created: dict[ShardId, ShardState] = {}
        for work in works:
            address = address if work.address is None else work.address
            if work.create is not None:
                state = work.create(next_shard)
                created[next_shard] = state
                next_shard = ShardId(next_shard + 1)
                results.append({state.id: state})
                continue
            outcome = _run_commands(work, current)
            if isinstance(outcome, Mapping):
                current |= outcome
            results.append(outcome)
        changes = [Change(before[shard], state) for shard, state in current.items() if state is not before[shard]]
        changes += [Change(None, state) for state in created.values()]
        changed = {change.new.id: change.new for change in changes}
        store = None
        if self._epoch is not None:
            store = replace(self._store, token=uuid.uuid4().hex, next_shard=next_shard, address=address)
        return _Attempt(Commit(self._epoch, store, tuple(changes)), results, changed, store)

    def _took_effect(self, attempt: _Attempt, version: int) -> _Attempt:
        self._metrics.add(COMMITS)
        self.observe(attempt.changed)
        if attempt.store is not None:
            self._store = replace(attempt.store, version=version)
        return attempt

    def _happened(self, undecided: dict[str, _Attempt]) -> _Attempt | None:
        """Which of the undecided transactions took effect: the store remembers the writer's last token."""
        store = self._metadata.store()
        if store.token in undecided:
            return self._took_effect(undecided[store.token], store.version)
        if store.epoch != self._epoch:
            self._fence(store)
        return None

    def _check_epoch(self, attempt: _Attempt) -> None:
        """A refusal must come from the latest state, also if nothing is written for it."""
        if self._epoch is None or not any(not isinstance(result, Mapping) for result in attempt.results):
            return
        store = self._metadata.store()
        if store.epoch != self._epoch:
            self._fence(store)

    def _fence(self, current: StoreState) -> None:
        assert self._epoch is not None
        holder = current.lock.holder if current.lock else None
        self._fenced = Fenced(self._epoch, current.epoch, holder)
        log.error("writer fenced", extra={"epoch": self._epoch, "current": current.epoch, "holder": holder})
        raise self._fenced


def _run_commands(work: Work, current: dict[ShardId, ShardState]) -> States | Refusal | HoldfastError:
    """The new states of the work's shards, or why none of it happens."""
    trial: dict[ShardId, ShardState] = {}
    for shard, command in work.commands:
        state = trial.get(shard) or current.get(shard)
        if state is None:
            return UnknownCollection(str(shard))
        try:
            outcome = command(state)
        except HoldfastError as error:
            return error
        if not isinstance(outcome, ShardState):
            return outcome
        trial[shard] = outcome
    return trial


def _check_decided(error: HoldfastError, undecided: Mapping[str, _Attempt]) -> None:
    """While a transaction is undecided, no error may say that nothing happened."""
    if undecided:
        unknown = OutcomeUnknown(f"a commit may or may not have happened: {error}")
        unknown.hint = "Open the store again and read the upper to find out."
        raise unknown from error


def _settle(works: Sequence[Work], results: Sequence[States | Refusal | HoldfastError]) -> None:
    for work, result in zip(works, results, strict=True):
        if work.done.cancelled():
            continue
        if isinstance(result, HoldfastError):
            work.done.set_exception(result)
        else:
            work.done.set_result(result)
