from __future__ import annotations

from collections.abc import Callable
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapter.client_errors import MessageMalformed, ProtocolViolation
from holdfast.adapter.errors import LoginRefused
from holdfast.errors import HoldfastError
from holdfast.plan.errors import CharacterNotInRepertoire
from holdfast.server.pgwire import frontend
from holdfast.server.pgwire.frontend import Bind, Execute, Named, Parse, Startup
from holdfast.server.pgwire.startup import negotiated, read_options, wanted
from holdfast.sql.errors import NotSupported

READERS: list[Callable[[bytes], object]] = [
    frontend.read_query,
    frontend.read_parse,
    frontend.read_bind,
    frontend.read_describe,
    frontend.read_close,
    frontend.read_execute,
    frontend.read_nothing,
]
V3 = pack(">I", 3 << 16)

names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)


@given(names, names, st.lists(st.integers(0, 2**32 - 1), max_size=5))
def test_parse_is_read_as_it_was_written(statement: str, text: str, types: list[int]) -> None:
    body = statement.encode() + b"\0" + text.encode() + b"\0" + pack(f">H{len(types)}I", len(types), *types)
    assert frontend.read_parse(body) == Parse(statement, text, tuple(types))


@given(names, names, st.lists(st.sampled_from([0, 1]), max_size=3), st.lists(st.none() | st.binary(max_size=30)))
def test_bind_is_read_as_it_was_written(
    portal: str, statement: str, formats: list[int], values: list[bytes | None]
) -> None:
    listed = pack(f">H{len(formats)}h", len(formats), *formats)
    cells = b"".join(pack(">i", -1) if each is None else pack(">i", len(each)) + each for each in values)
    body = portal.encode() + b"\0" + statement.encode() + b"\0" + listed + pack(">H", len(values)) + cells + listed
    assert frontend.read_bind(body) == Bind(portal, statement, tuple(formats), values, tuple(formats))


@given(names, st.integers(-(2**31), 2**31 - 1))
def test_execute_has_no_limit_below_one(portal: str, limit: int) -> None:
    assert frontend.read_execute(portal.encode() + b"\0" + pack(">i", limit)) == Execute(portal, max(0, limit))


def test_describe_and_close_name_a_statement_or_a_portal() -> None:
    assert frontend.read_describe(b"Sname\0") == Named("statement", "name")
    assert frontend.read_close(b"P\0") == Named("portal", "")
    with pytest.raises(MessageMalformed, match="invalid DESCRIBE message subtype 88"):
        frontend.read_describe(b"X\0")


@given(st.binary(max_size=60))
def test_bytes_that_are_no_message_are_refused_by_an_error_of_ours(body: bytes) -> None:
    for read in READERS:
        try:
            read(body)
        except HoldfastError:
            continue


@given(st.binary(min_size=4, max_size=60))
def test_a_startup_packet_is_understood_or_refused(packet: bytes) -> None:
    try:
        wanted(frontend.read_startup(packet))
    except HoldfastError:
        return


@pytest.mark.parametrize("body", [b"", b"no end", b"end\0and more"])
def test_a_query_is_one_text_with_its_end(body: bytes) -> None:
    with pytest.raises(MessageMalformed):
        frontend.read_query(body)


def test_a_text_that_is_no_utf8_is_refused_with_its_bytes() -> None:
    with pytest.raises(CharacterNotInRepertoire, match='invalid byte sequence for encoding "UTF8": 0xff'):
        frontend.read_query(b"SELECT '\xff'\0")


def test_a_value_that_claims_more_bytes_than_there_are_is_refused() -> None:
    with pytest.raises(MessageMalformed, match="insufficient data left in message"):
        frontend.read_bind(b"\0\0" + pack(">HHi", 0, 1, 1 << 30) + b"abc")


def test_formats_are_none_or_one_or_one_for_each() -> None:
    def complaint(given: int, count: int) -> str:
        return f"{given} for {count}"

    assert frontend.formats_for((), 2, complaint) == (0, 0)
    assert frontend.formats_for((1,), 2, complaint) == (1, 1)
    assert frontend.formats_for((0, 1), 2, complaint) == (0, 1)
    with pytest.raises(MessageMalformed, match="2 for 3"):
        frontend.formats_for((0, 1), 3, complaint)
    with pytest.raises(MessageMalformed, match="unsupported format code: 2"):
        frontend.formats_for((2,), 1, complaint)


def test_startup_names_user_and_database_and_settings() -> None:
    packet = V3 + b"user\0ada\0database\0d\0application_name\0psql\0options\0-c a=1 --b-c=2\0\0"
    found = wanted(frontend.read_startup(packet))
    assert (found.user, found.database) == ("ada", "d")
    assert found.options == {"application_name": "psql", "a": "1", "b_c": "2"}


@pytest.mark.parametrize("packet", [V3, V3 + b"user\0ada\0", V3 + b"user\0ada", V3 + b"user\0\0\0ada\0"])
def test_a_startup_without_its_end_is_refused(packet: bytes) -> None:
    with pytest.raises(ProtocolViolation, match="invalid startup packet layout"):
        frontend.read_startup(packet)


def test_a_startup_without_user_is_refused() -> None:
    with pytest.raises(LoginRefused, match="no PostgreSQL user name specified"):
        wanted(Startup(3, 0, {"database": "d"}))


def test_replication_is_refused() -> None:
    with pytest.raises(NotSupported):
        wanted(Startup(3, 0, {"user": "u", "replication": "database"}))
    assert wanted(Startup(3, 0, {"user": "u", "replication": "false"})).options == {}


@pytest.mark.parametrize(
    ("line", "settings"),
    [
        ("", {}),
        ("-c a=1", {"a": "1"}),
        ("-ca=1  --long-name=2", {"a": "1", "long_name": "2"}),
        (r"-c search_path=a\ b,\\c", {"search_path": r"a b,\c"}),
        ("-c a=", {"a": ""}),
        ("-c a=b=c", {"a": "b=c"}),
    ],
)
def test_options_are_those_of_a_command_line(line: str, settings: dict[str, str]) -> None:
    assert read_options(line) == settings


@pytest.mark.parametrize("line", ["-c", "-c a", "a=1", "-x 1", "--=1", "--name"])
def test_options_that_set_nothing_are_refused(line: str) -> None:
    with pytest.raises(ProtocolViolation):
        read_options(line)


def test_versions_are_negotiated_down_to_ours() -> None:
    assert negotiated(Startup(3, 0, {})) is None
    assert negotiated(Startup(3, 2, {})) is None
    assert negotiated(Startup(3, 9999, {"_pq_.x": "1"})) == b"v\0\0\0\x13\0\3\0\2\0\0\0\1_pq_.x\0"
    assert negotiated(Startup(3, 1, {})) == b"v\0\0\0\x0c\0\3\0\0\0\0\0\0"
    with pytest.raises(NotSupported, match=r"unsupported frontend protocol 2\.0"):
        negotiated(Startup(2, 0, {}))
