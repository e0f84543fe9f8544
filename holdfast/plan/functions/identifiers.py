"""UUIDs."""

from __future__ import annotations

import uuid
from time import time_ns

from holdfast.plan.date_arithmetic import timestamp_plus
from holdfast.plan.functions.function import Family, Function
from holdfast.plan.text.strings import uuid_of_hex
from holdfast.plan.types import INT2, INTERVAL, TEXT, TIMESTAMPTZ, UUID, Interval

_GREGORIAN_TO_UNIX = 0x01B21DD213814000
"""Steps of 100 nanoseconds from the first day of the Gregorian calendar to 1970."""

_NAMESPACES = {
    "uuid_ns_dns": uuid.NAMESPACE_DNS,
    "uuid_ns_url": uuid.NAMESPACE_URL,
    "uuid_ns_oid": uuid.NAMESPACE_OID,
    "uuid_ns_x500": uuid.NAMESPACE_X500,
}


def _random() -> str:
    return str(uuid.uuid4())


def _random_by_time() -> str:
    """Version 7: milliseconds since 1970, twelve bits of the rest of the millisecond, and random bits."""
    return _of_time(time_ns())


def _random_by_shifted_time(shift: Interval) -> str:
    """The same as if it were so much later."""
    now = time_ns()
    return _of_time(timestamp_plus(now // 1000, shift) * 1000 + now % 1000)


def _of_time(nanos: int) -> str:
    millis, rest = divmod(nanos, 1_000_000)
    fraction = (rest << 12) // 1_000_000
    random = uuid.uuid4().int & (1 << 62) - 1
    return uuid_of_hex(f"{(millis % (1 << 48) << 80) | (7 << 76) | (fraction << 64) | (2 << 62) | random:032x}")


def _of_name(namespace: str, name: str) -> str:
    return str(uuid.uuid5(uuid.UUID(namespace), name))


def _of_name_by_md5(namespace: str, name: str) -> str:
    return str(uuid.uuid3(uuid.UUID(namespace), name))


def _version(value: str) -> int | None:
    """None for what is not as RFC 9562 has it."""
    return int(value[14], 16) if value[19] in "89ab" else None


def _timestamp(value: str) -> int | None:
    """Only versions 1 and 7 have one that PostgreSQL reads."""
    number = uuid.UUID(value)
    match _version(value):
        case 1:
            return (number.time - _GREGORIAN_TO_UNIX) // 10
        case 7:
            return (number.int >> 80) * 1000
    return None


FAMILY = Family(
    "UUIDs",
    functions=(
        Function(
            "gen_random_uuid", (), UUID, _random, "uuid()", stability="volatile", doc="A random UUID (version 4)."
        ),
        Function(
            "uuidv7", (), UUID, _random_by_time, stability="volatile", doc="A UUID that is ordered by time (version 7)."
        ),
        Function(
            "uuidv7",
            (INTERVAL,),
            UUID,
            _random_by_shifted_time,
            stability="volatile",
            fails=True,
            doc="A UUID that is ordered by time (version 7), of a time so much later.",
        ),
        Function(
            "uuid_generate_v5", (UUID, TEXT), UUID, _of_name, doc="The UUID of a name in a namespace (version 5)."
        ),
        Function(
            "uuid_generate_v3",
            (UUID, TEXT),
            UUID,
            _of_name_by_md5,
            doc="The UUID of a name in a namespace (version 3).",
        ),
        Function("uuid_nil", (), UUID, lambda: str(uuid.UUID(int=0)), doc="The UUID of zeros."),
        *(Function(name, (), UUID, lambda space=space: str(space)) for name, space in _NAMESPACES.items()),
        Function("uuid_extract_version", (UUID,), INT2, _version, makes_null=True, doc="The version."),
        Function(
            "uuid_extract_timestamp",
            (UUID,),
            TIMESTAMPTZ,
            _timestamp,
            makes_null=True,
            doc="The time that versions 1 and 7 have in them.",
        ),
    ),
    aliases={"uuidv4": "gen_random_uuid", "uuid_generate_v4": "gen_random_uuid"},
)
