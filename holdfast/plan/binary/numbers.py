"""Bytes of numbers and booleans."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from struct import Struct

from holdfast.errors import UsageError
from holdfast.plan.binary.contract import BinaryCodec, Find, check_length, fixed
from holdfast.plan.errors import BytesMissing, InvalidBinaryRepresentation
from holdfast.plan.functions.numeric_types import fitted
from holdfast.plan.text.numbers import within_digits
from holdfast.plan.types import NUMERIC, OID, REGISTERED, Numeric, Type

_HEAD = Struct(">HhHH")
"""Of a numeric: how many groups of four digits follow, the power of 10,000 of the first, the sign, and the scale."""
_NEGATIVE = 0x4000
_SPECIAL = {0xC000: "NaN", 0xD000: "Infinity", 0xF000: "-Infinity"}
_MAX_SCALE = 0x3FFF
_BASE = 10_000
_GROUP = 4


def _bool() -> BinaryCodec:
    def receive(data: bytes) -> bool:
        check_length(data, 1)
        return data != b"\0"

    return BinaryCodec(lambda value: b"\1" if value else b"\0", receive)


def _send_numeric(value: Decimal) -> bytes:
    """With the digits that the text shows: none that are zero at the end."""
    text = f"{value:f}"
    sign = 0
    if text[0] == "-":
        sign, text = _NEGATIVE, text[1:]
    whole, _, fraction = text.partition(".")
    whole, fraction = whole.lstrip("0"), fraction.rstrip("0")
    before = -(-len(whole) // _GROUP)
    digits = whole.zfill(before * _GROUP) + fraction + "0" * (-len(fraction) % _GROUP)
    groups = [int(digits[at : at + _GROUP]) for at in range(0, len(digits), _GROUP)]
    first, last = 0, len(groups)
    while last and groups[last - 1] == 0:
        last -= 1
    while first < last and groups[first] == 0:
        first += 1
    if not last:
        return _HEAD.pack(0, 0, 0, 0)
    count = last - first
    head = _HEAD.pack(count, before - 1 - first, sign, len(fraction))
    return head + Struct(f">{count}H").pack(*groups[first:last])


def _receive_numeric(data: bytes) -> Decimal:
    if len(data) < _HEAD.size:
        raise BytesMissing
    count, weight, sign, scale = _HEAD.unpack_from(data)
    if sign in _SPECIAL:
        raise InvalidBinaryRepresentation(f'invalid numeric: "{_SPECIAL[sign]}" is not supported')
    if sign not in (0, _NEGATIVE):
        raise InvalidBinaryRepresentation('invalid sign in external "numeric" value')
    if scale > _MAX_SCALE:
        raise InvalidBinaryRepresentation('invalid scale in external "numeric" value')
    if len(data) < _HEAD.size + 2 * count:
        raise BytesMissing
    groups = Struct(f">{count}H").unpack_from(data, _HEAD.size)
    if any(group >= _BASE for group in groups):
        raise InvalidBinaryRepresentation('invalid digit in external "numeric" value')
    check_length(data, _HEAD.size + 2 * count)
    digits, exponent = "%04d" * count % groups, _GROUP * (weight - count + 1)
    # The scale says how many digits count; those of the last group beyond it are cut off.
    beyond = -scale - exponent
    if beyond > 0:
        digits, exponent = digits[:-beyond], -scale
    return Decimal(f"{'-' if sign else ''}{digits or 0}E{exponent}")


def _numeric(type_: Type, _: Find) -> BinaryCodec:
    if not isinstance(type_, Numeric):
        raise UsageError(f"{type_} is no numeric")
    if type_ is NUMERIC:
        return BinaryCodec(_send_numeric, lambda data: within_digits(_receive_numeric(data)))
    return BinaryCodec(_send_numeric, lambda data: fitted(_receive_numeric(data), type_))


def _mz_timestamp() -> BinaryCodec:
    number = fixed(">q")

    def receive(data: bytes) -> int:
        value: int = number.receive(data)
        if value < 0:
            raise InvalidBinaryRepresentation("mz_timestamp out of range")
        return value

    return BinaryCodec(number.send, receive)


def _plain(codec: BinaryCodec) -> Callable[[Type, Find], BinaryCodec]:
    return lambda *_: codec


CODECS: Mapping[str, Callable[[Type, Find], BinaryCodec]] = {
    "bool": _plain(_bool()),
    "int2": _plain(fixed(">h")),
    "int4": _plain(fixed(">i")),
    "int8": _plain(fixed(">q")),
    "uint2": _plain(fixed(">H")),
    "uint4": _plain(fixed(">I")),
    "uint8": _plain(fixed(">Q")),
    "float4": _plain(fixed(">f")),
    "float8": _plain(fixed(">d")),
    "numeric": _numeric,
    **{type_.base: _plain(fixed(">I")) for type_ in (OID, *REGISTERED)},
    "mz_timestamp": _plain(_mz_timestamp()),
}
