"""Surrogates: small integers in place of values, exact and not by hash.

Arrow does not group by nested values. Their surrogates can stand in for them:
within one call, two values have the same surrogate iff they are equal, null
being equal to null. Values must be canonical (`holdfast.repr.canonical`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc


def surrogates(array: pa.Array) -> pa.Int32Array:
    """One surrogate for each value of `array`; none is null."""
    if pa.types.is_struct(array.type):
        return _encode(_struct_words(array))
    if pa.types.is_map(array.type):
        return _encode(_list_words(array.cast(pa.list_(pa.struct([array.type.key_field, array.type.item_field])))))
    if pa.types.is_list(array.type):
        return _encode(_list_words(array))
    return _encode(array)


def _encode(array: pa.Array) -> pa.Int32Array:
    return array.dictionary_encode(null_encoding="encode").indices


def _numpy_surrogates(array: pa.Array) -> npt.NDArray[np.int32]:
    return np.asarray(surrogates(array), dtype=np.int32)


def _struct_words(array: pa.StructArray) -> pa.FixedSizeBinaryArray:
    """Each struct as the surrogates of its fields. What lies under a null struct does not count."""
    words = np.empty((len(array), array.type.num_fields), np.int32)
    for index in range(array.type.num_fields):
        words[:, index] = _numpy_surrogates(array.field(index))
    validity = pc.if_else(array.is_valid(), True, None) if array.null_count else None
    buffers = [None if validity is None else validity.buffers()[0], pa.py_buffer(words)]
    return pa.Array.from_buffers(pa.binary(4 * words.shape[1]), len(array), buffers)


def _list_words(array: pa.ListArray) -> pa.LargeBinaryArray:
    """Each list as the surrogates of its elements, which tells lists of different lengths apart."""
    words = _numpy_surrogates(array.flatten())
    lengths = np.asarray(pc.list_value_length(array).fill_null(0), dtype=np.int64)
    offsets = np.zeros(len(array) + 1, np.int64)
    np.cumsum(4 * lengths, out=offsets[1:])
    validity = pc.if_else(array.is_valid(), True, None) if array.null_count else None
    buffers = [None if validity is None else validity.buffers()[0], pa.py_buffer(offsets), pa.py_buffer(words)]
    return pa.Array.from_buffers(pa.large_binary(), len(array), buffers)
