"""For each type, how its values are read from text and written as text.

A reader takes the text of a literal and returns a value, or raises a `DataError` with PostgreSQL's message. A writer
returns the text that a client sees. Neither sees nulls. Both depend on the whole type: modifiers round and pad.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TypeAlias

from holdfast.errors import UsageError
from holdfast.plan.text import containers, datetimes, json, numbers, strings
from holdfast.plan.text.contract import Read, TextCodec, Write
from holdfast.plan.types import Type

Find: TypeAlias = Callable[[Type], TextCodec]

_CODECS: Mapping[str, Callable[[Type, Find], TextCodec]] = {
    **numbers.CODECS,
    **strings.CODECS,
    **datetimes.CODECS,
    **json.CODECS,
    **containers.CODECS,
}
"""By base; those of arrays all under `array`. What stands inside of a container is found by the second argument."""


@lru_cache(maxsize=4096)
def codec_of(type_: Type) -> TextCodec:
    base = "array" if type_.base.startswith("_") else type_.base
    if base not in _CODECS:
        raise UsageError(f"type {type_} has no text")
    return _CODECS[base](type_, codec_of)


def read_of(type_: Type) -> Read:
    return codec_of(type_).read


def write_of(type_: Type) -> Write:
    return codec_of(type_).write
