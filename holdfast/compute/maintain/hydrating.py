"""A view and its states made from scratch by Spark, one collection after another.

Each is computed once, by one job. Its rows come here if they are few, and what is made of such alone is made in this
process: a job of Spark's takes longer to begin. All else is written by the executors, and read back by what is made of
it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from math import inf

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import broadcast, expr

from holdfast.compute.delta import (
    Follows,
    came_input,
    gone_input,
    joined_by,
    nothing_without,
    state_input,
    totals_of_sides,
)
from holdfast.compute.delta.add_up import CAME, GONE, OLD, totals_after
from holdfast.compute.delta.totals import WHOLE
from holdfast.compute.evaluate import evaluate
from holdfast.compute.evaluate.budget import TooManyRows
from holdfast.compute.evaluate.python_processes import stoppable
from holdfast.compute.maintain.inputs import EVERYWHERE, Input, InputChange, Places
from holdfast.compute.maintain.touched import added_totals, rows_of, sides_of, updates_of_rows, updates_of_totals
from holdfast.compute.render import SparkQuery, render
from holdfast.compute.run import running
from holdfast.persist import WriteHandle
from holdfast.persist.encoding import Stage
from holdfast.persist.spark.difference import Difference
from holdfast.persist.spark.scan import staged_rows
from holdfast.persist.spark.schema import quoted, spark_type
from holdfast.persist.spark.stage import from_spark, gathered, with_updates
from holdfast.persist.write import Staged
from holdfast.plan.errors import NullValueNotAllowed
from holdfast.plan.relation import Columns, Get, Plan, Relation
from holdfast.plan.rewrite.find_first import Finding, find_first
from holdfast.plan.rewrite.reduce_joins import reduce_joins
from holdfast.plan.rewrite.spread_semi_joins import spread_semi_joins
from holdfast.plan.types import INT8
from holdfast.repr.consolidate import consolidate
from holdfast.repr.frontier import Timestamp
from holdfast.repr.row import DIFF, TIME, RowType
from holdfast.repr.update import UpdateBatch
from holdfast.spark.frame import frame_of

FEW = 20_000
"""Rows of a collection that are gathered."""

_BROADCAST = 1_000_000
"""Updates of inputs of which the groups that they touch are sent to all executors."""

_MODEST = 200_000
"""Rows of a state or a change by which joins are reduced before they are made: they are sent to all tasks."""

_MANY = 1_000_000
"""Rows that are moved only to meet others after these were counted, if they may be modest: that takes a job of its own.
"""

_OF_A_CHANGE = 0.01
"""The share that a change is taken to be of a collection."""

_TOGETHER = 3
"""Collections that change at once and are followed, at most: for each of them, all others are read."""

_MOST = 1_000_000
"""Rows that a join of gathered ones may come to here."""


@dataclass(frozen=True, slots=True)
class Work:
    """A collection to write: what it is to be, what it was, and which of its columns must not be null.

    `plan` and `query` say the same. If they have a column more than the collection, it says how often a row is there.
    What it was is here, if that is few rows, and else updates for Spark to read; None: nothing.
    """

    name: str
    plan: Plan
    query: SparkQuery
    columns: Columns
    follows: Follows
    handle: WriteHandle
    stage: Stage
    old: UpdateBatch | DataFrame | None
    asserts: Mapping[int, str]

    @property
    def counts(self) -> bool:
        return len(self.plan.names) > len(self.columns)


@dataclass(frozen=True, slots=True)
class Read:
    """What works read: `now` are all inputs, with their `sizes` about, and `few` those that have few rows.

    `sides` are those from which rows went: totals may be made of what came to them and of what went, which have the
    names of `came_input` and `gone_input`.

    `changed` are the inputs that are not what they were when the old rows were made, each with what happened, if that
    may be followed; `before` is what those were then that are followed together, and `updates` how many there are of
    each, about.
    """

    now: Mapping[str, Input]
    sizes: Mapping[str, int] = field(default_factory=dict)
    few: frozenset[str] = frozenset()
    sides: frozenset[str] = frozenset()
    changed: Mapping[str, InputChange | None] = field(default_factory=dict)
    before: Mapping[str, Input] = field(default_factory=dict)
    updates: Mapping[str, int] = field(default_factory=dict)


def written(
    works: Sequence[Work], read: Read, at: Timestamp, code_limit: float | None, spark: SparkSession
) -> dict[str, Staged | UpdateBatch | None]:
    """What is to be appended to each collection. A work reads inputs, and states that come before it.

    `code_limit` says how many seconds a call of a user's function may take, here as on Spark; None: any number.
    """
    needed = frozenset(name for work in works for name in work.query.inputs)
    with ExitStack() as stack, stoppable(code_limit):
        hydrating = _Hydrating(spark, read, at, code_limit, stack)
        found = {work.name: hydrating.made(work, is_read=state_input(work.name) in needed) for work in works}
    return {name: updates if _is_some(updates) else None for name, updates in found.items()}


class _Hydrating:
    """`frames` make the states that works may read, and `tables` are the ones among these that are here. `modest` are
    states with more rows, but not very many. `found` is what is left of inputs by joins, with how much that is.

    `changed` are inputs and states that are not what they were, each with what came and went, if that is known.
    """

    def __init__(
        self, spark: SparkSession, read: Read, at: Timestamp, code_limit: float | None, stack: ExitStack
    ) -> None:
        self._spark, self._read, self._at, self._stack = spark, read, at, stack
        self._render = partial(render, code_limit=code_limit)
        self._frames, self._tables = dict[str, Callable[[], DataFrame]](), dict[str, pa.Table]()
        self._changed: dict[str, InputChange | _StateChange | None] = dict(read.changed)
        self._modest = set[str]()
        self._found: dict[Relation, tuple[Get, int]] = {}

    def made(self, work: Work, *, is_read: bool) -> Staged | UpdateBatch:
        old = work.old
        if isinstance(old, DataFrame):
            return self._replaced(work, old, self._change(work), is_read=is_read)
        table = self._evaluated(work)
        if table is None and old is not None and (found := self._change(work)) is not None:
            if work.follows.keys is None:
                return self._added(work, old, found)
            sides = (found.came, found.gone)
            change = Difference(*(None if side is None else self._remembered(side) for side in sides))
            table = self._followed(work, old, change, work.follows.keys)
            if table is None:
                return self._replaced(work, self._updates(old), change, is_read=is_read)
        if table is None:
            made = gathered(self._rows(work), work.handle, work.stage, self._at, FEW)
        else:
            made = _at(work.handle.row_type, table.columns, self._at, np.ones(table.num_rows, np.int64))
        _check(work, made)
        if is_read:
            self._keep(work, made)
        updates = self._without(work, made, old)
        if _is_some(updates):
            self._changed[state_input(work.name)] = None
        return updates

    def _evaluated(self, work: Work) -> pa.Table | None:
        """The rows, if they are made of gathered ones alone, and joins of these are not too many for this process."""
        if work.counts or not self._tables.keys() >= set(work.query.inputs):
            return None
        with suppress(TooManyRows):
            return evaluate(work.plan, {each: self._tables[each] for each in work.query.inputs}, (), _MOST)
        return None

    def _change(self, work: Work) -> Difference | None:
        """What follows from all that changed, if that is known. What it is added to are rows, or totals.

        Several collections change one after the other: what follows from one is made with those after it as they were,
        so that nothing is counted twice. The largest is the first, and may be any, as what it was is not needed then.
        """
        changes = {name: self._changed[name] for name in work.query.inputs if name in self._changed}
        if (work.counts and changes) or not work.follows.any_of.issuperset(changes) or None in changes.values():
            return None
        names = sorted(changes, key=lambda name: self._read.updates.get(name, inf), reverse=True)
        if len(names) > 1 and not self._can_be_followed(names):
            return None
        came, gone = list[DataFrame](), list[DataFrame]()
        for place, name in enumerate(names):
            changed, later = changes[name], frozenset(names[place + 1 :])
            assert changed is not None
            places = _places(work, name, changed) if isinstance(changed, InputChange) else {}
            needed = nothing_without(work.plan.relation) & places.keys() & self._read.now.keys()
            if any(self._input(other, later).has_none(places[other]) for other in needed):
                continue
            sides = changed.difference()
            for found, side in ((came, sides.came), (gone, sides.gone)):
                if side is not None:
                    found.append(self._rows(work, _Changed(name, side, later, places)))
        return Difference(*(reduce(DataFrame.unionAll, found) if found else None for found in (came, gone)))

    def _can_be_followed(self, names: Sequence[str]) -> bool:
        """Whether to change one after the other, the first of which may be large, is sooner done than all anew."""
        modest = all(name in self._read.before and self._is_modest_change(name) for name in names[1:])
        return modest and len(names) <= _TOGETHER

    def _input(self, name: str, before: Collection[str]) -> Input:
        return (self._read.before if name in before else self._read.now)[name]

    def _added(self, work: Work, old: UpdateBatch, change: Difference) -> Staged | UpdateBatch:
        """What came to few rows and what went, perhaps many."""
        row_type, name = work.handle.row_type, state_input(work.name)
        made: Staged | UpdateBatch = UpdateBatch.empty(row_type)
        if work.counts:
            assert change == Difference(None, None), "what counts its rows does not follow changes, and is not read"
            return made
        if change != Difference(None, None):
            updates = self._remembered(updates_of_rows(change, row_type))
            made = gathered(updates, work.handle, work.stage, self._at, FEW)
            _check(work, made)
        if isinstance(made, UpdateBatch):
            self._keep_table(name, _rows_in(UpdateBatch.concat(row_type, [old, made])), row_type)
            if made.rows:
                self._changed[name] = None
        else:
            self._frames[name] = partial(rows_of, self._updates(old), updates, row_type)
            self._changed[name] = _StateChange(updates, row_type)
            self._note_size(work, made)
        return made

    def _followed(self, work: Work, old: UpdateBatch, change: Difference, keys: int) -> pa.Table | None:
        """The totals, of the few that there were and what is added to them, if that is few."""
        row_type = work.handle.row_type
        came, gone = (
            UpdateBatch.empty(row_type) if side is None else _gathered(side.withColumn(DIFF, expr("1L")), row_type)
            for side in (change.came, change.gone)
        )
        if came is None or gone is None:
            return None
        tables = {OLD: _rows_in(old), CAME: _rows_in(came), GONE: _rows_in(gone)}
        return evaluate(totals_after(work.columns, keys), tables)

    def _rows(self, work: Work, change: _Changed | None = None) -> DataFrame:
        """What the work is of; or of a change of something that it reads, and of all else."""
        of = None if change is None else change.of
        relation = work.plan.relation
        if change is None:
            relation = find_first(relation, Finding(self._size, self._find, _MODEST, _MANY))
        relation = spread_semi_joins(reduce_joins(relation, partial(self._small, of)), self._is_modest)
        relation = totals_of_sides(relation, self._read.sides - {of})
        query = work.query if relation is work.plan.relation else self._render(replace(work.plan, relation=relation))
        frames = {name: self._frame(name, change) for name in query.inputs}
        frame = self._stack.enter_context(running(self._spark, query, frames, ()))
        schema = work.handle.row_type.schema
        columns = [f"CAST(c{index} AS {spark_type(field.type)}) AS c{index}" for index, field in enumerate(schema)]
        return frame.selectExpr(*columns, *([f"CAST(c{len(columns)} AS BIGINT) AS {DIFF}"] if work.counts else []))

    def _size(self, relation: Relation) -> int | None:
        """How many rows an input has, about; not of one that is read with what went from it."""
        if not isinstance(relation, Get) or relation.name in self._read.sides:
            return None
        return self._read.sizes.get(relation.name)

    def _find(self, left: Relation) -> tuple[Get, int]:
        """Let Spark find what is left of an input, and count it."""
        if left not in self._found:
            query = self._render(Plan(left, tuple(f"c{index}" for index in range(len(left.columns)))))
            frames = {name: self._frame(name, None) for name in query.inputs}
            rows = self._remembered(self._stack.enter_context(running(self._spark, query, frames, ())))
            name = f"found {len(self._found)}"
            self._frames[name] = lambda: rows
            self._found[left] = Get(name, left.columns), rows.count()
        return self._found[left]

    def _frame(self, name: str, change: _Changed | None) -> DataFrame:
        """What a query reads by a name."""
        if change is not None and name == change.of:
            return broadcast(change.rows) if self._is_modest_change(name) else change.rows
        if name in self._frames:
            return self._frames[name]()
        for each in self._read.now:
            places = EVERYWHERE if change is None else change.places.get(each, EVERYWHERE)
            found = self._input(each, () if change is None else change.before)
            if name == each:
                return found.rows(places)
            if name == came_input(each):
                return found.came(places)
            if name == gone_input(each):
                return found.gone(places)
        raise AssertionError(f"nothing is called {name}")

    def _small(self, of: str | None, relation: Relation) -> float | None:
        if isinstance(relation, Get) and relation.name == of:
            return _OF_A_CHANGE if self._is_modest_change(of) else None
        return 1 if self._is_small(relation) else None

    def _is_modest_change(self, of: str) -> bool:
        return self._read.updates.get(of, _MODEST + 1) <= _MODEST

    def _is_small(self, relation: Relation) -> bool:
        return isinstance(relation, Get) and (relation.name in self._tables or relation.name in self._read.few)

    def _is_modest(self, relation: Relation) -> bool:
        return self._is_small(relation) or (isinstance(relation, Get) and relation.name in self._modest)

    def _keep(self, work: Work, made: Staged | UpdateBatch) -> None:
        """Others read the rows that were made. None of them was counted: each update is a row."""
        name = state_input(work.name)
        if isinstance(made, Staged):
            self._frames[name] = partial(staged_rows, self._spark, work.handle, made)
            if _size(made) <= _MODEST:
                self._modest.add(name)
        else:
            self._keep_table(name, made.table.select(range(len(work.columns))), made.row_type)

    def _keep_table(self, name: str, rows: pa.Table, row_type: RowType) -> None:
        self._tables[name] = rows
        self._frames[name] = partial(frame_of, self._spark, _named(rows), _schema(row_type))

    def _without(self, work: Work, made: Staged | UpdateBatch, old: UpdateBatch | None) -> Staged | UpdateBatch:
        """What was made, and that the old rows are gone."""
        row_type = work.handle.row_type
        gone = UpdateBatch.empty(row_type)
        if old is not None:
            columns = old.table.columns[: len(row_type.names)]
            gone = _at(row_type, columns, self._at, -np.asarray(old.table[DIFF]))
        if isinstance(made, Staged):
            return with_updates(made, gone, work.handle, work.stage)
        return consolidate(UpdateBatch.concat(row_type, [made, gone]))

    def _updates(self, updates: UpdateBatch) -> DataFrame:
        """The same for Spark, but for times."""
        fields = [f"{quoted(field.name)} {spark_type(field.type)}" for field in updates.row_type.schema]
        return frame_of(self._spark, updates.table.drop_columns([TIME]), ", ".join([*fields, f"{DIFF} BIGINT"]))

    def _replaced(
        self, work: Work, old: DataFrame, change: Difference | None, *, is_read: bool
    ) -> Staged | UpdateBatch:
        """The difference to many old rows, which Spark finds: of what follows from what changed, if that is known."""
        row_type, name = work.handle.row_type, state_input(work.name)
        if change == Difference(None, None):
            self._frames[name] = partial(rows_of, old, None, row_type)
            return UpdateBatch.empty(row_type)
        difference = None if change is None else self._touched(work, old, change)
        if difference is not None:
            self._frames[name] = partial(rows_of, old, difference, row_type)
            self._changed[name] = _StateChange(difference, row_type)
        else:
            rows = self._rows(work)
            if is_read:
                rows = self._remembered(rows)
            self._frames[name], self._changed[name] = lambda: rows, None
            difference = _difference(rows if work.counts else rows.withColumn(DIFF, expr("1L")), old, row_type)
        made = gathered(difference, work.handle, work.stage, self._at, FEW)
        _check(work, made)
        self._note_size(work, made)
        return made

    def _note_size(self, work: Work, made: Staged | UpdateBatch) -> None:
        """Whether a state that has grown by what was made is modest."""
        before = sum(part.sums.diffs for batch in work.handle.state.batches for part in batch.parts)
        if before + _sum(made) <= _MODEST:
            self._modest.add(state_input(work.name))

    def _touched(self, work: Work, old: DataFrame, change: Difference) -> DataFrame | None:
        """The updates of what a change touches. None: there is no such way for totals of these types."""
        row_type, keys = work.handle.row_type, work.follows.keys
        if keys is None:
            return self._remembered(updates_of_rows(change, row_type))
        if not keys or any(column.type not in (INT8, WHOLE) for column in work.columns[keys:]):
            return None
        added = self._remembered(added_totals(change, row_type, keys))
        return self._remembered(
            updates_of_totals(added, old, row_type, keys, few=sum(self._read.updates.values()) <= _BROADCAST)
        )

    def _remembered(self, frame: DataFrame) -> DataFrame:
        """The frame, computed once however often it is read."""
        frame = frame.persist()
        self._stack.callback(frame.unpersist)
        return frame


@dataclass(frozen=True, slots=True)
class _StateChange:
    """Updates of a state, which do not cancel."""

    updates: DataFrame
    row_type: RowType

    def difference(self) -> Difference:
        return sides_of(self.updates, self.row_type)


@dataclass(frozen=True, slots=True)
class _Changed:
    """`rows` in the place of what is called `of`, with inputs as they were `before` and others as they are.

    Of these, only rows in `places` are of use.
    """

    of: str
    rows: DataFrame
    before: frozenset[str]
    places: Mapping[str, Places]


def _places(work: Work, name: str, change: InputChange) -> dict[str, Places]:
    """Where the rows of other inputs are that a change of one is joined with."""
    found: dict[str, Places] = {}
    for other, columns in joined_by(work.plan.relation, name).items():
        ranges = {place: change.range_of(ours) for place, ours in columns.items()}
        found[other] = {place: each for place, each in ranges.items() if each is not None}
    return found


def _check(work: Work, made: Staged | UpdateBatch) -> None:
    """Refuse nulls where the view says that there are none."""
    for position, column in work.asserts.items():
        if isinstance(made, UpdateBatch):
            nulls = made.table.column(position).null_count
        else:
            nulls = sum(part.stats[position][1].nulls for part in made.parts)
        if nulls:
            raise NullValueNotAllowed(f'column "{column}" must not be null')


def _gathered(counted: DataFrame, row_type: RowType) -> UpdateBatch | None:
    """All updates, if they are few. Their time says nothing."""
    found = counted.limit(FEW + 1).toArrow()
    if found.num_rows > FEW:
        return None
    return from_spark(row_type, found.append_column(TIME, pa.array(np.zeros(found.num_rows, np.int64))))


def _rows_in(updates: UpdateBatch) -> pa.Table:
    """The rows of updates, each as often as it is there."""
    counted = consolidate(_untimed(updates)).table
    repeats = np.repeat(np.arange(counted.num_rows), np.asarray(counted[DIFF]))
    return counted.select(range(len(updates.row_type.names))).take(pa.array(repeats))


def _untimed(updates: UpdateBatch) -> UpdateBatch:
    columns = updates.table.columns
    return _at(updates.row_type, columns[:-2], Timestamp(0), np.asarray(columns[-1]))


def _difference(new: DataFrame, old: DataFrame, row_type: RowType) -> DataFrame:
    """What has to be added to the old rows to get the new ones."""
    columns = [quoted(name) for name in row_type.names]
    both = new.unionAll(old.selectExpr(*columns, f"-{DIFF} AS {DIFF}"))
    return both.groupBy(*columns).agg(expr(f"coalesce(sum({DIFF}), 0L) AS {DIFF}")).where(f"{DIFF} <> 0")


def _at(row_type: RowType, columns: Iterable[pa.ChunkedArray], time: Timestamp, diffs: np.ndarray) -> UpdateBatch:
    times = np.full(len(diffs), time, np.int64)
    arrays = [*columns, pa.array(times), pa.array(diffs)]
    return UpdateBatch(row_type, pa.Table.from_arrays(arrays, names=row_type.updates_schema.names))


def _named(table: pa.Table) -> pa.Table:
    return table.rename_columns([f"c{index}" for index in range(table.num_columns)])


def _schema(row_type: RowType) -> str:
    return ", ".join(f"c{index} {spark_type(field.type)}" for index, field in enumerate(row_type.schema))


def _is_some(updates: Staged | UpdateBatch) -> bool:
    return bool(updates.parts if isinstance(updates, Staged) else updates.rows)


def _size(updates: Staged | UpdateBatch) -> int:
    return sum(part.rows for part in updates.parts) if isinstance(updates, Staged) else updates.rows


def _sum(updates: Staged | UpdateBatch) -> int:
    """By how many rows a collection grows."""
    if isinstance(updates, Staged):
        return sum(part.sums.diffs for part in updates.parts)
    return int(np.asarray(updates.table[DIFF]).sum())
