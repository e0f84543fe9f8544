"""Bytes of dates, times and intervals. Days and microseconds are counted from 2000; infinities are no count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from struct import Struct

from holdfast.plan.binary.contract import BinaryCodec, Find, check_length, fixed
from holdfast.plan.calendar import (
    DATE_INFINITY,
    DATE_MINUS_INFINITY,
    FIRST_DATE,
    FIRST_TIMESTAMP,
    INFINITY,
    LAST_DATE,
    LAST_TIMESTAMP,
    MICROS_PER_DAY,
    MINUS_INFINITY,
)
from holdfast.plan.errors import DatetimeFieldOverflow
from holdfast.plan.text.datetimes import digits_of, rounded, rounded_timestamp
from holdfast.plan.text.interval_text import rounded_interval
from holdfast.plan.types import Interval, Type

_EPOCH_DAYS = 10_957
"""From 1970 to 2000."""
_EPOCH_MICROS = _EPOCH_DAYS * MICROS_PER_DAY
_INTERVAL = Struct(">qii")


def _date(_type: Type, _find: Find) -> BinaryCodec:
    number = fixed(">i")

    def send(days: int) -> bytes:
        return number.send(days if days in (DATE_INFINITY, DATE_MINUS_INFINITY) else days - _EPOCH_DAYS)

    def receive(data: bytes) -> int:
        days: int = number.receive(data)
        if days in (DATE_INFINITY, DATE_MINUS_INFINITY):
            return days
        if not FIRST_DATE <= days + _EPOCH_DAYS <= LAST_DATE:
            raise DatetimeFieldOverflow("date out of range")
        return days + _EPOCH_DAYS

    return BinaryCodec(send, receive)


def _time(type_: Type, _find: Find) -> BinaryCodec:
    number, digits = fixed(">q"), digits_of(type_)

    def receive(data: bytes) -> int:
        micros: int = number.receive(data)
        if not 0 <= micros <= MICROS_PER_DAY:
            raise DatetimeFieldOverflow("time out of range")
        return rounded(micros, digits)

    return BinaryCodec(number.send, receive)


def _timestamp(type_: Type, _find: Find) -> BinaryCodec:
    number, digits = fixed(">q"), digits_of(type_)

    def send(micros: int) -> bytes:
        return number.send(micros if micros in (INFINITY, MINUS_INFINITY) else micros - _EPOCH_MICROS)

    def receive(data: bytes) -> int:
        micros: int = number.receive(data)
        if micros in (INFINITY, MINUS_INFINITY):
            return micros
        if not FIRST_TIMESTAMP <= micros + _EPOCH_MICROS <= LAST_TIMESTAMP:
            raise DatetimeFieldOverflow("timestamp out of range")
        return rounded_timestamp(micros + _EPOCH_MICROS, digits)

    return BinaryCodec(send, receive)


def _interval(type_: Type, _find: Find) -> BinaryCodec:
    digits = digits_of(type_)

    def send(value: Interval) -> bytes:
        months, days, micros = value
        return _INTERVAL.pack(micros, days, months)

    def receive(data: bytes) -> Interval:
        check_length(data, _INTERVAL.size)
        micros, days, months = _INTERVAL.unpack(data)
        return rounded_interval(Interval(months, days, micros), digits)

    return BinaryCodec(send, receive)


CODECS: Mapping[str, Callable[[Type, Find], BinaryCodec]] = {
    "date": _date,
    "time": _time,
    "timestamp": _timestamp,
    "timestamptz": _timestamp,
    "interval": _interval,
}
