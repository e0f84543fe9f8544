"""Text of strings, of bytes and of UUIDs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.plan.errors import (
    DataError,
    InvalidParameterValue,
    InvalidTextRepresentation,
    StringDataRightTruncation,
)
from holdfast.plan.text.codec import read_of, write_of
from holdfast.plan.types import BPCHAR, BYTEA, CHAR, NAME, TEXT, UNKNOWN, UUID, VARCHAR, VOID, Modified, Type


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        (TEXT, " a ", " a "),
        (UNKNOWN, "", ""),
        (VARCHAR, "abc ", "abc "),
        (Modified("varchar", 3), "abc", "abc"),
        (Modified("varchar", 3), "abc   ", "abc"),
        (BPCHAR, "abc  ", "abc"),
        (Modified("bpchar", 5), "abc", "abc"),
        (Modified("bpchar", 2), "é  ", "é"),
        (NAME, "a" * 70, "a" * 63),
        (NAME, "é" * 40, "é" * 31),
        (CHAR, "abc", "a"),
        (CHAR, "", ""),
        (CHAR, "é", "\\303"),
        (CHAR, "\\101", "A"),
        (BYTEA, "\\x61 62", b"ab"),
        (BYTEA, "\\xAb", b"\xab"),
        (BYTEA, "a\\\\b\\001é", b"a\\b\x01\xc3\xa9"),
        (BYTEA, "", b""),
        (UUID, "{A0EEBC99-9C0B4EF8-BB6D6BB9-BD380A11}", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ],
)
def test_a_text_is_read_as_postgresql_reads_it(type_: Type, text: str, value: object) -> None:
    assert read_of(type_)(text) == value


@pytest.mark.parametrize(
    ("type_", "text", "error", "message"),
    [
        (
            Modified("varchar", 3),
            "abcd",
            StringDataRightTruncation,
            "value too long for type character varying(3)",
        ),
        (Modified("bpchar", 3), "abcd", StringDataRightTruncation, "value too long for type character(3)"),
        (BYTEA, "\\x6", InvalidParameterValue, "invalid hexadecimal data: odd number of digits"),
        (BYTEA, "\\x6 1", InvalidParameterValue, 'invalid hexadecimal digit: " "'),
        (BYTEA, "\\xé1", InvalidParameterValue, 'invalid hexadecimal digit: "é"'),
        (BYTEA, "a\\9", InvalidTextRepresentation, "invalid input syntax for type bytea"),
        (BYTEA, "\\477", InvalidTextRepresentation, "invalid input syntax for type bytea"),
        (UUID, "a0e-ebc", InvalidTextRepresentation, 'invalid input syntax for type uuid: "a0e-ebc"'),
        (UUID, "", InvalidTextRepresentation, 'invalid input syntax for type uuid: ""'),
    ],
)
def test_a_text_that_is_no_value_is_an_error(type_: Type, text: str, error: type[DataError], message: str) -> None:
    with pytest.raises(error) as raised:
        read_of(type_)(text)
    assert str(raised.value) == message


def test_nothing_is_shown_as_nothing() -> None:
    assert write_of(VOID)(None) == ""


def test_a_char_is_shown_with_its_blanks() -> None:
    assert write_of(Modified("bpchar", 4))("ab") == "ab  "
    assert write_of(BPCHAR)("ab") == "ab"


@given(value=st.binary(max_size=40))
def test_bytes_are_read_as_they_were_written(value: bytes) -> None:
    assert read_of(BYTEA)(write_of(BYTEA)(value)) == value


@given(value=st.uuids())
def test_a_uuid_is_read_from_all_its_forms(value: object) -> None:
    text = str(value)
    for form in (text, text.upper(), text.replace("-", ""), f"{{{text}}}"):
        assert read_of(UUID)(form) == text
