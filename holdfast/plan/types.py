"""The types of SQL, as PostgreSQL and Materialize have them.

A type is a base type and perhaps modifiers: `numeric(10, 2)` and `numeric` have one base. Functions are looked
up by bases alone; modifiers go along where they can be known.

How values are held in Arrow and in Spark is `arrow_type` and `spark_type`. In Python, where constants and the
functions of the registry are, a value is:

| type | Python |
| --- | --- |
| boolean, integers, oid and reg*, mz_timestamp | bool, int |
| real, double precision | float |
| numeric | Decimal, finite |
| text and its kin, jsonb (canonical text), uuid (lower case) | str; char(n) without its padding |
| bytea | bytes |
| date; time, timestamp, timestamptz | int: days since 1970; microseconds since midnight, since 1970 (UTC) |
| interval | `Interval` |
| arrays, lists, int2vector, oidvector | tuple |
| maps | tuple of (key, value) pairs, sorted by key |
| records | tuple |
| ranges | `RangeValue` |

Infinite dates and timestamps are the least and greatest int of their width.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import pyarrow as pa

from holdfast.errors import UsageError
from holdfast.plan.node import Node

MAX_PRECISION = 38
"""Digits of a numeric."""


class Interval(NamedTuple):
    """Compares field by field, without conversion: a month is more than a hundred days."""

    months: int
    days: int
    micros: int


class RangeValue(NamedTuple):
    """A bound that is None is infinite. An empty range has no bounds and includes none."""

    lower: object
    upper: object
    lower_inclusive: bool
    upper_inclusive: bool
    empty: bool = False


@dataclass(frozen=True, slots=True)
class BaseInfo:
    """What PostgreSQL's pg_type says of a base type. `preferred` is the type its category prefers."""

    display: str
    oid: int
    array_oid: int
    category: str
    preferred: bool
    arrow: pa.DataType | None
    spark: str | None


_INTERVAL = pa.struct([("months", pa.int32()), ("days", pa.int32()), ("micros", pa.int64())])

BASES: Mapping[str, BaseInfo] = {
    "bool": BaseInfo("boolean", 16, 1000, "B", True, pa.bool_(), "BOOLEAN"),
    "int2": BaseInfo("smallint", 21, 1005, "N", False, pa.int16(), "SMALLINT"),
    "int4": BaseInfo("integer", 23, 1007, "N", False, pa.int32(), "INT"),
    "int8": BaseInfo("bigint", 20, 1016, "N", False, pa.int64(), "BIGINT"),
    "uint2": BaseInfo("uint2", 16460, 16461, "N", False, pa.int32(), "INT"),
    "uint4": BaseInfo("uint4", 16462, 16463, "N", False, pa.int64(), "BIGINT"),
    "uint8": BaseInfo("uint8", 16464, 16465, "N", False, pa.decimal128(20, 0), "DECIMAL(20, 0)"),
    "float4": BaseInfo("real", 700, 1021, "N", False, pa.float32(), "FLOAT"),
    "float8": BaseInfo("double precision", 701, 1022, "N", True, pa.float64(), "DOUBLE"),
    "numeric": BaseInfo("numeric", 1700, 1231, "N", False, None, None),
    "text": BaseInfo("text", 25, 1009, "S", True, pa.string(), "STRING"),
    "varchar": BaseInfo("character varying", 1043, 1015, "S", False, pa.string(), "STRING"),
    "bpchar": BaseInfo("character", 1042, 1014, "S", False, pa.string(), "STRING"),
    "name": BaseInfo("name", 19, 1003, "S", False, pa.string(), "STRING"),
    "char": BaseInfo('"char"', 18, 1002, "Z", False, pa.string(), "STRING"),
    "bytea": BaseInfo("bytea", 17, 1001, "U", False, pa.binary(), "BINARY"),
    "date": BaseInfo("date", 1082, 1182, "D", False, pa.date32(), "DATE"),
    "time": BaseInfo("time without time zone", 1083, 1183, "D", False, pa.time64("us"), "TIME(6)"),
    "timestamp": BaseInfo("timestamp without time zone", 1114, 1115, "D", False, pa.timestamp("us"), "TIMESTAMP_NTZ"),
    "timestamptz": BaseInfo("timestamp with time zone", 1184, 1185, "D", True, pa.timestamp("us", "UTC"), "TIMESTAMP"),
    "interval": BaseInfo(
        "interval", 1186, 1187, "T", True, _INTERVAL, "STRUCT<months: INT, days: INT, micros: BIGINT>"
    ),
    "jsonb": BaseInfo("jsonb", 3802, 3807, "U", False, pa.string(), "STRING"),
    "uuid": BaseInfo("uuid", 2950, 2951, "U", False, pa.string(), "STRING"),
    "oid": BaseInfo("oid", 26, 1028, "N", True, pa.int64(), "BIGINT"),
    "regclass": BaseInfo("regclass", 2205, 2210, "N", False, pa.int64(), "BIGINT"),
    "regproc": BaseInfo("regproc", 24, 1008, "N", False, pa.int64(), "BIGINT"),
    "regtype": BaseInfo("regtype", 2206, 2211, "N", False, pa.int64(), "BIGINT"),
    "regprocedure": BaseInfo("regprocedure", 2202, 2207, "N", False, pa.int64(), "BIGINT"),
    "regnamespace": BaseInfo("regnamespace", 4089, 4090, "N", False, pa.int64(), "BIGINT"),
    "regrole": BaseInfo("regrole", 4096, 4097, "N", False, pa.int64(), "BIGINT"),
    "int2vector": BaseInfo("int2vector", 22, 1006, "A", False, pa.list_(pa.int16()), "ARRAY<SMALLINT>"),
    "oidvector": BaseInfo("oidvector", 30, 1013, "A", False, pa.list_(pa.int64()), "ARRAY<BIGINT>"),
    "mz_timestamp": BaseInfo("mz_timestamp", 16552, 16553, "U", False, pa.int64(), "BIGINT"),
    "unknown": BaseInfo("unknown", 705, 0, "X", False, pa.string(), "STRING"),
    "record": BaseInfo("record", 2249, 2287, "P", False, None, None),
    "void": BaseInfo("void", 2278, 0, "P", False, pa.null(), "VOID"),
    "int4range": BaseInfo("int4range", 3904, 3905, "R", False, None, None),
    "int8range": BaseInfo("int8range", 3926, 3927, "R", False, None, None),
    "numrange": BaseInfo("numrange", 3906, 3907, "R", False, None, None),
    "daterange": BaseInfo("daterange", 3912, 3913, "R", False, None, None),
    "tsrange": BaseInfo("tsrange", 3908, 3909, "R", False, None, None),
    "tstzrange": BaseInfo("tstzrange", 3910, 3911, "R", False, None, None),
}
"""All but arrays, lists, maps and user-defined types. The oids from 16384 on are ours, as Materialize has them."""


