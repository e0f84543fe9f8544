"""Bytes of arrays: how many dimensions, whether there are nulls, the oid of the elements' type; then size and lower
bound of each dimension; then each element after its length. And of vectors, arrays that start at 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, pairwise
from math import prod
from struct import Struct
from typing import Any

from holdfast.errors import UsageError
from holdfast.plan.binary.contract import NULL, BinaryCodec, Find, Reader, Receive, Send, differ, sized
from holdfast.plan.errors import (
    BytesLeftOver,
    DatatypeMismatch,
    InvalidBinaryRepresentation,
    ProgramLimitExceeded,
)
from holdfast.plan.types import VECTORS, Array, Type

_HEAD = Struct(">iiI")
_MAX_DIMENSIONS = 6
_MAX_ELEMENTS = 134_217_727


def _sender(dimensions: int, element: Type, send: Send, lower: int) -> Send:
    oid = element.oid
    bounds = Struct(f">{2 * dimensions}i")

    def send_array(value: Sequence[Any]) -> bytes:
        sizes: list[int] = []
        for _ in range(dimensions - 1):
            sizes.append(len(value))
            value = list(chain.from_iterable(value))
        sizes.append(len(value))
        has_nulls = None in value
        parts = [_HEAD.pack(dimensions, has_nulls, oid)]
        # Of each dimension but the first, the size of all slices together was counted.
        each = [sizes[0], *(inner // outer for outer, inner in pairwise(sizes))]
        parts.append(bounds.pack(*chain.from_iterable((size, lower) for size in each)))
        if has_nulls:
            parts += [NULL if item is None else sized(send(item)) for item in value]
        else:
            parts += [sized(send(item)) for item in value]
        return b"".join(parts)

    return send_array


class _Arrays:
    """Receives arrays with elements of one type."""

    def __init__(self, element: Type, receive: Receive) -> None:
        self._type, self._receive = element, receive

    def received(self, data: bytes) -> tuple[tuple[Any, ...], list[int], list[int]]:
        """The elements in a row, the sizes of the dimensions, and their lower bounds."""
        reader = Reader(data)
        dimensions, flags = reader.int32(), reader.int32()
        if dimensions < 0:
            raise InvalidBinaryRepresentation(f"invalid number of dimensions: {dimensions}")
        if dimensions > _MAX_DIMENSIONS:
            limit = f"the maximum allowed ({_MAX_DIMENSIONS})"
            raise ProgramLimitExceeded(f"number of array dimensions ({dimensions}) exceeds {limit}")
        if flags not in (0, 1):
            raise InvalidBinaryRepresentation("invalid array flags")
        oid = reader.uint32()
        bounds = [(reader.int32(), reader.int32()) for _ in range(dimensions)]
        sizes = [size for size, _ in bounds]
        if any(size < 0 for size in sizes) or prod(sizes) > _MAX_ELEMENTS:
            raise ProgramLimitExceeded(f"array size exceeds the maximum allowed ({_MAX_ELEMENTS})")
        if differ(oid, self._type.oid):
            found = f"binary data has array element type {oid}"
            raise DatatypeMismatch(f"{found} instead of expected {self._type.oid} ({self._type})")
        count = prod(sizes) if sizes else 0
        items = tuple(self._item(reader, index) for index in range(count))
        reader.end()
        return items, sizes, [lower for _, lower in bounds]

    def _item(self, reader: Reader, index: int) -> Any:  # a value of the type
        item = reader.item()
        if item is None:
            return None
        try:
            return self._receive(item)
        except BytesLeftOver:
            raise InvalidBinaryRepresentation(f"improper binary format in array element {index + 1}") from None


def _nested(items: tuple[Any, ...], sizes: Sequence[int]) -> tuple[Any, ...]:
    for size in reversed(sizes[1:]):
        items = tuple(items[at : at + size] for at in range(0, len(items), size))
    return items


def _array(type_: Type, find: Find) -> BinaryCodec:
    if not isinstance(type_, Array):
        raise UsageError(f"{type_} is no array")
    element, dimensions = find(type_.element), type_.dimensions
    empty = _HEAD.pack(0, 0, type_.element.oid)
    send_some = _sender(dimensions, type_.element, element.send, 1)
    arrays = _Arrays(type_.element, element.receive)

    def receive(data: bytes) -> tuple[Any, ...]:
        items, sizes, lowers = arrays.received(data)
        if not items:
            return ()
        if len(sizes) != dimensions:
            error = InvalidBinaryRepresentation(f"array has {len(sizes)} dimensions, but its type has {dimensions}")
            error.detail = "The number of dimensions of an array is part of its type here, and the same in all rows."
            raise error
        if any(lower != 1 for lower in lowers):
            raise InvalidBinaryRepresentation("arrays with lower bounds other than 1 are not supported")
        return _nested(items, sizes)

    return BinaryCodec(lambda value: send_some(value) if value else empty, receive)


def _vector(type_: Type, find: Find) -> BinaryCodec:
    item = VECTORS[type_]
    element = find(item)
    arrays = _Arrays(item, element.receive)

    def receive(data: bytes) -> tuple[Any, ...]:
        items, sizes, lowers = arrays.received(data)
        if len(sizes) > 1 or any(lowers) or None in items:
            raise InvalidBinaryRepresentation(f"invalid {type_} data")
        return items

    return BinaryCodec(_sender(1, item, element.send, 0), receive)


CODECS: Mapping[str, Callable[[Type, Find], BinaryCodec]] = {
    "array": _array,
    **{type_.base: _vector for type_ in VECTORS},
}
