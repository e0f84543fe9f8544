from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.adapter.client_errors import MessageTooLong, ProtocolViolation
from holdfast.errors import HoldfastError
from holdfast.server.pgwire.codec import Body, Message, MessageReader

LIMIT = 50_000
COPY = ord("d")


def framed(kind: int, body: Body) -> bytes:
    return bytes((kind,)) + (len(body) + 4).to_bytes(4, "big") + body


def reader() -> MessageReader:
    made = MessageReader(LIMIT)
    made.authenticated()
    return made


def read_all(pieces: list[bytes]) -> list[Message]:
    """The messages of a stream that comes in these pieces; what is copied in by neighbours is one."""
    source, found = reader(), list[Message]()
    for piece in pieces:
        source.feed(piece)
        while (message := source.next()) is not None:
            if found and message[0] == COPY == found[-1][0]:
                found[-1] = (COPY, found[-1][1] + message[1])
            else:
                found.append(message)
    return found


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


messages = st.lists(
    st.tuples(st.sampled_from(b"QPBFXSHDECcfd"), st.one_of(st.binary(max_size=40), st.binary(max_size=3000))),
    max_size=12,
)


@given(messages, st.lists(st.integers(0, 1 << 20), max_size=12))
def test_any_split_of_the_stream_gives_the_same_messages(sent: list[Message], places: list[int]) -> None:
    stream = b"".join(framed(kind, body) for kind, body in sent)
    expected = list[Message]()
    for kind, body in sent:
        if kind == COPY and (not body or (expected and expected[-1][0] == COPY)):
            if body:
                expected[-1] = (COPY, expected[-1][1] + body)
        else:
            expected.append((kind, body))
    assert read_all(cut(stream, places)) == expected
    assert read_all([bytes((byte,)) for byte in stream]) == expected


@given(st.lists(st.binary(max_size=200), max_size=5))
def test_garbage_is_messages_or_an_error_of_ours(pieces: list[bytes]) -> None:
    source = reader()
    try:
        for piece in pieces:
            source.feed(piece)
            while source.next() is not None:
                pass
    except HoldfastError:
        return
    assert source.held <= sum(map(len, pieces))


@given(st.lists(st.binary(max_size=200), max_size=5))
def test_garbage_at_the_start_is_a_packet_or_an_error_of_ours(pieces: list[bytes]) -> None:
    source = MessageReader(LIMIT)
    try:
        for piece in pieces:
            source.feed(piece)
            while source.startup() is not None:
                pass
    except ProtocolViolation:
        return
    assert source.held <= 10_000


@pytest.mark.parametrize("kind", b"QPB")
def test_a_message_that_is_too_long_is_skipped_without_being_held(kind: int) -> None:
    source = reader()
    source.feed(bytes((kind,)) + (LIMIT + 1).to_bytes(4, "big"))
    with pytest.raises(MessageTooLong) as caught:
        source.next()
    assert caught.value.kind == kind
    left = LIMIT - 3
    while left:
        some = min(left, 1000)
        source.feed(b"x" * some)
        left -= some
        assert source.next() is None
        assert source.held == 0
    source.feed(framed(ord("S"), b""))
    assert source.next() == (ord("S"), b"")


def test_what_is_copied_in_may_be_longer_than_a_message_and_is_not_held() -> None:
    source = reader()
    source.feed(b"d" + (10 * LIMIT + 4).to_bytes(4, "big"))
    received = 0
    for _ in range(100):
        source.feed(b"x" * (LIMIT // 10))
        message = source.next()
        assert message is not None
        received += len(message[1])
        assert source.held == 0
    assert received == 10 * LIMIT
    source.feed(framed(ord("c"), b""))
    assert source.next() == (ord("c"), b"")


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"?\0\0\0\4", "invalid frontend message type 63"),
        (b"p\0\0\0\4", "invalid frontend message type 112"),
        (b"\0\0\0\0\0", "invalid frontend message type 0"),
        (b"Q\0\0\0\3", "invalid message length"),
        (b"S\0\0\0\0", "invalid message length"),
        (b"S\xff\xff\xff\xff", "invalid message length"),
        (b"S\0\0\x30\0", "invalid message length"),
        (b"Q\x7f\xff\xff\xff", "invalid message length"),
        (b"Q\xff\xff\xff\xff", "invalid message length"),
        (b"d\0\0\0\1", "invalid message length"),
        (b"d\0\0\0\5xd\0\0\0\1", "invalid message length"),
        (b"d\xff\xff\xff\xff", "invalid message length"),
    ],
)
def test_what_is_no_message_ends_the_stream(data: bytes, complaint: str) -> None:
    with pytest.raises(ProtocolViolation, match=complaint):
        read_all([data])


@pytest.mark.parametrize(
    "data", [b"p" + (20_000).to_bytes(4, "big"), b"Q" + (9).to_bytes(4, "big"), b"d" + (9).to_bytes(4, "big")]
)
def test_before_the_login_there_are_only_short_passwords(data: bytes) -> None:
    source = MessageReader(LIMIT)
    source.feed(data)
    with pytest.raises(ProtocolViolation):
        source.next()


@pytest.mark.parametrize("length", [0, 4, 7, 10_001, 0x7FFFFFFF, 0xFFFFFFFF])
def test_a_startup_packet_has_a_sane_length(length: int) -> None:
    source = MessageReader(LIMIT)
    source.feed(length.to_bytes(4, "big"))
    with pytest.raises(ProtocolViolation, match="invalid length of startup packet"):
        source.startup()


def test_bytes_that_were_read_are_not_kept() -> None:
    source = reader()
    source.feed(framed(ord("Q"), b"x" * 1000)[:500])
    assert source.next() is None
    assert source.wanted == 1005
    source.feed(framed(ord("Q"), b"x" * 1000)[500:] + b"S")
    assert source.next() == (ord("Q"), b"x" * 1000)
    assert source.held == 1
    assert source.wanted == 5


@given(st.integers((1 << 20) - 10, (1 << 20) + 10), st.binary(max_size=20), st.integers(2_000, 300_000))
@settings(max_examples=20)
def test_a_long_message_is_handed_over_whole_and_what_follows_stays(size: int, after: bytes, step: int) -> None:
    source = MessageReader(4 << 20)
    source.authenticated()
    body = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    stream = framed(ord("H"), b"") + framed(ord("B"), body) + framed(ord("Q"), after)
    found = list[Message]()
    for start in range(0, len(stream), step):
        source.feed(stream[start : start + step])
        while (message := source.next()) is not None:
            found.append(message)
    assert found == [(ord("H"), b""), (ord("B"), body), (ord("Q"), after)]
    assert source.held == 0
