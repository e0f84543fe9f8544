"""The catalog: what a query can ask about the objects of the database by their oids and names.

Only the session knows the answers: it puts the function in before the query runs (`adapter/known.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from holdfast.plan.functions.container import element_of
from holdfast.plan.functions.function import Any, Cast, CastContext, Family, Function, ResultColumns, TableFunction
from holdfast.plan.text import read_of, write_of
from holdfast.plan.types import (
    BOOL,
    INT2,
    INT4,
    INT8,
    NAME,
    OID,
    REGCLASS,
    REGISTERED,
    REGNAMESPACE,
    REGPROC,
    REGPROCEDURE,
    REGROLE,
    REGTYPE,
    TEXT,
    VOID,
    Type,
    array_of,
)

_VISIBLE = (
    *("table", "type", "function", "operator", "collation", "opclass", "opfamily", "conversion", "ts_config"),
    "statistics_obj",
)
_PRIVILEGES = (
    *("table", "any_column", "schema", "database", "function", "sequence", "type", "language", "tablespace"),
    *("server", "foreign_data_wrapper", "cluster", "connection", "secret", "parameter"),
)
"""What has a `has_..._privilege` of an object, by its oid or its name."""


def _asked(name: str, arguments: tuple[Type, ...], result: Type, doc: str = "", *, strict: bool = True) -> Function:
    return Function(name, arguments, result, strict=strict, makes_null=True, fails=True, stability="stable", doc=doc)


def _privileges() -> Iterator[Function]:
    """The role is the one who asks, or given by name or oid; the object is given by name or oid."""
    for kind in _PRIVILEGES:
        doc = f"Whether a role has a privilege on a {kind.replace('any_', '').replace('_', ' ')}."
        for role in ((), (NAME,), (OID,)):
            for thing in (TEXT, OID):
                yield _asked(f"has_{kind}_privilege", (*role, thing, TEXT), BOOL, doc)
    for role in ((), (NAME,), (OID,)):
        for table in (TEXT, OID):
            for column in (TEXT, INT2):
                doc = "Whether a role has a privilege on a column."
                yield _asked("has_column_privilege", (*role, table, column, TEXT), BOOL, doc)
        for group in (NAME, OID):
            yield _asked("pg_has_role", (*role, group, TEXT), BOOL, "Whether a role is a member of another.")
    yield _asked("has_system_privilege", (TEXT,), BOOL, "Whether a role has a privilege on the system.")
    yield _asked("has_system_privilege", (NAME, TEXT), BOOL, "Whether a role has a privilege on the system.")


def _definitions() -> Iterator[Function]:
    for name, doc in (
        ("pg_get_viewdef", "The query of a view."),
        ("pg_get_constraintdef", "The definition of a constraint."),
        ("pg_get_ruledef", "The definition of a rule."),
        ("pg_get_triggerdef", "The definition of a trigger."),
        ("pg_get_indexdef", "The definition of an index."),
    ):
        yield _asked(name, (OID,), TEXT, doc)
        yield _asked(name, (OID, INT4, BOOL) if name == "pg_get_indexdef" else (OID, BOOL), TEXT, doc)
    yield _asked("pg_get_viewdef", (OID, INT4), TEXT, "The query of a view.")
    yield _asked("pg_get_viewdef", (TEXT,), TEXT, "The query of a view.")
    yield _asked("pg_get_viewdef", (TEXT, BOOL), TEXT, "The query of a view.")
    for name, doc in (
        ("pg_get_functiondef", "The definition of a function."),
        ("pg_get_function_arguments", "The types of a function's arguments."),
        ("pg_get_function_identity_arguments", "The types of a function's arguments."),
        ("pg_get_function_result", "The type of a function's result."),
        ("pg_get_function_sqlbody", "The SQL of a function."),
        ("pg_get_statisticsobjdef", "The definition of extended statistics."),
        ("pg_get_statisticsobjdef_columns", "The columns of extended statistics."),
        ("pg_get_partkeydef", "What a table is partitioned by."),
        ("pg_get_partition_constraintdef", "Which rows a partition has."),
        ("pg_tablespace_location", "Where a tablespace is."),
    ):
        yield _asked(name, (OID,), TEXT, doc)
    yield _asked("pg_get_function_arg_default", (OID, INT4), TEXT, "The default of a function's argument.")
    yield _asked("pg_get_serial_sequence", (TEXT, TEXT), TEXT, "The sequence that a column takes its values from.")
    yield _asked("pg_describe_object", (OID, OID, INT4), TEXT, "An object in words.")


def _sizes() -> Iterator[Function]:
    doc = "Bytes of a table. Always 0: what is stored is shared among versions."
    for name in ("pg_relation_size", "pg_table_size", "pg_total_relation_size", "pg_indexes_size"):
        yield _asked(name, (REGCLASS,), INT8, doc)
    yield _asked("pg_relation_size", (REGCLASS, TEXT), INT8, doc)
    for type_ in (NAME, OID):
        yield _asked("pg_database_size", (type_,), INT8, "Bytes of a database. Always 0.")
        yield _asked("pg_tablespace_size", (type_,), INT8, "Bytes of a tablespace. Always 0.")


def _registered() -> Iterator[Function]:
    yield _asked("to_regclass", (TEXT,), REGCLASS, "The relation of this name; null if there is none.")
    yield _asked("to_regtype", (TEXT,), REGTYPE, "The type of this name; null if there is none.")
    yield _asked("to_regproc", (TEXT,), REGPROC, "The function of this name; null if there is none.")
    yield _asked("to_regprocedure", (TEXT,), REGPROCEDURE, "The function of this name and these types; null if none.")
    yield _asked("to_regnamespace", (TEXT,), REGNAMESPACE, "The schema of this name; null if there is none.")
    yield _asked("to_regrole", (TEXT,), REGROLE, "The role of this name; null if there is none.")


def _named(type_: Type) -> tuple[Function, Function]:
    """How names are read and written. Without a catalog, they are numbers."""
    reads = Function(f"{type_.base}in", (TEXT,), type_, read_of(type_), fails=True, stability="stable")
    shown = "if({0} = 0, '-', CAST({0} AS STRING))"
    return reads, Function(f"{type_.base}out", (type_,), TEXT, write_of(type_), shown, stability="stable")


def _casts() -> Iterator[Cast]:
    for type_ in REGISTERED:
        reads, writes = _named(type_)
        yield Cast(type_.base, "text", "assignment", writes)
        for base in ("text", "varchar", "bpchar", "name"):
            context: CastContext = "implicit" if type_ is REGCLASS and base in ("text", "varchar") else "explicit"
            yield Cast(base, type_.base, context, reads)


def _numbered_columns(types: Sequence[Type]) -> ResultColumns:
    return ResultColumns(("x", "n"), (element_of(types[0]), INT4), (True, False))


def _numbered(array: tuple[object, ...]) -> Iterator[tuple[object, int]]:
    return ((element, place) for place, element in enumerate(array, start=1))


FAMILY = Family(
    "The catalog",
    functions=(
        *(
            _asked(f"pg_{kind}_is_visible", (OID,), BOOL, "Whether the search path finds it by its name alone.")
            for kind in _VISIBLE
        ),
        *_definitions(),
        *_registered(),
        *_privileges(),
        *_sizes(),
        Function(
            "pg_get_expr",
            (TEXT, OID),
            TEXT,
            lambda expression, _: expression,
            "CASE WHEN {1} IS NOT NULL THEN {0} END",
            doc="The text of an expression that the catalog has.",
        ),
        Function(
            "pg_get_expr",
            (TEXT, OID, BOOL),
            TEXT,
            lambda expression, _, __: expression,
            "CASE WHEN {1} IS NOT NULL AND {2} IS NOT NULL THEN {0} END",
            doc="The text of an expression that the catalog has.",
        ),
        Function(
            "set_config",
            (TEXT, TEXT, BOOL),
            TEXT,
            lambda _, value, __: value,
            strict=False,
            makes_null=True,
            doc="Sets a variable of the session, where it stands in the list of a SELECT without FROM.",
        ),
        _asked("pg_get_userbyid", (OID,), NAME, "The name of a role."),
        _asked("obj_description", (OID, NAME), TEXT, "The comment on an object of one relation of the catalog."),
        _asked("obj_description", (OID,), TEXT, "The comment on an object."),
        _asked("col_description", (OID, INT4), TEXT, "The comment on a column."),
        _asked("shobj_description", (OID, NAME), TEXT, "The comment on a database or a role."),
        _asked("pg_relation_is_publishable", (REGCLASS,), BOOL, "Whether a publication could have it: never."),
        _asked("pg_my_temp_schema", (), OID, "The schema of temporary objects."),
        _asked("pg_is_other_temp_schema", (OID,), BOOL, "Whether it is the schema of another's temporary objects."),
        _asked("pg_blocking_pids", (INT4,), array_of(INT4), "The sessions that a session waits for: none."),
        _asked("pg_is_in_recovery", (), BOOL, "Whether the server only repeats what another does."),
        _asked("pg_advisory_unlock_all", (), VOID, "Gives back all locks that the session took: none."),
    ),
    casts=tuple(_casts()),
    tables=(
        TableFunction(
            "pg_partition_ancestors",
            (REGCLASS,),
            ResultColumns(("relid",), (REGCLASS,), (False,)),
            lambda _: (),
            doc="The tables that a table is a part of: none.",
        ),
        TableFunction(
            "_pg_expandarray",
            (Any.ARRAY,),
            _numbered_columns,
            _numbered,
            doc="The elements of an array, with their places.",
        ),
    ),
)
