from __future__ import annotations

from datetime import datetime, time
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from holdfast.compute.evaluate.values import rows_of
from holdfast.errors import FileUnusable
from holdfast.table_files import open_table


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def column_types(path: Path) -> dict[str, str]:
    file = open_table(path)
    return {name: str(type_) for name, type_ in zip(file.names, file.types, strict=True)}


def rows(path: Path) -> list[tuple[object, ...]]:
    file = open_table(path)
    return rows_of(file.read(), file.types)


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        (["1", "-2", "9223372036854775807"], "bigint"),
        (["1", "9223372036854775808"], "numeric"),
        (["1.50", "2", ".5", "-3."], "numeric"),
        (["1.5", "1e3"], "double precision"),
        (["1.5", "NaN", "-Infinity"], "double precision"),
        (["9" * 39], "double precision"),
        (["true", "FALSE"], "boolean"),
        (["2024-02-29", "1999-01-01"], "date"),
        (["2024-02-30"], "text"),
        (["2024-02-29 10:00", "2024-02-29T10:00:00.123456"], "timestamp without time zone"),
        (["2024-02-29 10:00:00Z", "2024-02-29 10:00:00+02:00"], "timestamp with time zone"),
        (["1", "x"], "text"),
        (["007", "1"], "bigint"),
    ],
)
def test_a_column_of_csv_has_the_type_of_all_its_values(tmp_path: Path, values: list[str], type_: str) -> None:
    path = written(tmp_path, "x.csv", "\n".join(["k,v", *(f"a,{value}" for value in values), "b,"]))
    assert column_types(path) == {"k": "text", "v": type_}
    assert rows(path)[-1] == ("b", None)


def test_fields_of_csv_may_be_quoted_or_missing(tmp_path: Path) -> None:
    path = written(tmp_path, "x.csv", 'a,"b ""c"""\n"x, y","line\nbreak"\n,""\n')
    assert open_table(path).names == ("a", 'b "c"')
    assert rows(path) == [("x, y", "line\nbreak"), (None, "")]


def test_numbers_of_csv_are_exact(tmp_path: Path) -> None:
    path = written(tmp_path, "x.csv", "a\n12345678901234567890.12\n0.5\n")
    assert rows(path) == [(Decimal("12345678901234567890.12"),), (Decimal("0.50"),)]


def test_members_of_json_are_columns(tmp_path: Path) -> None:
    first = '{"a": 1, "b": "x", "c": [12345678901234567890.5, {"k": null}]}'
    text = f'{first}\n\n{{"b": null, "d": 2.5, "e": true, "a": 2, "f": 1}}\n{{"f": "x"}}'
    path = written(tmp_path, "x.jsonl", text)
    assert column_types(path) == {
        "a": "bigint",
        "b": "text",
        "c": "jsonb",
        "d": "double precision",
        "e": "boolean",
        "f": "jsonb",
    }
    assert rows(path) == [
        (1, "x", '[12345678901234567890.5, {"k": null}]', None, None, None),
        (2, None, None, 2.5, True, "1"),
        (None, None, None, None, None, '"x"'),
    ]


def test_types_of_parquet_become_ours(tmp_path: Path) -> None:
    table = pa.table(
        {
            "i": pa.array([1], pa.int8()),
            "u": pa.array([2**64 - 1], pa.uint64()),
            "d": pa.array([Decimal("1.5")], pa.decimal128(10, 2)),
            "s": pa.array(["x"]).dictionary_encode(),
            "n": pa.array([datetime(2024, 1, 1, 0, 0, 0, 5)], pa.timestamp("ns")),
            "z": pa.array([datetime(1970, 1, 1)], pa.timestamp("ms", "UTC")),
            "t": pa.array([time(0, 0, 1)], pa.time64("ns")),
            "l": pa.array([[1, None]], pa.list_(pa.int32())),
            "r": pa.array([{"x": 1, "y": "a"}]),
        }
    )
    path = tmp_path / "x.parquet"
    pyarrow.parquet.write_table(table, path)
    assert column_types(path) == {
        "i": "smallint",
        "u": "uint8",
        "d": "numeric(10,2)",
        "s": "text",
        "n": "timestamp without time zone",
        "z": "timestamp with time zone",
        "t": "time without time zone",
        "l": "integer[]",
        "r": "record",
    }
    assert rows(path) == [
        (1, 2**64 - 1, Decimal("1.50"), "x", 1_704_067_200_000_005, 0, 1_000_000, (1, None), (1, "a"))
    ]
    assert not open_table(path).is_direct


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.xls", "", "ends with none of"),
        ("x.csv", "", "is empty"),
        ("x.csv", "a,b\n1\n", "could not read"),
        ("x.json", "[1]", "line 1 of file .* is not an object"),
        ("x.json", '{"a": 1}\n{', "line 2 of file .* is not JSON"),
        ("x.parquet", "PAR1", "could not read"),
    ],
)
def test_a_file_that_is_not_what_it_should_be_is_an_error(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(FileUnusable, match=message):
        open_table(written(tmp_path, name, text))


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileUnusable, match=r"nothing\.csv\" does not exist"):
        open_table(tmp_path / "nothing.csv")
