"""Bytes whose order is that of the values they stand for, for engines that order bytes but not our values.

They are made from the keys that Python orders (`plan/order.py`). Two keys of one type differ in the kind of what they
hold only after something that differs already, so nothing here says of which kind it is.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any

from holdfast.plan.order import sort_key
from holdfast.plan.types import Type

_END, _MORE = b"\x00", b"\x01"
_INVERTED = bytes(range(255, -1, -1))


@lru_cache(maxsize=4096)
def order_bytes(type_: Type) -> Callable[[Any], bytes]:  # from a value of the type, which is not null
    key = sort_key(type_)
    return lambda value: _encoded(key(value))


def _encoded(key: object) -> bytes:
    match key:
        case tuple():
            # A shorter one comes before those that it begins.
            return b"".join(_MORE + _encoded(part) for part in key) + _END
        case str():
            return _terminated(key.encode())
        case bytes():
            return _terminated(key)
        case int():
            return _whole(key)
        case float():
            return _real(key)
        case Decimal():
            return _decimal(key)
    raise TypeError(f"not a part of a key: {key!r}")


def _terminated(text: bytes) -> bytes:
    """The end is less than any byte that could follow, and a zero inside is not an end."""
    return text.replace(b"\x00", b"\x00\xff") + b"\x00\x00"


def _whole(number: int) -> bytes:
    """The sign, how many bytes there are, and these; all inverted below zero, where more is less."""
    magnitude = abs(number)
    digits = magnitude.to_bytes((magnitude.bit_length() + 7) // 8, "big")
    size = struct.pack(">H", len(digits))
    return b"\x01" + size + digits if number >= 0 else b"\x00" + (size + digits).translate(_INVERTED)


def _real(number: float) -> bytes:
    bits: bytes = struct.pack(">d", number + 0.0)
    return b"\x01" + bits if bits[0] < 0x80 else b"\x00" + bits.translate(_INVERTED)


def _decimal(number: Decimal) -> bytes:
    """The sign, where the first digit stands, and the digits."""
    if not number:
        return b"\x01"
    digits = "".join(map(str, number.as_tuple().digits)).rstrip("0").encode()
    size = _whole(number.adjusted()) + digits + _END
    return b"\x02" + size if number > 0 else b"\x00" + size.translate(_INVERTED)
