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
from holdfast.server.pgwire.oids import type_of_oid
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


_SURE_DIGITS = {"int2": 4, "int4": 9, "int8": 18}
"""So many digits are in range for sure."""


def _text_decoder(type_: Type) -> Decode:
    read = read_of(type_)
    sure = _SURE_DIGITS.get(type_.base, 0)

    def decode(data: bytes) -> Any:  # of the type
        if len(data) <= sure and data.isdigit():
            return int(data)
        if b"\0" in data:
            raise CharacterNotInRepertoire('invalid byte sequence for encoding "UTF8": 0x00')
        return read(utf8(data))

    return decode


@lru_cache(maxsize=4096)
def _decoder(type_: Type, format_: int) -> Decode:
    return receive_of(type_) if format_ else _text_decoder(type_)


def _formats_differ(given: int, count: int) -> str:
    return f"bind message has {given} parameter formats but {count} parameters"


class ParameterReader:
    """Of one prepared statement. `oids` are what the client declared of its parameters."""

    def __init__(self, statement: str, types: tuple[Type, ...], oids: tuple[int, ...]) -> None:
        self._statement, self.types, self._oids = statement, types, oids
        self._decoders: dict[tuple[int, ...], Sequence[Decode]] = {}

    def values(self, formats: tuple[int, ...], raw: Sequence[bytes | None]) -> list[Any]:
        """The values, each of the type that the statement has for it."""
        if len(raw) != len(self.types):
            given = f"bind message supplies {len(raw)} parameters"
            raise MessageMalformed(f'{given}, but prepared statement "{self._statement}" requires {len(self.types)}')
        return [
            None if value is None else decode(value) for decode, value in zip(self.decoders(formats), raw, strict=True)
        ]

    def decoders(self, formats: tuple[int, ...]) -> Sequence[Decode]:
        """One for each parameter, none of which is null."""
        found = self._decoders.get(formats)
        if found is None:
            found = self._decoders[formats] = self._made(formats)
        return found

    def _made(self, formats: tuple[int, ...]) -> Sequence[Decode]:
        each = formats_for(formats, len(self.types), _formats_differ)
        found = [_decoder(type_, format_) for type_, format_ in zip(self.types, each, strict=True)]
        for index, oid in enumerate(self._oids[: len(found)]):
            # The binary format of json is its text; that of jsonb begins with a version.
            if oid == _JSON:
                found[index] = _decoder(self.types[index], 0)
        return found
