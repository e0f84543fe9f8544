"""Files as tables: Parquet, CSV and JSON lines, with PostgreSQL's types.

- Parquet has types of its own, which become ours.
- CSV begins with the names of the columns. A type is chosen that all values of the column have: boolean, bigint,
  numeric, double precision, date, timestamp, timestamp with time zone, else text. A field that is empty, and not
  quoted, is null.
- Each line of JSON is an object. Its members are columns: boolean, bigint, double precision, text, else jsonb.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from holdfast.compute.conform import conformed
from holdfast.compute.evaluate.values import to_arrow
from holdfast.errors import FileUnusable
from holdfast.plan.errors import DataError
from holdfast.plan.text.codec import read_of
from holdfast.plan.types import (
    BOOL,
    BYTEA,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    JSONB,
    MAX_PRECISION,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UINT2,
    UINT4,
    UINT8,
    Type,
    array_of,
    arrow_type,
    map_of,
    numeric,
    record_of,
)


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file, and the names and types of its columns. `read` returns its rows as columns of these types.

    `is_direct` says that Spark reads the same from the file by itself.
    """

    path: Path
    names: tuple[str, ...]
    types: tuple[Type, ...]
    read: Callable[[], pa.Table]
    is_direct: bool = False


def open_table(path: Path) -> TableFile:
    """The file, of the kind that its name ends with."""
    openers = {".parquet": _parquet, ".csv": _csv, ".json": _json, ".jsonl": _json, ".ndjson": _json}
    opener = openers.get(path.suffix)
    if opener is None:
        raise FileUnusable(f'file "{path}" has a name that ends with none of {", ".join(openers)}')
    try:
        return opener(path)
    except FileNotFoundError as error:
        raise FileUnusable(f'file "{path}" does not exist') from error
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        raise FileUnusable(f'could not read file "{path}": {str(error).splitlines()[0]}') from error


def _table(names: Sequence[str], types: Sequence[Type], columns: Sequence[pa.Array]) -> pa.Table:
    fields = [pa.field(name, arrow_type(type_)) for name, type_ in zip(names, types, strict=True)]
    return pa.Table.from_arrays(list(columns), schema=pa.schema(fields))


def _parquet(path: Path) -> TableFile:
    schema = pyarrow.parquet.read_schema(path)
    types = tuple(_of_arrow(field.type, field.name, path) for field in schema)

    def read() -> pa.Table:
        table = pyarrow.parquet.read_table(path, partitioning=None)
        columns = [_plain(table.column(i).combine_chunks(), type_) for i, type_ in enumerate(types)]
        return _table(schema.names, types, columns)

    is_direct = len(set(schema.names)) == len(schema.names) and all(_is_direct(field.type) for field in schema)
    return TableFile(path, tuple(schema.names), types, read, is_direct)


def _is_direct(data_type: pa.DataType) -> bool:
    """Whether Spark reads columns of the type as ours: it has no nanoseconds, and times and nulls its own way."""
    if pa.types.is_nested(data_type):
        return all(_is_direct(data_type.field(index).type) for index in range(data_type.num_fields))
    if pa.types.is_timestamp(data_type):
        return bool(data_type.unit != "ns")
    return not (pa.types.is_time(data_type) or pa.types.is_null(data_type) or pa.types.is_float16(data_type))


def _plain(column: Any, type_: Type) -> pa.Array:  # an array of pyarrow, or one in chunks
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_timestamp(column.type) or pa.types.is_time(column.type):
        # Nanoseconds are cut off: PostgreSQL has none.
        column = column.cast(arrow_type(type_), safe=False)
    return conformed(column, type_)


_SIMPLE: tuple[tuple[Callable[[pa.DataType], bool], Type], ...] = (
    (pa.types.is_boolean, BOOL),
    (pa.types.is_int8, INT2),
    (pa.types.is_int16, INT2),
    (pa.types.is_int32, INT4),
    (pa.types.is_int64, INT8),
    (pa.types.is_uint8, UINT2),
    (pa.types.is_uint16, UINT2),
    (pa.types.is_uint32, UINT4),
    (pa.types.is_uint64, UINT8),
    (pa.types.is_float16, FLOAT4),
    (pa.types.is_float32, FLOAT4),
    (pa.types.is_float64, FLOAT8),
    (pa.types.is_string, TEXT),
    (pa.types.is_large_string, TEXT),
    (pa.types.is_string_view, TEXT),
    (pa.types.is_null, TEXT),
    (pa.types.is_binary, BYTEA),
    (pa.types.is_large_binary, BYTEA),
    (pa.types.is_binary_view, BYTEA),
    (pa.types.is_fixed_size_binary, BYTEA),
    (pa.types.is_date, DATE),
    (pa.types.is_time, TIME),
)


def _of_arrow(data_type: pa.DataType, name: str, path: Path) -> Type:
    """Our type for one of Arrow's."""
    for is_such, type_ in _SIMPLE:
        if is_such(data_type):
            return type_
    if pa.types.is_timestamp(data_type):
        return TIMESTAMP if data_type.tz is None else TIMESTAMPTZ
    if pa.types.is_decimal(data_type) and data_type.precision <= MAX_PRECISION and data_type.scale >= 0:
        return numeric(data_type.precision, data_type.scale, declared=True)
    if pa.types.is_dictionary(data_type):
        return _of_arrow(data_type.value_type, name, path)
    if pa.types.is_list(data_type) or pa.types.is_large_list(data_type):
        return array_of(_of_arrow(data_type.value_type, name, path))
    if pa.types.is_map(data_type) and pa.types.is_string(data_type.key_type):
        return map_of(_of_arrow(data_type.item_type, name, path))
    if pa.types.is_struct(data_type):
        return record_of(
            tuple(field.name for field in data_type), tuple(_of_arrow(f.type, name, path) for f in data_type)
        )
    raise FileUnusable(f'column "{name}" of file "{path}" has type {data_type}, which SQL does not have')


