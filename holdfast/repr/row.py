"""Row types: what a collection's rows look like, as an Arrow schema.

The types are those that Arrow, Parquet and Spark share: there are no unsigned
integers, for instance, since Spark has none. A row type is *canonical*: of the
Arrow types that hold the same values it uses one (`string`, never
`large_string`), fields inside nested types are nullable and named as Arrow
names them, and there is no metadata. Equal row types are thereby equal schemas
with equal bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from holdfast.cached import cached_property
from holdfast.errors import DataCorruption, QueryError, UsageError
from holdfast.repr.canonical import has_variants

TIME = "_time"
DIFF = "_diff"

_FLAT = frozenset(
    {
        pa.bool_(),
        *(pa.int8(), pa.int16(), pa.int32(), pa.int64()),
        *(pa.float32(), pa.float64()),
        *(pa.string(), pa.binary()),
        *(pa.date32(), pa.time64("us"), pa.timestamp("us"), pa.timestamp("us", "UTC")),
    }
)


class RowTypeError(QueryError):
    """A collection cannot have rows like this. `column` is the path of the column at fault."""

    def __init__(self, column: str, reason: str) -> None:
        super().__init__(f'column "{column}" {reason}')
        self.column = column


def canonical_type(column: str, data_type: pa.DataType) -> pa.DataType:
    """The type of ours that holds the values of `data_type`; `column` is named if there is none."""
    if data_type in _FLAT:
        return data_type
    if pa.types.is_decimal128(data_type) and 0 <= data_type.scale <= data_type.precision:
        return data_type
    if pa.types.is_large_string(data_type):
        return pa.string()
    if pa.types.is_large_binary(data_type):
        return pa.binary()
    if pa.types.is_list(data_type) or pa.types.is_large_list(data_type):
        return pa.list_(canonical_type(f"{column}[]", data_type.value_type))
    if pa.types.is_struct(data_type):
        names = [field.name for field in data_type]
        if not names or len(set(names)) < len(names):
            raise RowTypeError(column, f"has type {data_type}, whose field names are not one or more different ones")
        return pa.struct([(field.name, canonical_type(f"{column}.{field.name}", field.type)) for field in data_type])
    if pa.types.is_map(data_type) and not pa.types.is_nested(data_type.key_type):
        key = canonical_type(f"{column}.key", data_type.key_type)
        return pa.map_(key, canonical_type(f"{column}.value", data_type.item_type))
    raise RowTypeError(column, f"has unsupported type {data_type}")


def holds_map(data_type: pa.DataType) -> bool:
    """Whether a value of this type is a map or has one inside. Spark neither hashes nor orders such values."""
    children = [data_type.field(index).type for index in range(data_type.num_fields)]
    return bool(pa.types.is_map(data_type)) or any(holds_map(child) for child in children)


def _canonical_schema(schema: pa.Schema) -> pa.Schema:
    seen: set[str] = set()
    fields: list[pa.Field] = []
    for field in schema:
        if field.name in seen:
            raise RowTypeError(field.name, "is there twice")
        if field.name in (TIME, DIFF):
            raise RowTypeError(field.name, "has a reserved name")
        seen.add(field.name)
        fields.append(pa.field(field.name, canonical_type(field.name, field.type), nullable=field.nullable))
    return pa.schema(fields)


@dataclass(frozen=True)
class RowType:
    """The columns of a row, in order. There may be none.

    - Names are different, and none is `_time` or `_diff`.
    - Types are canonical and supported: booleans, integers, floats, decimals of up to 38 digits, strings, bytes,
      dates, times and timestamps in microseconds (without zone or in UTC), and lists, structs and maps of those.
      The keys of a map are not nested, and a struct has a field.
    """

    schema: pa.Schema

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", _canonical_schema(self.schema))

    @classmethod
    def of(cls, *columns: tuple[str, pa.DataType]) -> RowType:
        """Nullable columns by name and type."""
        return cls(pa.schema(columns))

    @classmethod
    def of_updates(cls, updates: pa.Schema) -> RowType:
        """The row type of which `updates` is the updates schema, but for canonical types."""
        if updates.names[-2:] != [TIME, DIFF]:
            raise UsageError(f"columns {updates.names} do not end in {TIME}, {DIFF}")
        return cls(pa.schema(list(updates)[:-2]))

    @classmethod
    def from_bytes(cls, data: bytes) -> RowType:
        """The row type that `to_bytes` wrote."""
        try:
            return cls(pa.ipc.read_schema(pa.py_buffer(data)))
        except (pa.ArrowException, OSError, RowTypeError) as error:
            raise DataCorruption("row type is not readable") from error

    def to_bytes(self) -> bytes:
        """An Arrow IPC schema message. Equal row types give equal bytes."""
        return bytes(self.schema.serialize())

    @property
    def holds_map(self) -> bool:
        return any(holds_map(field.type) for field in self.schema)

    @cached_property
    def has_variants(self) -> bool:
        """Whether values of some column can be equal with different bits."""
        return any(has_variants(field.type) for field in self.schema)

    @cached_property
    def required(self) -> tuple[int, ...]:
        """Which columns of updates have no nulls."""
        return tuple(position for position, field in enumerate(self.updates_schema) if not field.nullable)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(self.schema.names)

    @cached_property
    def updates_schema(self) -> pa.Schema:
        """The columns, then when (`_time`) and by how much (`_diff`) the row's multiplicity changes."""
        time, diff = (pa.field(name, pa.int64(), nullable=False) for name in (TIME, DIFF))
        return self.schema.append(time).append(diff)

    def extends(self, older: RowType) -> bool:
        """Whether rows of `older` can be read as ours: our first columns are its own, the rest are nullable."""
        ours = list(self.schema)
        count = len(older.schema)
        return ours[:count] == list(older.schema) and all(field.nullable for field in ours[count:])

    def widen(self, updates: pa.Table) -> pa.Table:
        """`updates` of a row type that we extend, with nulls in the columns it lacks."""
        older = RowType.of_updates(updates.schema)
        if not self.extends(older):
            raise UsageError(f"row type {self} does not extend {older}")
        for position in range(len(older.schema), len(self.schema)):
            field = self.schema.field(position)
            updates = updates.add_column(position, field, pa.nulls(updates.num_rows, field.type))
        return updates

    def __str__(self) -> str:
        return f"({', '.join(str(field).removeprefix('pyarrow.Field<').removesuffix('>') for field in self.schema)})"
