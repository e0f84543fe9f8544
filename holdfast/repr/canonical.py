"""Canonical values: of the representations that are equal in SQL, one.

Zero has no sign, there is one NaN, and the entries of a map are in the order
of their keys. Values that are canonical are equal iff their bits are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdfast.errors import UsageError


@dataclass(frozen=True, slots=True)
class _FloatBits:
    """How a float type lies in an unsigned `word`: more than `infinity`, but for the sign, is a NaN; `nan` is ours."""

    word: type[np.uint32 | np.uint64]
    sign: int
    infinity: int
    nan: int


_FLOAT_BITS = {
    pa.float32(): _FloatBits(np.uint32, sign=1 << 31, infinity=0xFF << 23, nan=0x1FF << 22),
    pa.float64(): _FloatBits(np.uint64, sign=1 << 63, infinity=0x7FF << 52, nan=0xFFF << 51),
}


def canonical(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """`column` with every value canonical: itself if it is so already."""
    if not has_variants(column.type):
        return column
    chunks = [_canonical(chunk) for chunk in column.chunks]
    if all(new is old for new, old in zip(chunks, column.chunks, strict=True)):
        return column
    return pa.chunked_array(chunks, column.type)


def has_variants(data_type: pa.DataType) -> bool:
    """Whether values of the type can be equal with different bits."""
    if pa.types.is_floating(data_type) or pa.types.is_map(data_type):
        return True
    if pa.types.is_list(data_type):
        return has_variants(data_type.value_type)
    return pa.types.is_struct(data_type) and any(has_variants(field.type) for field in data_type)


def _canonical(array: pa.Array) -> pa.Array:
    if len(array) == 0 or not has_variants(array.type):
        return array
    if pa.types.is_map(array.type):
        return _canonical_map(array)
    if pa.types.is_list(array.type):
        old = array.values
        new = _canonical(old)
        return array if new is old else _with_child(array, new)
    if pa.types.is_struct(array.type):
        return _canonical_struct(array)
    return _canonical_float(array)


def _canonical_float(array: pa.Array) -> pa.Array:
    # Bits, not floats: an operation on a signalling NaN would warn, and may quieten it first.
    floats = _FLOAT_BITS[array.type]
    bits: npt.NDArray[np.unsignedinteger] = np.frombuffer(array.buffers()[1], floats.word)
    bits = bits[array.offset : array.offset + len(array)]
    negative_zero = bits == floats.sign
    variant_nan = ((bits & (floats.sign - 1)) > floats.infinity) & (bits != floats.nan)
    if not negative_zero.any() and not variant_nan.any():
        return array
    bits = bits.copy()
    bits[negative_zero] = 0
    bits[variant_nan] = floats.nan
    nulls = array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None
    return pa.array(bits, mask=nulls).view(array.type)


def _canonical_struct(array: pa.StructArray) -> pa.StructArray:
    old = [array.field(index) for index in range(array.type.num_fields)]
    new = [_canonical(child) for child in old]
    if all(child is before for child, before in zip(new, old, strict=True)):
        return array
    return pa.StructArray.from_arrays(new, fields=list(array.type), mask=array.is_null())


def _canonical_map(array: pa.MapArray) -> pa.MapArray:
    old_keys, old_items = array.keys, array.items
    keys, items = _canonical(old_keys), _canonical(old_items)
    offsets = np.asarray(array.offsets)
    begin, end = int(offsets[0]), int(offsets[-1])
    own_keys = keys.slice(begin, end - begin)
    if own_keys.null_count:
        raise UsageError("map has a null key")
    owner = np.repeat(np.arange(len(array)), np.diff(offsets))
    order = np.asarray(
        pc.sort_indices(
            pa.table({"owner": owner, "key": own_keys}),
            sort_keys=[("owner", "ascending"), ("key", "ascending")],
        )
    )
    sorted_already = bool((order[:-1] < order[1:]).all())
    if sorted_already and keys is old_keys and items is old_items:
        return array
    if not sorted_already:
        everything = np.arange(len(keys))
        everything[begin:end] = begin + order.astype(np.int64)
        keys, items = keys.take(pa.array(everything)), items.take(pa.array(everything))
    fields = [array.type.key_field, array.type.item_field]
    return _with_child(array, pa.StructArray.from_arrays([keys, items], fields=fields))


def _with_child(array: pa.Array, child: pa.Array) -> pa.Array:
    """The list or map `array`, slice and nulls included, over other values."""
    return pa.Array.from_buffers(
        array.type, len(array), array.buffers()[:2], array.null_count, array.offset, children=[child]
    )
