"""Bytes: their parts, their bits, and the integers they stand for."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.plan.errors import ArraySubscriptError, InvalidParameterValue, NumericValueOutOfRange, SubstringError
from holdfast.plan.functions.function import Cast, Family, Function
from holdfast.plan.types import BASES, BYTEA, INT2, INT4, INT8, Type


def _substring(data: bytes, start: int) -> bytes:
    return data[max(start - 1, 0) :]


def _substring_for(data: bytes, start: int, length: int) -> bytes:
    if length < 0:
        raise SubstringError("negative substring length not allowed")
    return data[max(start - 1, 0) : max(start - 1 + length, 0)]


def _overlay(data: bytes, new: bytes, start: int) -> bytes:
    return _overlay_for(data, new, start, len(new))


def _overlay_for(data: bytes, new: bytes, start: int, length: int) -> bytes:
    if start <= 0:
        raise SubstringError("negative substring length not allowed")
    if start + length > 2147483647:
        raise NumericValueOutOfRange("integer out of range")
    return data[: start - 1] + new + data[max(start - 1 + length, 0) :]


def _position(data: bytes, part: bytes) -> int:
    return data.find(part) + 1


def _trim(data: bytes, characters: bytes, strip: Callable[[bytes, bytes], bytes]) -> bytes:
    return strip(data, characters) if characters else data


def _within(index: int, count: int) -> None:
    if not 0 <= index < count:
        raise ArraySubscriptError(f"index {index} out of valid range, 0..{count - 1}")


def _get_byte(data: bytes, index: int) -> int:
    _within(index, len(data))
    return data[index]


def _set_byte(data: bytes, index: int, value: int) -> bytes:
    _within(index, len(data))
    return data[:index] + bytes((value & 255,)) + data[index + 1 :]


def _get_bit(data: bytes, index: int) -> int:
    """Bits are counted from the lowest of the first byte."""
    _within(index, 8 * len(data))
    return data[index // 8] >> index % 8 & 1


def _set_bit(data: bytes, index: int, value: int) -> bytes:
    _within(index, 8 * len(data))
    if value not in (0, 1):
        raise InvalidParameterValue("new bit must be 0 or 1")
    byte = data[index // 8] & ~(1 << index % 8) | value << index % 8
    return _set_byte(data, index // 8, byte)


def _bit_count(data: bytes) -> int:
    return int.from_bytes(data, "big").bit_count()


_WIDTHS = ((INT2, 2), (INT4, 4), (INT8, 8))


def _integer_casts(type_: Type, width: int) -> tuple[Cast, Cast]:
    """The most significant byte is first. Fewer bytes than the integer has are its lowest."""

    def to_bytes(value: int) -> bytes:
        return value.to_bytes(width, "big", signed=True)

    def from_bytes(data: bytes) -> int:
        if len(data) > width:
            raise NumericValueOutOfRange(f"{BASES[type_.base].display} out of range")
        return int.from_bytes(data, "big", signed=len(data) == width)

    return (
        Cast(type_.base, "bytea", "explicit", Function("bytea", (type_,), BYTEA, to_bytes)),
        Cast("bytea", type_.base, "explicit", Function(type_.base, (BYTEA,), type_, from_bytes, fails=True)),
    )


_BYTEA1, _BYTEA2 = (BYTEA,), (BYTEA, BYTEA)

FAMILY = Family(
    "Bytes",
    functions=(
        Function("length", _BYTEA1, INT4, len, "octet_length({0})", doc="How many bytes it has."),
        Function("octet_length", _BYTEA1, INT4, len, "octet_length({0})", doc="How many bytes it has."),
        Function(
            "bit_length", _BYTEA1, INT4, lambda data: 8 * len(data), "bit_length({0})", doc="How many bits it has."
        ),
        Function("bit_count", _BYTEA1, INT8, _bit_count, doc="How many bits are set."),
        *(
            overload
            for name in ("substring", "substr")
            for overload in (
                Function(
                    name, (BYTEA, INT4), BYTEA, _substring, "substring({0}, CASE WHEN {1} < 1 THEN 1 ELSE {1} END)"
                ),
                Function(name, (BYTEA, INT4, INT4), BYTEA, _substring_for, fails=True),
            )
        ),
        Function(
            "overlay", (BYTEA, BYTEA, INT4), BYTEA, _overlay, fails=True, doc="With other bytes in the place of a part."
        ),
        Function(
            "overlay",
            (BYTEA, BYTEA, INT4, INT4),
            BYTEA,
            _overlay_for,
            fails=True,
            doc="With other bytes in the place of a part.",
        ),
        Function("position", _BYTEA2, INT4, _position, doc="Where bytes are in others, from 1; or 0."),
        Function(
            "btrim",
            _BYTEA2,
            BYTEA,
            lambda data, characters: _trim(data, characters, bytes.strip),
            doc="Without these bytes at both ends.",
        ),
        Function(
            "ltrim",
            _BYTEA2,
            BYTEA,
            lambda data, characters: _trim(data, characters, bytes.lstrip),
            doc="Without these bytes at the start.",
        ),
        Function(
            "rtrim",
            _BYTEA2,
            BYTEA,
            lambda data, characters: _trim(data, characters, bytes.rstrip),
            doc="Without these bytes at the end.",
        ),
        Function("reverse", _BYTEA1, BYTEA, lambda data: data[::-1], doc="Backwards."),
        Function("get_byte", (BYTEA, INT4), INT4, _get_byte, fails=True, doc="The byte at a place, from 0."),
        Function(
            "set_byte", (BYTEA, INT4, INT4), BYTEA, _set_byte, fails=True, doc="With another byte at a place, from 0."
        ),
        Function("get_bit", (BYTEA, INT8), INT4, _get_bit, fails=True, doc="The bit at a place, from 0."),
        Function(
            "set_bit", (BYTEA, INT8, INT4), BYTEA, _set_bit, fails=True, doc="With another bit at a place, from 0."
        ),
    ),
    operators=(
        Function("||", _BYTEA2, BYTEA, bytes.__add__, "concat({0}, {1})", infix=True, doc="One after the other."),
    ),
    casts=tuple(cast for type_, width in _WIDTHS for cast in _integer_casts(type_, width)),
)
