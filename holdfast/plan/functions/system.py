"""The session and the system: what a query is told from outside, and what it can tell about its own values.

What is current is one value throughout a query, and only the session knows it.
"""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.functions.function import Any, Family, Function, Types
from holdfast.plan.functions.spark_text import quoted
from holdfast.plan.types import (
    BASES,
    BOOL,
    DATE,
    INT4,
    INTERVAL,
    MZ_TIMESTAMP,
    NAME,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    Array,
    Record,
    Type,
    array_of,
)


def display_of(type_: Type) -> str:
    """The name of a type without modifiers."""
    if isinstance(type_, Array):
        return f"{display_of(type_.element)}[]"
    if isinstance(type_, Record) or type_.base not in BASES:
        return str(type_)
    return BASES[type_.base].display


def _typeof(types: Types, _: object) -> str:
    return display_of(types.arguments[0])


def _spark_typeof(_arguments: Sequence[str], types: Sequence[Type], _result: Type) -> str:
    return quoted(display_of(types[0]))


def _current(name: str, type_: Type, *, nullable: bool = False) -> Function:
    return Function(name, (), type_, stability="stable", makes_null=nullable)


FAMILY = Family(
    "The session and the system",
    functions=(
        *(_current(name, NAME) for name in ("current_database", "current_user", "session_user")),
        _current("current_schema", NAME, nullable=True),
        Function(
            "current_schemas",
            (BOOL,),
            array_of(NAME),
            stability="stable",
            doc="The schemas in which names are looked up.",
        ),
        _current("system_user", TEXT, nullable=True),
        *(_current(name, TEXT) for name in ("version", "mz_version", "mz_environment_id")),
        _current("mz_version_num", INT4),
        _current("mz_uptime", INTERVAL),
        _current("mz_is_superuser", BOOL),
        _current("pg_backend_pid", INT4),
        _current("pg_postmaster_start_time", TIMESTAMPTZ),
        _current("pg_conf_load_time", TIMESTAMPTZ),
        _current("now", TIMESTAMPTZ),
        _current("statement_timestamp", TIMESTAMPTZ),
        _current("clock_timestamp", TIMESTAMPTZ),
        _current("current_date", DATE),
        _current("current_time", TIME),
        _current("localtimestamp", TIMESTAMP),
        _current("mz_now", MZ_TIMESTAMP),
        Function("current_setting", (TEXT,), TEXT, stability="stable", fails=True, doc="The value of a setting."),
        Function(
            "current_setting",
            (TEXT, BOOL),
            TEXT,
            stability="stable",
            makes_null=True,
            fails=True,
            doc="The value of a setting.",
        ),
        Function(
            "pg_typeof",
            (Any.ANY,),
            TEXT,
            _typeof,
            _spark_typeof,
            strict=False,
            typed=True,
            doc="The name of the type of a value.",
        ),
        Function("pg_client_encoding", (), NAME, lambda: "UTF8", "'UTF8'", doc="The encoding of the client."),
    ),
    aliases={
        "current_catalog": "current_database",
        "user": "current_user",
        "current_role": "current_user",
        "current_timestamp": "now",
        "transaction_timestamp": "now",
        "localtime": "current_time",
    },
)
