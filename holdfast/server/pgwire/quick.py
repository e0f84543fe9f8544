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
from holdfast.server.pgwire.codec import Body
from holdfast.server.pgwire.frontend import Bind
from holdfast.server.pgwire.parameters import Decode, ParameterReader
from holdfast.server.pgwire.rows import Shape

_EXECUTE_AND_SYNC = b"E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04"
_DESCRIBE = b"D\0\0\0\x06P\0"
DESCRIBED, UNDESCRIBED = _DESCRIBE + _EXECUTE_AND_SYNC, _EXECUTE_AND_SYNC
"""What follows the Bind of an unnamed portal: all of its rows are wanted, with or without their description."""

_unpack_length = Struct(">i").unpack_from
_READY = backend.READY["I"]


@dataclass(slots=True)
class _Usual:
    """How a statement is bound each time: all of a Bind message but the values.

    `head` are the formats and the number of the parameters, `tail` the formats of the results. `begun` is what the
    answer begins with, without and with a description.
    """

    name: str
    statement: Statement
    head: bytes
    tail: bytes
    types: tuple[Type, ...]
    decoders: Sequence[Decode]
    shape: Shape
    begun: tuple[bytes, bytes]


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
        head = _listed(bound.formats) + len(bound.values).to_bytes(2, "big")
        self._usual[bound.statement.encode()] = _Usual(
            bound.statement,
            statement,
            head,
            _listed(bound.result_formats),
            reader.types,
            reader.decoders(bound.formats),
            shape,
            (backend.BIND_COMPLETE, backend.BIND_COMPLETE + shape.description),
        )

    def forget(self, name: str) -> None:
        self._usual.pop(name.encode(), None)

    def answer(self, body: Body, *, described: bool) -> tuple[bytes, int] | None:
        """The answer to a Bind message and what follows it, and how many rows are in it, or None to do it step by step.

        Nothing has changed if it is None.
        """
        if type(body) is not bytes:
            return None
        try:
            portal, name, rest = body.split(b"\0", 2)
            usual = self._usual.get(name)
            if usual is None or portal or not rest.startswith(usual.head):
                return None
            statement = usual.statement
            if usual.types is not statement.parameters or usual.shape.columns is not statement.columns:
                return None  # it was planned anew, to other types
            at = len(usual.head)
            values: list[object] = []
            for decode in usual.decoders:
                length = _unpack_length(rest, at)[0]
                at += 4
                if length < 0:
                    values.append(None)
                else:
                    values.append(decode(rest[at : at + length]))
                    at += length
            if rest[at:] != usual.tail:
                return None
            rows = self._session.find(usual.name, statement, values)
        except (HoldfastError, StructError, ValueError):
            return None
        if rows is None:
            return None
        count = len(rows)
        ended = backend.command_complete(f"SELECT {count}")
        return b"".join((usual.begun[described], usual.shape.encode(rows), ended, _READY)), count