_LIST = BaseInfo("list", 16454, 0, "U", False, None, None)
_MAP = BaseInfo("map", 16455, 0, "U", False, None, None)
_ANY_ARRAY = 2287
"""The oid of arrays whose elements have no oid of their own."""


@dataclass(frozen=True, eq=False)
class Type(Node):
    """`base` is the name in `BASES`; `_x` is the base of arrays of `x`; `list`, `map` and `record` are bases too."""

    base: str

    def __str__(self) -> str:
        """As `format_type` and error messages have it."""
        return BASES[self.base].display

    @property
    def info(self) -> BaseInfo:
        return BASES[self.base]

    @property
    def category(self) -> str:
        return self.info.category

    @property
    def preferred(self) -> bool:
        return self.info.preferred

    @property
    def oid(self) -> int:
        return self.info.oid


@dataclass(frozen=True, eq=False)
class Numeric(Type):
    """How many digits the values have at most, and how many of them after the point.

    Every numeric has both, since Arrow and Spark need them; `declared` says that the user asked for them, so
    that the type shows them and casts to it round.
    """

    precision: int = MAX_PRECISION
    scale: int = 18
    declared: bool = False

    def __str__(self) -> str:
        return f"numeric({self.precision},{self.scale})" if self.declared else "numeric"


@dataclass(frozen=True, eq=False)
class Modified(Type):
    """A type with one number after it: a greatest length (varchar, bpchar), or digits of seconds (times, interval)."""

    modifier: int | None = None

    def __str__(self) -> str:
        display = BASES[self.base].display
        if self.modifier is None:
            return display
        first, space, rest = display.partition(" ")
        if self.base in ("varchar", "bpchar"):
            return f"{display}({self.modifier})"
        return f"{first}({self.modifier}){space}{rest}"


@dataclass(frozen=True, eq=False)
class IntervalOf(Modified):
    """An interval of some fields alone, as `DAY TO SECOND`: what is less than the last of them is cut off."""

    fields: str = ""

    def __str__(self) -> str:
        digits = "" if self.modifier is None else f"({self.modifier})"
        return f"{BASES[self.base].display} {self.fields.lower()}{digits}"


@dataclass(frozen=True, eq=False)
class Array(Type):
    """PostgreSQL's type is the same for all dimensions; ours are known when a query is planned."""

    element: Type
    dimensions: int = 1

    def __str__(self) -> str:
        return f"{self.element}[]"

    @property
    def info(self) -> BaseInfo:
        oid = BASES[self.element.base].array_oid if self.element.base in BASES else _ANY_ARRAY
        return BaseInfo(str(self), oid, 0, "A", False, None, None)


@dataclass(frozen=True, eq=False)
class List(Type):
    element: Type

    def __str__(self) -> str:
        return f"{self.element} list"

    @property
    def info(self) -> BaseInfo:
        return _LIST


@dataclass(frozen=True, eq=False)
class Map(Type):
    """Keys are text."""

    value: Type

    def __str__(self) -> str:
        return f"map[text=>{self.value}]"

    @property
    def info(self) -> BaseInfo:
        return _MAP


