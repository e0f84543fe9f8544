"""Tables of Arrow to the bytes of DataRow messages, a column at a time.

What a client is sent is exactly what `cells` makes of the same values, one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import pyarrow.compute as pc

from holdfast.adapter.column_bytes import binary_column, content, fixed, text_column, whole
from holdfast.plan.types import Type

EncodeTable: TypeAlias = Callable[[Any], bytes]  # a table of Arrow; pyarrow has no types

_HEAD = np.dtype([("kind", "S1"), ("length", ">i4"), ("columns", ">i2")])


@lru_cache(maxsize=1024)
def table_encoder_of(types: tuple[Type, ...], formats: tuple[int, ...]) -> EncodeTable:
    """How tables of these types become DataRow messages."""
    columns = [
        binary_column(type_) if format_ else text_column(type_) for type_, format_ in zip(types, formats, strict=True)
    ]

    def encode(table: Any) -> bytes:  # pyarrow has no types
        parts: list[Any] = []
        lengths = np.full(table.num_rows, 6 + 4 * len(columns), "i8")
        for index, column in enumerate(columns):
            values = column(whole(table.column(index)))
            sizes = pc.binary_length(values).fill_null(-1).to_numpy(zero_copy_only=False)
            lengths += np.maximum(sizes, 0)
            parts += (fixed(sizes.astype(">i4"), None), values.fill_null(b"") if values.null_count else values)
        heads = np.empty(table.num_rows, _HEAD)
        heads["kind"], heads["length"], heads["columns"] = b"D", lengths, len(columns)
        rows = pc.binary_join_element_wise(fixed(heads, None), *parts, b"")
        return content(rows)

    return encode
