"""Consolidation: the same collection in as few updates as can say it.

The order of the updates that come out is not defined.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdfast.errors import HoldfastError
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.row import DIFF, TIME
from holdfast.repr.surrogate import surrogates
from holdfast.repr.update import UpdateBatch

Int64s = npt.NDArray[np.int64]
UInt64s = npt.NDArray[np.uint64]
Words = npt.NDArray[np.unsignedinteger]
Groups = tuple[pa.Table, list[Int64s]]
"""The different rows of some keys, and for each the sums of some addends. Rows may be missing if all sums are zero."""

_ODD = np.uint64(0x9E37_79B9_7F4A_7C15)
"""2^64 divided by the golden ratio: multiplying by it spreads low bits over the high ones."""

_BLOCK = 1 << 15
"""Rows hashed at a time: the hashes and one column of a block stay in the second-level cache."""

_SAMPLE_SLICES, _SAMPLE_SHARE, _SAMPLE_MOST = 16, 64, 1 << 14
"""Rows looked at to choose how to group: one in so many but not more than so many, in so many slices."""

_SORT_BELOW = 3
"""Rows for each group below which sorting is faster than a hash table: found by timing both on a million rows."""


class DiffOverflowError(HoldfastError):
    """The multiplicity of a row does not fit 64 bits."""


def consolidate(batch: UpdateBatch) -> UpdateBatch:
    """The same updates with one for each row and time, and none whose diff is zero.

    Rows are equal iff they are so in SQL's `DISTINCT`: null equals null, NaN equals NaN, and the signs of zeros and
    the order of the entries of maps do not matter.
    """
    keys = pa.table([_key(column) for column in batch.table.columns[:-1]], names=batch.table.column_names[:-1])
    groups, sums = _group(keys, _addends(np.asarray(_array(batch.table[DIFF]))))
    totals = _total(sums)
    if not totals.all():
        kept = np.flatnonzero(totals)
        groups, totals = groups.take(pa.array(kept)), totals[kept]
    if groups.num_rows == batch.rows:
        return batch
    columns = [_values(batch.table[name], keys[name], groups[name]) for name in keys.column_names]
    return UpdateBatch(batch.row_type, pa.table([*columns, totals], names=batch.table.column_names))


def advance_by(batch: UpdateBatch, since: Frontier) -> UpdateBatch:
    """Every update at its time as seen from `since` (`Frontier.advance`), not consolidated.

    At each time in advance of `since` the collection is the same as before.
    """
    if batch.min_time is None or since.advance(batch.min_time) == batch.min_time:
        return batch
    return _at(batch, pc.max_element_wise(batch.table[TIME], pa.scalar(since.time, pa.int64())))


def as_of(batch: UpdateBatch, time: Timestamp) -> UpdateBatch:
    """The collection at `time`: all updates up to it, as if made then, consolidated."""
    if batch.max_time is not None and batch.max_time > time:
        batch = UpdateBatch(batch.row_type, batch.table.filter(pc.less_equal(batch.table[TIME], time)))
    return consolidate(_at(batch, pa.repeat(pa.scalar(time, pa.int64()), batch.rows)))


def _at(batch: UpdateBatch, times: pa.Array | pa.ChunkedArray) -> UpdateBatch:
    position = len(batch.row_type.names)
    return UpdateBatch(batch.row_type, batch.table.set_column(position, batch.table.schema.field(TIME), times))


def _array(column: pa.ChunkedArray) -> pa.Array:
    """`column` in one piece, copied only if it is in several."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _key(column: pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """A flat column that is equal where `column` is."""
    return surrogates(_array(column)) if pa.types.is_nested(column.type) else column


def _values(column: pa.ChunkedArray, keys: pa.ChunkedArray, groups: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values of `column` whose keys among `keys` are `groups`."""
    if not pa.types.is_nested(column.type):
        return groups
    surrogate = np.asarray(keys)
    position = np.empty(surrogate.max(initial=-1) + 1, np.int64)
    position[surrogate] = np.arange(len(surrogate))
    return column.take(pa.array(position[np.asarray(groups)]))


