"""The functions of the catalog, as one session has them.

A bound function has in it what it needs of the catalog, as plain values, and nothing else: it can be sent to workers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from holdfast.adapter.catalog.builtin.functions import definitions, privileges, registered, session
from holdfast.adapter.catalog.builtin.functions.visible import Visible
from holdfast.adapter.catalog.builtin.introspection import Introspection
from holdfast.adapter.catalog.builtin.recent import Recent
from holdfast.adapter.catalog.builtin.registry import system_relations
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.plan.errors import DataError
from holdfast.plan.functions.function import Function

Build: TypeAlias = Callable[[Visible, Shown], Callable[..., object]]


def _always(value: object) -> Build:
    return lambda _visible, _shown: lambda *_: value


def _visible(kind: str) -> Build:
    return lambda visible, _: getattr(visible, kind).is_visible


def _or_null(build: Build) -> Build:
    """Null where the other has an error."""

    def built(visible: Visible, shown: Shown) -> Callable[..., object]:
        read = build(visible, shown)

        def found(text: str) -> object:
            try:
                return read(text)
            except DataError:
                return None

        return found

    return built


_READERS: Mapping[str, Build] = {
    "regclass": registered.relation_oid,
    "regtype": registered.type_oid,
    "regproc": registered.function_oid,
    "regprocedure": registered.procedure_oid,
    "regnamespace": registered.schema_oid,
    "regrole": registered.role_oid,
}
_WRITERS: Mapping[str, Build] = {
    "regclass": registered.relation_name,
    "regtype": registered.type_name,
    "regproc": registered.function_name,
    "regprocedure": registered.procedure_name,
    "regnamespace": registered.schema_name,
    "regrole": registered.role_name,
}

OF_CATALOG: Mapping[str, Build] = {
    **{f"{base}in": build for base, build in _READERS.items()},
    **{f"{base}out": build for base, build in _WRITERS.items()},
    **{f"to_{base}": _or_null(build) for base, build in _READERS.items()},
    "format_type": registered.formatted_type,
    "pg_table_is_visible": _visible("relations"),
    "pg_type_is_visible": _visible("types"),
    "pg_function_is_visible": _visible("functions"),
    "pg_operator_is_visible": _visible("operators"),
    **{
        f"pg_{kind}_is_visible": _always(True)
        for kind in ("collation", "opclass", "opfamily", "conversion", "ts_config", "statistics_obj")
    },
    "pg_get_viewdef": definitions.viewdef,
    "pg_get_indexdef": definitions.indexdef,
    "pg_get_userbyid": definitions.userbyid,
    "pg_get_functiondef": definitions.functiondef,
    "pg_get_function_arguments": definitions.function_arguments,
    "pg_get_function_identity_arguments": definitions.function_arguments,
    "pg_get_function_result": definitions.function_result,
    "pg_get_serial_sequence": definitions.serial_sequence,
    "pg_describe_object": definitions.describe_object,
    **{
        name: _always(None)
        for name in (
            *("pg_get_constraintdef", "pg_get_ruledef", "pg_get_triggerdef"),
            *("pg_get_function_sqlbody", "pg_get_function_arg_default", "pg_get_partkeydef"),
            *("pg_get_statisticsobjdef", "pg_get_statisticsobjdef_columns", "pg_get_partition_constraintdef"),
        )
    },
    "obj_description": definitions.obj_description,
    "col_description": definitions.col_description,
    "shobj_description": definitions.shobj_description,
    "has_table_privilege": privileges.table,
    "has_any_column_privilege": privileges.any_column,
    "has_column_privilege": privileges.column,
    "has_schema_privilege": privileges.schema,
    "has_database_privilege": privileges.database,
    "has_type_privilege": privileges.type_,
    "has_function_privilege": privileges.function,
    "has_system_privilege": privileges.system,
    **{f"has_{kind}_privilege": privileges.everyone for kind in ("language", "tablespace", "cluster", "parameter")},
    **{
        f"has_{kind}_privilege": privileges.absent(kind)
        for kind in ("sequence", "server", "foreign_data_wrapper", "connection", "secret")
    },
    "pg_has_role": privileges.has_role,
    **{f"pg_{what}_size": _always(0) for what in ("relation", "table", "total_relation", "database", "tablespace")},
    "pg_indexes_size": _always(0),
    "pg_tablespace_location": _always(""),
    "pg_relation_is_publishable": _always(False),
    "pg_is_in_recovery": _always(False),
    "pg_advisory_unlock_all": _always(None),
    "pg_is_other_temp_schema": _always(False),
    "pg_blocking_pids": _always(()),
    "pg_my_temp_schema": session.temporary_schema,
    "current_schemas": session.schemas,
    "current_schema": session.schema,
    "mz_is_superuser": session.is_superuser,
}
"""Functions of the catalog, of which database and schemas are searched, and of who asks."""

OF_SESSION: Mapping[str, Build] = {
    "current_setting": session.setting,
    "pg_backend_pid": session.backend_pid,
    "pg_postmaster_start_time": session.start_time,
    "pg_conf_load_time": session.start_time,
    "mz_uptime": session.uptime,
    "mz_environment_id": session.environment_id,
    "mz_version_num": session.version_number,
}
"""Functions of what only the session or the server knows."""


class _Bound:
    """Functions as one introspection has them, each made when it is first asked for."""

    def __init__(self, builds: Mapping[str, Build], introspection: Introspection) -> None:
        self._builds = builds
        self._shown = Shown(introspection, system_relations())
        self._visible = Visible(self._shown)
        self._made: dict[str, Callable[..., object]] = {}
        self._bound: dict[Function, Function] = {}

    def __call__(self, function: Function) -> Function:
        found = self._bound.get(function)
        if found is None:
            name = function.name
            if name not in self._made:
                self._made[name] = self._builds[name](self._visible, self._shown)
            found = replace(function, python=self._made[name], spark=None, stability="immutable", typed=False)
            self._bound[function] = found
        return found


class CatalogFunctions:
    """What the functions of the registry are to those who ask.

    To all who would get the same answers of the catalog they are the same functions, so that a plan with them in it is
    the same plan.
    """

    def __init__(self, size: int = 100) -> None:
        self._of_catalog: Recent[_Bound] = Recent(size)

    def bound(self, introspection: Introspection) -> Callable[[Function], Function | None]:
        """A function as it is here; None for those that are the same everywhere."""
        of_catalog, of_session = self._shared(introspection), _Bound(OF_SESSION, introspection)

        def found(function: Function) -> Function | None:
            if function.name in OF_CATALOG:
                return of_catalog(function)
            return of_session(function) if function.name in OF_SESSION else None

        return found

    def _shared(self, introspection: Introspection) -> _Bound:
        asked = introspection
        own = asked.session if asked.state.items_of_session(asked.session) else None
        key = (asked.state.version, asked.database, asked.search_path, asked.role, own)
        return self._of_catalog.get(key, lambda: _Bound(OF_CATALOG, introspection))
