"""Parameters of prepared statements: from the bytes of a Bind message to values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from holdfast.adapter.client_errors import MessageMalformed
from holdfast.plan.binary import receive_of
from holdfast.plan.errors import CharacterNotInRepertoire
from holdfast.plan.text.codec import read_of
from holdfast.plan.types import JSONB, Type, array_of
from holdfast.server.pgwire.frontend import formats_for, utf8
from holdfast.server.pgwire.type_facts import type_of_oid
from holdfast.sql.errors import UndefinedObject

Decode: TypeAlias = Callable[[bytes], Any]  # a value of the parameter's type

_OPEN = (0, 705)
"""What a client says of parameters whose types it leaves open: nothing, or that they are unknown."""

_JSON, _JSON_ARRAY = 114, 199
"""PostgreSQL's other type of JSON. Ours is one."""


def declared_type(oid: int) -> Type | None:
    """The type that a client declares for a parameter, None for one that is left open."""
    if oid in _OPEN:
        return None
    if oid in (_JSON, _JSON_ARRAY):
        return JSONB if oid == _JSON else array_of(JSONB)
    found = type_of_oid(oid)
    if found is None:
        raise UndefinedObject(f"type with OID {oid} does not exist")
    return found


def _text_decoder(type_: Type) -> Decode:
    read = read_of(type_)

    def decode(data: bytes) -> Any:  # of the type
        if b"\0" in data:
            raise CharacterNotInRepertoire('invalid byte sequence for encoding "UTF8": 0x00')
        return read(utf8(data))

    return decode


@lru_cache(maxsize=4096)
def _decoder(type_: Type, format_: int) -> Decode:
    return receive_of(type_) if format_ else _text_decoder(type_)


@lru_cache(maxsize=4096)
def _decoders(types: tuple[Type, ...], oids: tuple[int, ...], formats: tuple[int, ...]) -> tuple[Decode, ...]:
    def complaint(given: int, count: int) -> str:
        return f"bind message has {given} parameter formats but {count} parameters"

    found = [_decoder(each, format_) for each, format_ in zip(types, formats_for(formats, len(types), complaint))]  # noqa: B905
    for index, oid in enumerate(oids[: len(found)]):
        # The binary format of json is its text; that of jsonb begins with a version.
        if oid == _JSON:
            found[index] = _decoder(types[index], 0)
    return tuple(found)


def decode_parameters(
    statement: str,
    types: tuple[Type, ...],
    oids: tuple[int, ...],
    formats: tuple[int, ...],
    values: Sequence[bytes | None],
) -> list[Any]:
    """The values, each of the type that the statement has for it. `oids` are what the client declared."""
    if len(values) != len(types):
        given = f"bind message supplies {len(values)} parameters"
        raise MessageMalformed(f'{given}, but prepared statement "{statement}" requires {len(types)}')
    decoders = _decoders(types, oids, formats)
    return [
        None if value is None else decode(value)
        for decode, value in zip(decoders, values)  # noqa: B905  # the hot path; counted above
    ]
