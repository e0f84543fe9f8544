"""For each type, how its values are sent as bytes and received.

Both are those of PostgreSQL's send and receive functions, so that drivers which ask for binary results, and `COPY`,
find what they know. A receiver raises a `DataError` with PostgreSQL's message for bytes that are no value. Neither
sees nulls. Both depend on the whole type: modifiers round and pad.

What PostgreSQL does not have: unsigned integers and mz_timestamp are big-endian integers as the others are; a list has
the count of its elements and the oid of their type, then each element after its length; a map has the count of its
entries, then key and value of each after their lengths, as hstore has them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from holdfast.errors import UsageError
from holdfast.plan.binary import arrays, containers, datetimes, numbers, strings
from holdfast.plan.binary.contract import BinaryCodec, Find, Receive, Send
from holdfast.plan.types import Type

_CODECS: Mapping[str, Callable[[Type, Find], BinaryCodec]] = {
    **numbers.CODECS,
    **strings.CODECS,
    **datetimes.CODECS,
    **arrays.CODECS,
    **containers.CODECS,
}
"""By base; those of arrays all under `array`. What stands inside of a container is found by the second argument."""


@lru_cache(maxsize=4096)
def codec_of(type_: Type) -> BinaryCodec:
    base = "array" if type_.base.startswith("_") else type_.base
    if base not in _CODECS:
        raise UsageError(f"type {type_} has no binary format")
    return _CODECS[base](type_, codec_of)


def send_of(type_: Type) -> Send:
    return codec_of(type_).send


def receive_of(type_: Type) -> Receive:
    return codec_of(type_).receive