def _csv(path: Path) -> TableFile:
    with path.open(encoding="utf-8-sig") as file:
        if not file.read(1):
            raise FileUnusable(f'file "{path}" is empty: the names of its columns are missing')
    table = pyarrow.csv.read_csv(
        path,
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=_all_text(path), strings_can_be_null=True, null_values=[""], quoted_strings_can_be_null=False
        ),
    )
    chosen = [_chosen(table.column(index).combine_chunks()) for index in range(table.num_columns)]
    types = tuple(type_ for type_, _ in chosen)
    found = _table(table.column_names, types, [column for _, column in chosen])
    return TableFile(path, tuple(table.column_names), types, lambda: found)


def _all_text(path: Path) -> Mapping[str, pa.DataType]:
    with pyarrow.csv.open_csv(path, parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True)) as reader:
        return dict.fromkeys(reader.schema.names, pa.string())


_DAY = r"\d{4}-\d{2}-\d{2}"
_CLOCK = r"\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?"
_KINDS: tuple[tuple[str, Type], ...] = (
    (r"^[+-]?\d{1,19}$", INT8),
    (r"(?i)^(true|false)$", BOOL),
    (rf"^{_DAY}$", DATE),
    (rf"^{_DAY}[ T]{_CLOCK}$", TIMESTAMP),
    (rf"^{_DAY}[ T]{_CLOCK}\s?(Z|[+-]\d{{2}}(:?\d{{2}})?)$", TIMESTAMPTZ),
    (r"(?i)^[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|infinity|inf|nan)$", FLOAT8),
)
_DECIMAL = r"^[+-]?(?:(?P<whole>\d+)\.?(?P<rest>\d*)|\.(?P<only>\d+))$"


def _chosen(column: Any) -> tuple[Type, pa.Array]:  # a column of text
    """The type that all values have, and the values of that type."""
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], pa.string())
    if column.null_count == len(column):
        return TEXT, column
    exact = _exact_type(column)
    kinds = [type_ for pattern, type_ in _KINDS if _all_match(column, pattern)]
    if exact is not None:
        kinds.insert(kinds.index(INT8) + 1 if INT8 in kinds else 0, exact)
    for type_ in kinds:
        read = read_of(type_)
        try:
            return type_, to_arrow([None if text is None else read(text) for text in column.to_pylist()], type_)
        except DataError:
            continue
    return TEXT, column


def _all_match(column: pa.Array, pattern: str) -> bool:
    return pc.all(pc.match_substring_regex(column, pattern)).as_py() is not False


def _exact_type(column: pa.Array) -> Type | None:
    """Numeric with as many digits as the values have, if they are numbers without exponents."""
    if not _all_match(column, _DECIMAL.replace("?P<whole>", "").replace("?P<rest>", "").replace("?P<only>", "")):
        return None
    parts = pc.extract_regex(column, _DECIMAL)
    whole, rest, only = (pc.max(pc.utf8_length(pc.struct_field(parts, i))).as_py() or 0 for i in range(3))
    scale = max(rest, only)
    return numeric(max(whole + scale, 1), scale) if whole + scale <= MAX_PRECISION else None


def _json(path: Path) -> TableFile:
    rows: list[dict[str, Any]] = []
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line, parse_float=_Written)
            except ValueError as error:
                raise FileUnusable(f'line {number} of file "{path}" is not JSON: {error}') from error
            if not isinstance(row, dict):
                raise FileUnusable(f'line {number} of file "{path}" is not an object')
            rows.append(row)
    names = tuple(dict.fromkeys(name for row in rows for name in row))
    columns = [[row.get(name) for row in rows] for name in names]
    types = tuple(_of_json(column) for column in columns)
    made = [to_arrow(_as(type_, column), type_) for type_, column in zip(types, columns, strict=True)]
    found = _table(names, types, made)
    return TableFile(path, names, types, lambda: found)


def _of_json(values: Sequence[object]) -> Type:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {str}:
        return TEXT
    if kinds == {bool}:
        return BOOL
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in values if isinstance(value, int)):
        return INT8
    return FLOAT8 if kinds <= {int, _Written} else JSONB


def _as(type_: Type, values: Sequence[Any]) -> list[Any]:
    if type_ is FLOAT8:
        return [None if value is None else float(value) for value in values]
    if type_ is JSONB:
        canonical = read_of(JSONB)
        return [None if value is None else canonical(_json_text(value)) for value in values]
    return list(values)


class _Written(float):
    """A number that is not whole, with all the digits it was written with."""

    def __new__(cls, text: str) -> _Written:
        return super().__new__(cls, text)

    def __init__(self, text: str) -> None:
        self.text = text


def _json_text(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)}: {_json_text(part)}' for key, part in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(_json_text(part) for part in value)}]"
    return value.text if isinstance(value, _Written) else json.dumps(value)
