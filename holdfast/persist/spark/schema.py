"""Row types as Spark says them."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from holdfast.errors import UsageError
from holdfast.repr.row import RowType

_SIMPLE = {
    pa.bool_(): "BOOLEAN",
    pa.int8(): "TINYINT",
    pa.int16(): "SMALLINT",
    pa.int32(): "INT",
    pa.int64(): "BIGINT",
    pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE",
    pa.string(): "STRING",
    pa.binary(): "BINARY",
    pa.date32(): "DATE",
    pa.time64("us"): "TIME(6)",
    pa.timestamp("us"): "TIMESTAMP_NTZ",
    pa.timestamp("us", "UTC"): "TIMESTAMP",
}


def quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def spark_type(data_type: pa.DataType) -> str:
    """The SQL name of a type."""
    if data_type in _SIMPLE:
        return _SIMPLE[data_type]
    if pa.types.is_decimal128(data_type):
        return f"DECIMAL({data_type.precision}, {data_type.scale})"
    if pa.types.is_list(data_type):
        return f"ARRAY<{spark_type(data_type.value_type)}>"
    if pa.types.is_struct(data_type):
        return f"STRUCT<{', '.join(f'{quoted(f.name)}: {spark_type(f.type)}' for f in data_type)}>"
    if pa.types.is_map(data_type):
        return f"MAP<{spark_type(data_type.key_type)}, {spark_type(data_type.item_type)}>"
    raise UsageError(f"type {data_type} has no name in Spark")


def ddl(fields: Sequence[pa.Field]) -> str:
    """A schema as Spark's readers take it."""
    return ", ".join(f"{quoted(field.name)} {spark_type(field.type)}" for field in fields)


def updates_ddl(row_type: RowType, columns: Sequence[str] | None = None) -> str:
    """The updates of a collection, or of some of its columns."""
    schema = row_type.updates_schema
    if columns is None:
        return ddl(list(schema))
    return ddl([*(schema.field(name) for name in columns), *list(schema)[-2:]])
