"""The text formats: the same bytes have the same rows as in PostgreSQL, or the same error at the same place."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.adapter.copy import place
from holdfast.adapter.copy.binary_decoder import SIGNATURE
from holdfast.adapter.copy.options import CopyOptions
from holdfast.plan import types as t
from holdfast.plan.types import Type
from tests.adapter.copy.ours import copied_in, split
from tests.adapter.copy.theirs import Failure, Postgres

TEXT = CopyOptions()
CSV = CopyOptions("csv", ",", "")
TABLES: tuple[tuple[tuple[str, Type], ...], ...] = (
    (("a", t.TEXT),),
    (("a", t.INT4),),
    (("a", t.INT4), ("b", t.TEXT)),
    (("a", t.TEXT), ("b", t.TEXT), ("c", t.BOOL)),
    (),
)
PARTS = ("1", "22", "-3", "x", "a b", "é", "t", "f", " ", "\\N", "\\", "\\t", "\\x41", "\\101", "\\.", "\t", ",", "|")
BREAKS = ("\n", "\n", "\n", "\n", "\r\n", "\r")


def data_of(parts: Sequence[str]) -> st.SearchStrategy[bytes]:
    return st.lists(st.sampled_from(parts), max_size=24).map(lambda found: "".join(found).encode())


def lines_of(fields: Sequence[str], delimiter: str, ending: str) -> st.SearchStrategy[bytes]:
    """Mostly right: lines of some fields each, all with one ending."""
    line = st.lists(st.sampled_from(fields), min_size=1, max_size=4).map(delimiter.join)
    return st.tuples(st.lists(line, max_size=6), st.booleans()).map(
        lambda found: (ending.join(found[0]) + (ending if found[1] else "")).encode()
    )


def check(
    theirs: Postgres, columns: Sequence[tuple[str, Type]], options: CopyOptions, data: bytes, cuts: list[int]
) -> None:
    expected = theirs.copied_in(columns, options, data)
    assert copied_in(columns, options, [data]) == expected
    # However the bytes come, and however many are read at once.
    assert copied_in(columns, options, split(data, cuts), block=1 + sum(cuts) % 7) == expected


CUTS = st.lists(st.integers(0, 100), max_size=3)


@settings(deadline=None, max_examples=400)
@given(
    columns=st.sampled_from(TABLES),
    options=st.sampled_from((TEXT, CopyOptions("text", "|", ""), CopyOptions("text", "\t", "\\N", header=True))),
    data=data_of((*PARTS, *BREAKS)) | lines_of(("1", "x", "", "\\N", "a\\tb", "t", "\\\\"), "\t", "\n"),
    cuts=CUTS,
)
@example(columns=TABLES[2], options=TEXT, data=b"1\ta\n\n", cuts=[])
@example(columns=TABLES[0], options=TEXT, data=b"\xef\xbb\xbfa\n", cuts=[])
@example(columns=TABLES[0], options=TEXT, data=b"a\0b\n", cuts=[])
@example(columns=TABLES[0], options=TEXT, data=b"a\nb\xffc\n", cuts=[])
@example(columns=TABLES[0], options=TEXT, data=b"\\377\n", cuts=[])
@example(columns=TABLES[0], options=TEXT, data=b"\\0\n", cuts=[])
@example(columns=TABLES[0], options=TEXT, data=b"a\\\nb\n", cuts=[])
@example(columns=TABLES[0], options=TEXT, data=b"\\\\\n\\", cuts=[])
def test_text_is_read_as_postgres_reads_it(
    theirs: Postgres, columns: Sequence[tuple[str, Type]], options: CopyOptions, data: bytes, cuts: list[int]
) -> None:
    check(theirs, columns, options, data, cuts)


CSV_OPTIONS = (
    CSV,
    CopyOptions("csv", "|", "x"),
    CopyOptions("csv", ",", "", "'", "'"),
    CopyOptions("csv", ",", "", '"', "\\"),
    CopyOptions("csv", ",", "", header=True),
)


@settings(deadline=None, max_examples=400)
@given(
    columns=st.sampled_from(TABLES),
    options=st.sampled_from(CSV_OPTIONS),
    data=data_of((*PARTS, *BREAKS, '"', '"', '""', "'"))
    | lines_of(("1", "x", "", '""', '"a,b"', '"a""b"', '"a\nb"', "t", "f"), ",", "\n")
    | lines_of(("1", '"x"', "", '"\r\n"'), ",", "\r\n"),
    cuts=CUTS,
)
@example(columns=TABLES[2], options=CSV, data=b"1,a\n\n", cuts=[])
@example(columns=TABLES[2], options=CSV, data=b'1,"a\n\nb"\n', cuts=[])
@example(columns=TABLES[0], options=CSV, data=b"a\n\\.\nb\n", cuts=[])
@example(columns=TABLES[0], options=CSV, data=b'"a\n', cuts=[])
def test_csv_is_read_as_postgres_reads_it(
    theirs: Postgres, columns: Sequence[tuple[str, Type]], options: CopyOptions, data: bytes, cuts: list[int]
) -> None:
    check(theirs, columns, options, data, cuts)


@settings(deadline=None, max_examples=100)
@given(
    not_null=st.sampled_from(((), ("a",), ("b", "a"))),
    null=st.sampled_from(((), ("a",), ("b", "a"))),
    mark=st.sampled_from(("", "x")),
    data=lines_of(("1", "x", "", '""', '"x"'), ",", "\n"),
)
def test_columns_can_be_forced_to_nulls_and_to_texts(
    theirs: Postgres, not_null: tuple[str, ...], null: tuple[str, ...], mark: str, data: bytes
) -> None:
    columns = (("a", t.TEXT), ("b", t.TEXT))
    check(theirs, columns, CopyOptions("csv", ",", mark, force_not_null=not_null, force_null=null), data, [3])


@pytest.mark.parametrize("format_", [TEXT, CSV], ids=["text", "csv"])
@pytest.mark.parametrize(
    "head", [b"a,b\n", b"a\tb\n", b"b\ta\n", b"a\n", b"a,c\n", b"\\N\tb\n", b",b\n", b"", b"a,b", b'"a","b"\n']
)
def test_names_must_match_if_asked_for(theirs: Postgres, format_: CopyOptions, head: bytes) -> None:
    options = CopyOptions(format_.format, format_.delimiter, format_.null, header="match")
    row = options.delimiter.join("xy").encode()
    check(theirs, (("a", t.TEXT), ("b", t.TEXT)), options, head + row, [])


def test_an_error_is_the_first_in_the_data_and_says_where() -> None:
    columns = (("a", t.INT4), ("b", t.INT4))
    failure = copied_in(columns, TEXT, [b"1\t2\n3\tx\ny\t4\n5\n"])
    assert failure == Failure("22P02", 'invalid input syntax for type integer: "x"', 'COPY t, line 2, column b: "x"')


@pytest.mark.parametrize("options", [TEXT, CSV, CopyOptions("binary")], ids=["text", "csv", "binary"])
def test_a_row_that_does_not_end_is_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch, options: CopyOptions) -> None:
    monkeypatch.setattr(place, "LONGEST", 1_000)
    start = SIGNATURE + bytes(8) + b"\0\1\0\1\0\0" if options.format == "binary" else b""
    failure = copied_in((("a", t.TEXT),), options, [start, *[b"x" * 100] * 20], block=100)
    assert isinstance(failure, Failure)
    assert (failure.code, failure.message) == ("54000", "a row of COPY data is too long")