def _addends(diffs: Int64s) -> list[Int64s]:
    """`diffs` such that no sum of them overflows: as they are, or in halves where sums could be too large."""
    largest = max(-int(diffs.min(initial=0)), int(diffs.max(initial=0)))
    if largest * len(diffs) < 2**63:
        return [diffs]
    return [diffs >> 32, diffs & 0xFFFF_FFFF]


def _total(sums: Sequence[Int64s]) -> Int64s:
    """The sums of diffs, from the sums of their `_addends`."""
    if len(sums) == 1:
        return sums[0]
    high, low = sums
    high = high + (low >> 32)
    if ((high < -(2**31)) | (high >= 2**31)).any():
        raise DiffOverflowError("the diffs of a row add up to more than 64 bits")
    return (high << 32) | (low & 0xFFFF_FFFF)


def _group(keys: pa.Table, addends: Sequence[Int64s]) -> Groups:
    if not all(_can_be_compared(key.type) for key in keys.schema):
        return _group_by_table(keys, addends)
    worded = keys.select([key.name for key in keys.schema if _has_words(key.type)])
    if not _sorting_is_faster(worded):
        return _group_by_table(keys, addends)
    words = _words(worded)
    return _group_by_sorting(keys, addends, words, _hashes(words))


def _sorting_is_faster(worded: pa.Table) -> bool:
    """Whether a sample has few rows that are equal in the columns that have words.

    Of `s` rows drawn from `n` with `r` in each group, about `r * s^2 / 2n` equal an earlier one.
    """
    count = int(worded.num_rows)
    length = min(count // _SAMPLE_SHARE, _SAMPLE_MOST) // _SAMPLE_SLICES
    if length == 0:
        return False
    sample = pa.concat_tables(worded.slice(at, length) for at in range(0, count - length, count // _SAMPLE_SLICES))
    hashes = np.sort(_hashes(_words(sample)))
    duplicates = int(np.count_nonzero(hashes[1:] == hashes[:-1]))
    return 2 * count * duplicates < _SORT_BELOW * hashes.size**2


def _has_words(data_type: pa.DataType) -> bool:
    return bool(pa.types.is_primitive(data_type)) and int(data_type.bit_width) <= 64


def _can_be_compared(data_type: pa.DataType) -> bool:
    """Whether two values are equal where their words are, or Arrow says so."""
    kinds = (pa.types.is_string, pa.types.is_binary, pa.types.is_decimal)
    return _has_words(data_type) or any(is_kind(data_type) for is_kind in kinds)


def _words(worded: pa.Table) -> list[Words]:
    """Arrays of numbers that are equal where the columns, which all have words, are."""
    words: list[Words] = []
    for column in worded.columns:
        values = _bits(_array(column))
        if values.null_count:
            words.append(np.asarray(values.is_null().cast(pa.uint8())))
            values = values.fill_null(0)
        words.append(np.asarray(values))
    return words


def _bits(key: pa.Array) -> pa.Array:
    """A column that has words as numbers without signs."""
    if pa.types.is_boolean(key.type):
        key = key.cast(pa.uint8())
    return key.view({8: pa.uint8(), 16: pa.uint16(), 32: pa.uint32(), 64: pa.uint64()}[key.type.bit_width])


def hashes_of_words(columns: Sequence[pa.Array]) -> UInt64s | None:
    """Hashes of rows by those of their columns that are numbers, dates and the like. None: there are no such columns.

    Rows that are equal have equal hashes, whatever rows they are among; rows whose numbers are not hardly ever do, but
    where one has a null and the other a zero.
    """
    worded = [np.asarray(_bits(column).fill_null(0)) for column in columns if _has_words(column.type)]
    return _hashes(worded) if worded else None


def _hashes(words: Sequence[Words]) -> UInt64s:
    """Equal rows have equal hashes; unequal rows hardly ever do."""
    hashes = np.zeros(len(words[0]), np.uint64)
    shifted = np.empty(_BLOCK, np.uint64)
    for begin in range(0, len(hashes), _BLOCK):
        block = hashes[begin : begin + _BLOCK]
        high = shifted[: len(block)]
        for word in words:
            block ^= word[begin : begin + _BLOCK]
            block *= _ODD
            block ^= np.right_shift(block, 32, out=high)
        block *= _ODD
    return hashes


def _group_by_table(keys: pa.Table, addends: Sequence[Int64s]) -> Groups:
    """Groups by Arrow's hash table of rows."""
    names = [f"key{index}" for index in range(keys.num_columns)]
    summed = [f"addend{index}" for index in range(len(addends))]
    grouped = (
        pa.table([*keys.columns, *addends], names=[*names, *summed])
        .group_by(names, use_threads=False)
        .aggregate([(name, "sum") for name in summed])
    )
    sums = [np.asarray(_array(grouped[f"{name}_sum"])) for name in summed]
    return grouped.select(names).rename_columns(keys.column_names), sums


def _group_by_sorting(keys: pa.Table, addends: Sequence[Int64s], words: Sequence[Words], hashes: UInt64s) -> Groups:
    """Groups by sorting `hashes`, exact whatever they are.

    Rows with different hashes are different. Rows with one hash are compared, also in the columns that have no words,
    and where they turn out to differ, left to Arrow. What is sorted are the high bits of a hash with the row's position
    in place of the low ones: sorting plain integers is several times faster than sorting positions by them.
    """
    position_mask = np.uint64((1 << (len(hashes) - 1).bit_length()) - 1)
    tagged = np.sort((hashes & ~position_mask) | np.arange(len(hashes), dtype=np.uint64))
    repeats = np.zeros(len(tagged) + 1, np.bool_)  # whether a row has the hash of the one before
    np.less_equal(tagged[1:] ^ tagged[:-1], position_mask, out=repeats[1:-1])
    shared = np.flatnonzero(repeats[1:] | repeats[:-1])
    if len(shared) == 0:
        return keys, list(addends)
    rows = (tagged[shared] & position_mask).astype(np.int64)
    repeated = repeats[shared]
    starts = np.flatnonzero(~repeated)
    mixed = np.logical_or.reduceat(_differs_from_previous(keys, words, rows) & repeated, starts)
    apart = rows[np.repeat(mixed, np.diff(starts, append=len(rows)))]
    sums = [addend.copy() for addend in addends]
    for total, addend in zip(sums, addends, strict=True):
        total[rows] = 0
        total[rows[starts]] = np.add.reduceat(addend[rows], starts)
        total[apart] = 0
    kept = np.bitwise_or.reduce(sums) != 0
    groups, totals = keys.filter(pa.array(kept)), [total[kept] for total in sums]
    if len(apart) == 0:
        return groups, totals
    others, other_totals = _group_by_table(keys.take(pa.array(apart)), [addend[apart] for addend in addends])
    return pa.concat_tables([groups, others]), [np.concatenate(pair) for pair in zip(totals, other_totals, strict=True)]


def _differs_from_previous(keys: pa.Table, words: Sequence[Words], rows: Int64s) -> npt.NDArray[np.bool_]:
    """For each of `rows` whether it is different from the one listed before it."""
    differs = np.zeros(len(rows), np.bool_)
    for word in words:
        values = word.take(rows)
        differs[1:] |= values[1:] != values[:-1]
    for other in (column for column in keys.columns if not _has_words(column.type)):
        column = _array(other.take(pa.array(rows)))
        values, before = column.slice(1), column.slice(0, len(column) - 1)
        unequal = pc.not_equal(values, before)
        if unequal.null_count:
            unequal = pc.coalesce(unequal, pc.xor(values.is_null(), before.is_null()))
        differs[1:] |= np.asarray(unequal)
    return differs