@dataclass(frozen=True, eq=False)
class Record(Type):
    """`name` is that of a user-defined composite type, or None."""

    names: tuple[str, ...]
    types: tuple[Type, ...]
    name: str | None = None

    def __str__(self) -> str:
        return self.name or "record"


@dataclass(frozen=True, eq=False)
class Range(Type):
    subtype: Type


BOOL, INT2, INT4, INT8 = Type("bool"), Type("int2"), Type("int4"), Type("int8")
UINT2, UINT4, UINT8 = Type("uint2"), Type("uint4"), Type("uint8")
FLOAT4, FLOAT8 = Type("float4"), Type("float8")
NUMERIC = Numeric("numeric")
TEXT, NAME, CHAR = Type("text"), Type("name"), Type("char")
VARCHAR, BPCHAR = Modified("varchar"), Modified("bpchar")
BYTEA, JSONB, UUID = Type("bytea"), Type("jsonb"), Type("uuid")
DATE = Type("date")
TIME, TIMESTAMP, TIMESTAMPTZ = Modified("time"), Modified("timestamp"), Modified("timestamptz")
INTERVAL = Modified("interval")
OID, REGCLASS, REGPROC, REGTYPE = Type("oid"), Type("regclass"), Type("regproc"), Type("regtype")
REGPROCEDURE, REGNAMESPACE, REGROLE = Type("regprocedure"), Type("regnamespace"), Type("regrole")
INT2VECTOR, OIDVECTOR, MZ_TIMESTAMP = Type("int2vector"), Type("oidvector"), Type("mz_timestamp")
UNKNOWN, VOID = Type("unknown"), Type("void")
INT4RANGE, INT8RANGE, NUMRANGE = Range("int4range", INT4), Range("int8range", INT8), Range("numrange", NUMERIC)
DATERANGE = Range("daterange", DATE)
TSRANGE, TSTZRANGE = Range("tsrange", TIMESTAMP), Range("tstzrange", TIMESTAMPTZ)

REGISTERED = (REGCLASS, REGPROC, REGTYPE, REGPROCEDURE, REGNAMESPACE, REGROLE)
"""Oids of objects of one kind, which are written as their names."""
VECTORS: Mapping[Type, Type] = {INT2VECTOR: INT2, OIDVECTOR: OID}
"""Arrays of the catalogs, which count from 0, with what they hold."""


@lru_cache(maxsize=4096)
def numeric(precision: int, scale: int, *, declared: bool = False) -> Numeric:
    return Numeric("numeric", precision, scale, declared)


def array_of(element: Type) -> Array:
    """The type of arrays with such elements; an array of arrays is one with another dimension."""
    if isinstance(element, Array):
        return Array(element.base, element.element, element.dimensions + 1)
    return Array(f"_{element.base}", element)


def list_of(element: Type) -> List:
    return List("list", element)


def map_of(value: Type) -> Map:
    return Map("map", value)


def record_of(names: tuple[str, ...], types: tuple[Type, ...], name: str | None = None) -> Record:
    return Record("record", names, types, name)


def arrow_type(type_: Type) -> pa.DataType:
    match type_:
        case Numeric():
            return pa.decimal128(type_.precision, type_.scale)
        case Array():
            element = arrow_type(type_.element)
            for _ in range(type_.dimensions):
                element = pa.list_(element)
            return element
        case List():
            return pa.list_(arrow_type(type_.element))
        case Map():
            return pa.map_(pa.string(), arrow_type(type_.value))
        case Record():
            # Fields may have one name twice; positions do not.
            return pa.struct([(f"f{i}", arrow_type(t)) for i, t in enumerate(type_.types, start=1)])
        case Range():
            bound = arrow_type(type_.subtype)
            flags = [(name, pa.bool_()) for name in ("lower_inclusive", "upper_inclusive", "empty")]
            return pa.struct([("lower", bound), ("upper", bound), *flags])
    found = BASES[type_.base].arrow
    if found is None:
        raise UsageError(f"type {type_} has no values")
    return found


def spark_type(type_: Type) -> str:
    match type_:
        case Numeric():
            return f"DECIMAL({type_.precision}, {type_.scale})"
        case Array():
            return "ARRAY<" * type_.dimensions + spark_type(type_.element) + ">" * type_.dimensions
        case List():
            return f"ARRAY<{spark_type(type_.element)}>"
        case Map():
            return f"MAP<STRING, {spark_type(type_.value)}>"
        case Record():
            return f"STRUCT<{', '.join(f'f{i}: {spark_type(t)}' for i, t in enumerate(type_.types, start=1))}>"
        case Range():
            bound = spark_type(type_.subtype)
            flags = ", ".join(f"{name}: BOOLEAN" for name in ("lower_inclusive", "upper_inclusive", "empty"))
            return f"STRUCT<lower: {bound}, upper: {bound}, {flags}>"
    found = BASES[type_.base].spark
    if found is None:
        raise UsageError(f"type {type_} has no values")
    return found
