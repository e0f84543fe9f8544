"""The shortest way from a prepared statement to its rows.

Drivers send one execution as Bind, perhaps Describe, Execute and Sync in one go. Where the session finds the rows at
once, all of that is answered in one step. The answer is the same, byte for byte, as that to each message by itself;
whatever is out of the ordinary is left to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct
from struct import error as StructError  # noqa: N812  # the library's name says nothing here

from holdfast.adapter.session.session import Session
from holdfast.adapter.session.state import Statement
from holdfast.errors import HoldfastError
from holdfast.plan.types import Type
from holdfast.server.pgwire import backend
from holdfast.server.pgwire.frontend import Bind
from holdfast.server.pgwire.parameters import Decode, ParameterReader
from holdfast.server.pgwire.rows import Shape

_EXECUTE_AND_SYNC = b"E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04"
_DESCRIBE = b"D\0\0\0\x06P\0"
"""What follows the Bind of an unnamed portal: all of its rows are wanted, with or without their description."""

_HEAD = 5
"""Bytes of a message before what it says."""

_unpack_length = Struct(">i").unpack_from


def _ended(count: int) -> bytes:
    return backend.command_complete(f"SELECT {count}") + backend.READY["I"]


_ENDED = tuple(_ended(count) for count in range(64))


@dataclass(slots=True)
class _Usual:
    """How a statement is executed each time: all of its messages but the values.

    `head` is what comes before the values: no portal, the name, the formats and the number of the parameters. `tail`
    are the formats of the results. `described` and `undescribed` are what may follow the values up to Sync, and what
    the answer begins with then.
    """

    name: str
    statement: Statement
    head: bytes
    tail: bytes
    types: tuple[Type, ...]
    decoders: Sequence[Decode]
    shape: Shape
    described: tuple[bytes, bytes]
    undescribed: tuple[bytes, bytes]


def _listed(formats: tuple[int, ...]) -> bytes:
    return Struct(f">H{len(formats)}h").pack(len(formats), *formats)


class Quick:
    """Of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._usual: dict[bytes, _Usual] = {}

    def learn(self, bound: Bind, statement: Statement, reader: ParameterReader, shape: Shape | None) -> None:
        """A Bind message that was answered: the next one for the statement is likely the same but for its values."""
        if bound.portal or shape is None or statement.quick is None:
            return
        name, tail = bound.statement.encode(), _listed(bound.result_formats)
        self._usual[name] = _Usual(
            bound.statement,
            statement,
            b"\0%b\0%b%b" % (name, _listed(bound.formats), len(bound.values).to_bytes(2, "big")),
            tail,
            reader.types,
            reader.decoders(bound.formats),
            shape,
            (tail + _DESCRIBE + _EXECUTE_AND_SYNC, backend.BIND_COMPLETE + shape.description),
            (tail + _EXECUTE_AND_SYNC, backend.BIND_COMPLETE),
        )

    def forget(self, name: str) -> None:
        self._usual.pop(name.encode(), None)

    async def caught_up(self, data: bytes, at: int) -> bool:
        """Waits for what the statement of a Bind message looks into, if that is about to be there. False: it is not."""
        usual = self._named(data, at + _HEAD)
        return usual is not None and await self._session.caught_up(usual.statement)

    def _named(self, data: bytes, place: int) -> _Usual | None:
        """What is known of the statement that a Bind message names, if it is of the unnamed portal."""
        return self._usual.get(data[place + 1 : data.find(b"\0", place + 1)])

    def answer(self, data: bytes, at: int) -> tuple[bytes, int, int] | None:
        """The answer to a Bind message at a place in `data` and to those that usually follow it.

        With it come the number of its rows, and where the messages end. None: they are to be answered one by one, and
        nothing has changed.
        """
        place = at + _HEAD
        usual = self._named(data, place)
        if usual is None or not data.startswith(usual.head, place):
            return None
        statement, shape = usual.statement, usual.shape
        if usual.types is not statement.parameters or shape.columns is not statement.columns:
            return None  # it was planned anew, to other types
        place += len(usual.head)
        values: list[object] = []
        try:
            for decode in usual.decoders:
                length = _unpack_length(data, place)[0]
                place += 4
                if length < 0:
                    values.append(None)
                else:
                    values.append(decode(data[place : place + length]))
                    place += length
            rest, begun = usual.described
            if not data.startswith(rest, place):
                rest, begun = usual.undescribed
                if not data.startswith(rest, place):
                    return None
            if _unpack_length(data, at + 1)[0] != place + len(usual.tail) - at - 1:
                return None
            rows = self._session.find(usual.name, statement, values)
        except (HoldfastError, StructError, ValueError):
            return None
        if rows is None:
            return None
        count = len(rows)
        ended = _ENDED[count] if count < len(_ENDED) else _ended(count)
        return b"".join((begun, shape.encode(rows), ended)), count, place + len(rest)
