"""Bytes of records, ranges, lists and maps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from struct import Struct
from typing import Any

from holdfast.errors import UsageError
from holdfast.plan.binary.contract import INT32, NULL, BinaryCodec, Find, Reader, differ, sized
from holdfast.plan.errors import BytesLeftOver, BytesMissing, DatatypeMismatch, InvalidBinaryRepresentation
from holdfast.plan.range_value import EMPTY, range_of
from holdfast.plan.types import List, Map, Range, RangeValue, Record, Type
from holdfast.plan.utf8 import text_of_utf8

_LIST_HEAD = Struct(">iI")
_OID = Struct(">I")
_EMPTY, _LOWER_INCLUSIVE, _UPPER_INCLUSIVE, _LOWER_INFINITE, _UPPER_INFINITE = 1, 2, 4, 8, 16


def _record(type_: Type, find: Find) -> BinaryCodec:
    if not isinstance(type_, Record):
        raise UsageError(f"{type_} is no record")
    fields = [(field, _OID.pack(field.oid), find(field)) for field in type_.types]
    head = INT32.pack(len(fields))

    def send(value: Sequence[Any]) -> bytes:
        parts = [head]
        for item, (_, oid, codec) in zip(value, fields, strict=True):
            parts += (oid, NULL if item is None else sized(codec.send(item)))
        return b"".join(parts)

    def receive(data: bytes) -> tuple[Any, ...]:
        reader = Reader(data)
        count = reader.int32()
        if count != len(fields):
            raise DatatypeMismatch(f"wrong number of columns: {count}, expected {len(fields)}")
        found = tuple(_field(reader, index, field, codec) for index, (field, _, codec) in enumerate(fields))
        reader.end()
        return found

    return BinaryCodec(send, receive)


def _field(reader: Reader, index: int, type_: Type, codec: BinaryCodec) -> Any:  # a value of the type
    oid = reader.uint32()
    if differ(oid, type_.oid):
        found = f"binary data has type {oid} instead of expected {type_.oid} ({type_})"
        raise DatatypeMismatch(f"{found} in record column {index + 1}")
    item = reader.item()
    if item is None:
        return None
    try:
        return codec.receive(item)
    except BytesLeftOver:
        raise InvalidBinaryRepresentation(f"improper binary format in record column {index + 1}") from None


def _range(type_: Type, find: Find) -> BinaryCodec:
    if not isinstance(type_, Range):
        raise UsageError(f"{type_} is no range")
    base, bound = type_.base, find(type_.subtype)

    def send(value: RangeValue) -> bytes:
        if value.empty:
            return bytes((_EMPTY,))
        flags = (
            (_LOWER_INCLUSIVE if value.lower_inclusive else 0)
            | (_UPPER_INCLUSIVE if value.upper_inclusive else 0)
            | (_LOWER_INFINITE if value.lower is None else 0)
            | (_UPPER_INFINITE if value.upper is None else 0)
        )
        bounds = (b"" if part is None else sized(bound.send(part)) for part in (value.lower, value.upper))
        return bytes((flags,)) + b"".join(bounds)

    def receive(data: bytes) -> RangeValue:
        reader = Reader(data)
        if not data:
            raise BytesMissing("no data left in message")
        flags = reader.take(1)[0]
        if flags & _EMPTY:
            reader.end()
            return EMPTY
        lower = None if flags & _LOWER_INFINITE else bound.receive(reader.take(reader.int32()))
        upper = None if flags & _UPPER_INFINITE else bound.receive(reader.take(reader.int32()))
        reader.end()
        return range_of(base, lower, upper, bool(flags & _LOWER_INCLUSIVE), bool(flags & _UPPER_INCLUSIVE))

    return BinaryCodec(send, receive)


def _list(type_: Type, find: Find) -> BinaryCodec:
    if not isinstance(type_, List):
        raise UsageError(f"{type_} is no list")
    element, oid = find(type_.element), type_.element.oid

    def send(value: Sequence[Any]) -> bytes:
        items = (NULL if item is None else sized(element.send(item)) for item in value)
        return _LIST_HEAD.pack(len(value), oid) + b"".join(items)

    def receive(data: bytes) -> tuple[Any, ...]:
        reader = Reader(data)
        count, found = reader.int32(), reader.uint32()
        if differ(found, oid):
            message = f"binary data has list element type {found} instead of expected {oid} ({type_.element})"
            raise DatatypeMismatch(message)
        items = [reader.item() for _ in range(_checked(count))]
        reader.end()
        return tuple(None if item is None else element.receive(item) for item in items)

    return BinaryCodec(send, receive)


def _map(type_: Type, find: Find) -> BinaryCodec:
    if not isinstance(type_, Map):
        raise UsageError(f"{type_} is no map")
    member = find(type_.value)

    def send(pairs: Sequence[tuple[str, Any]]) -> bytes:
        parts = [INT32.pack(len(pairs))]
        for key, value in pairs:
            parts += (sized(key.encode()), NULL if value is None else sized(member.send(value)))
        return b"".join(parts)

    def receive(data: bytes) -> tuple[tuple[str, Any], ...]:
        reader = Reader(data)
        found: dict[str, Any] = {}
        for _ in range(_checked(reader.int32())):
            key, value = reader.item(), reader.item()
            if key is None:
                raise InvalidBinaryRepresentation("null value not allowed for map key")
            found[text_of_utf8(key)] = None if value is None else member.receive(value)
        reader.end()
        return tuple(sorted(found.items()))

    return BinaryCodec(send, receive)


def _checked(count: int) -> int:
    if count < 0:
        raise InvalidBinaryRepresentation(f"invalid number of elements: {count}")
    return count


CODECS: Mapping[str, Callable[[Type, Find], BinaryCodec]] = {
    "record": _record,
    **dict.fromkeys(("int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange"), _range),
    "list": _list,
    "map": _map,
}
