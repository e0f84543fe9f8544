"""`information_schema`: what the session's role may see of its database, in the words of the SQL standard."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.adapter.catalog.builtin.information_types import type_facts, type_place
from holdfast.adapter.catalog.builtin.mz_objects import definition_of
from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, Row, Shape, columns
from holdfast.adapter.catalog.builtin.routines import routines
from holdfast.adapter.catalog.builtin.shown import Shown, ShownRelation, letters
from holdfast.adapter.catalog.builtin.user_functions import functions
from holdfast.adapter.catalog.objects import PUBLIC, Grant, RoleId
from holdfast.adapter.catalog.privileges import LETTERS, roles_of
from holdfast.plan.types import Record

_YES, _NO = "YES", "NO"
_WORDS = {letter: word for word, letter in LETTERS.items()}


_SCHEMA = Shape(
    "catalog_name name, schema_name name, schema_owner name, default_character_set_catalog name, "
    "default_character_set_schema name, default_character_set_name name, sql_path varchar"
)
_TABLE = Shape(
    "table_catalog name, table_schema name, table_name name, table_type varchar, self_referencing_column_name name, "
    "reference_generation varchar, user_defined_type_catalog name, user_defined_type_schema name, "
    "user_defined_type_name name, is_insertable_into varchar, is_typed varchar, commit_action varchar"
)
_COLUMN = Shape(
    "table_catalog name, table_schema name, table_name name, column_name name, ordinal_position int4, column_default "
    "varchar, is_nullable varchar, data_type varchar, character_maximum_length int4, character_octet_length int4, "
    "numeric_precision int4, numeric_precision_radix int4, numeric_scale int4, datetime_precision int4, interval_type "
    "varchar, interval_precision int4, character_set_catalog name, character_set_schema name, character_set_name "
    "name, collation_catalog name, collation_schema name, collation_name name, domain_catalog name, domain_schema "
    "name, domain_name name, udt_catalog name, udt_schema name, udt_name name, scope_catalog name, scope_schema name, "
    "scope_name name, maximum_cardinality int4, dtd_identifier name, is_self_referencing varchar, is_identity "
    "varchar, identity_generation varchar, identity_start varchar, identity_increment varchar, identity_maximum "
    "varchar, identity_minimum varchar, identity_cycle varchar, is_generated varchar, generation_expression varchar, "
    "is_updatable varchar"
)
_VIEW = Shape(
    "table_catalog name, table_schema name, table_name name, view_definition varchar, check_option varchar, "
    "is_updatable varchar, is_insertable_into varchar, is_trigger_updatable varchar, is_trigger_deletable varchar, "
    "is_trigger_insertable_into varchar"
)
_ATTRIBUTE = Shape(
    "udt_catalog name, udt_schema name, udt_name name, attribute_name name, ordinal_position int4, attribute_default "
    "varchar, is_nullable varchar, data_type varchar, character_maximum_length int4, character_octet_length int4, "
    "character_set_catalog name, character_set_schema name, character_set_name name, collation_catalog name, "
    "collation_schema name, collation_name name, numeric_precision int4, numeric_precision_radix int4, numeric_scale "
    "int4, datetime_precision int4, interval_type varchar, interval_precision int4, attribute_udt_catalog name, "
    "attribute_udt_schema name, attribute_udt_name name, scope_catalog name, scope_schema name, scope_name name, "
    "maximum_cardinality int4, dtd_identifier name, is_derived_reference_attribute varchar"
)
_ROUTINE = Shape(
    "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, routine_schema name, "
    "routine_name name, routine_type varchar, module_catalog name, module_schema name, module_name name, udt_catalog "
    "name, udt_schema name, udt_name name, data_type varchar, character_maximum_length int4, character_octet_length "
    "int4, character_set_catalog name, character_set_schema name, character_set_name name, collation_catalog name, "
    "collation_schema name, collation_name name, numeric_precision int4, numeric_precision_radix int4, numeric_scale "
    "int4, datetime_precision int4, interval_type varchar, interval_precision int4, type_udt_catalog name, "
    "type_udt_schema name, type_udt_name name, scope_catalog name, scope_schema name, scope_name name, "
    "maximum_cardinality int4, dtd_identifier name, routine_body varchar, routine_definition varchar, external_name "
    "varchar, external_language varchar, parameter_style varchar, is_deterministic varchar, sql_data_access varchar, "
    "is_null_call varchar, sql_path varchar, schema_level_routine varchar, max_dynamic_result_sets int4, "
    "is_user_defined_cast varchar, is_implicitly_invocable varchar, security_type varchar, to_sql_specific_catalog "
    "name, to_sql_specific_schema name, to_sql_specific_name name, as_locator varchar, created timestamptz, "
    "last_altered timestamptz, new_savepoint_level varchar, is_udt_dependent varchar, result_cast_from_data_type "
    "varchar, result_cast_as_locator varchar, result_cast_char_max_length int4, result_cast_char_octet_length int4, "
    "result_cast_char_set_catalog name, result_cast_char_set_schema name, result_cast_char_set_name name, "
    "result_cast_collation_catalog name, result_cast_collation_schema name, result_cast_collation_name name, "
    "result_cast_numeric_precision int4, result_cast_numeric_precision_radix int4, result_cast_numeric_scale int4, "
    "result_cast_datetime_precision int4, result_cast_interval_type varchar, result_cast_interval_precision int4, "
    "result_cast_type_udt_catalog name, result_cast_type_udt_schema name, result_cast_type_udt_name name, "
    "result_cast_scope_catalog name, result_cast_scope_schema name, result_cast_scope_name name, "
    "result_cast_maximum_cardinality int4, result_cast_dtd_identifier name"
)


def _roles(shown: Shown) -> frozenset[RoleId]:
    return roles_of(shown.state, shown.introspection.role.id)


def _visible(shown: Shown) -> list[ShownRelation]:
    """The relations that the role owns, or may do something with."""
    roles, superuser = _roles(shown), shown.introspection.role.superuser
    return [
        found
        for found in shown.relations_here
        if superuser or found.owner in roles or any(grant.grantee in roles for grant in found.grants)
    ]


def _schemata(shown: Shown) -> Iterator[Row]:
    roles, superuser = _roles(shown), shown.introspection.role.superuser
    for found in shown.schemas_here:
        if superuser or found.owner in roles or any(grant.grantee in roles for grant in found.grants):
            yield _SCHEMA.row(
                catalog_name=shown.introspection.database,
                schema_name=found.name,
                schema_owner=shown.role_name(found.owner),
            )


_TABLE_TYPES = {"table": "BASE TABLE", "view": "VIEW", "materialized-view": "MATERIALIZED VIEW"}


def _tables(shown: Shown) -> Iterator[Row]:
    for found in _visible(shown):
        kind = _TABLE_TYPES[found.kind] if found.kind != "table" or not found.is_temporary else "LOCAL TEMPORARY"
        yield _TABLE.row(
            table_catalog=shown.introspection.database,
            table_schema=found.schema.name,
            table_name=found.name,
            table_type=kind,
            is_insertable_into=_YES if found.kind == "table" and found.item is not None else _NO,
            is_typed=_NO,
        )


def _columns(shown: Shown) -> Iterator[Row]:
    database = shown.introspection.database
    for found in _visible(shown):
        changeable = _YES if found.kind == "table" and found.item is not None else _NO
        for number, column in enumerate(found.columns, start=1):
            schema, name = type_place(shown, column.type)
            yield _COLUMN.row(
                table_catalog=database,
                table_schema=found.schema.name,
                table_name=found.name,
                column_name=column.name,
                ordinal_position=number,
                column_default=column.default,
                is_nullable=_YES if column.nullable else _NO,
                udt_catalog=database,
                udt_schema=schema,
                udt_name=name,
                dtd_identifier=str(number),
                is_self_referencing=_NO,
                is_identity=_NO,
                identity_cycle=_NO,
                is_generated="NEVER",
                is_updatable=changeable,
                **type_facts(column.type),
            )


def _views(shown: Shown) -> Iterator[Row]:
    for found in _visible(shown):
        if found.kind == "view":
            yield _VIEW.row(
                table_catalog=shown.introspection.database,
                table_schema=found.schema.name,
                table_name=found.name,
                view_definition=definition_of(found),
                check_option="NONE",
                is_updatable=_NO,
                is_insertable_into=_NO,
                is_trigger_updatable=_NO,
                is_trigger_deletable=_NO,
                is_trigger_insertable_into=_NO,
            )


def _granted(shown: Shown, grant: Grant) -> Iterator[tuple[str, str, str]]:
    """Grantor, grantee and privilege, of those that the role has a part in."""
    roles = _roles(shown)
    if shown.introspection.role.superuser or grant.grantee in roles or grant.grantor in roles:
        grantee = "PUBLIC" if grant.grantee == PUBLIC else shown.role_name(grant.grantee)
        for letter in letters(grant.privileges):
            yield shown.role_name(grant.grantor), grantee, _WORDS[letter]


def _table_privileges(shown: Shown) -> Iterator[Row]:
    for found in shown.relations_here:
        for grant in found.grants:
            for grantor, grantee, word in _granted(shown, grant):
                place = (shown.introspection.database, found.schema.name, found.name)
                yield grantor, grantee, *place, word, _NO, _YES if word == "SELECT" else _NO


def _column_privileges(shown: Shown) -> Iterator[Row]:
    for found in shown.relations_here:
        for grant in found.grants:
            for grantor, grantee, word in _granted(shown, grant):
                if word != "DELETE":
                    place = (shown.introspection.database, found.schema.name, found.name)
                    yield from ((grantor, grantee, *place, column.name, word, _NO) for column in found.columns)


def _applicable_roles(shown: Shown) -> Iterator[Row]:
    for role in sorted(_roles(shown) - {PUBLIC}):
        for group in sorted(shown.state.roles[role].member_of):
            yield shown.role_name(role), shown.role_name(group), _NO


def _enabled_roles(shown: Shown) -> Iterator[Row]:
    for role in sorted(_roles(shown) - {PUBLIC}):
        yield (shown.role_name(role),)


def _catalog_name(shown: Shown) -> Iterator[Row]:
    yield (shown.introspection.database,)


def _character_sets(shown: Shown) -> Iterator[Row]:
    yield None, None, "UTF8", "UCS", "UTF8", shown.introspection.database, "pg_catalog", "C"


def _attributes(shown: Shown) -> Iterator[Row]:
    database = shown.introspection.database
    for item in shown.types_here:
        if isinstance(item.type, Record):
            for number, (name, type_) in enumerate(zip(item.type.names, item.type.types, strict=True), start=1):
                schema, type_name = type_place(shown, type_)
                yield _ATTRIBUTE.row(
                    udt_catalog=database,
                    udt_schema=shown.state.schemas[item.schema].name,
                    udt_name=item.name,
                    attribute_name=name,
                    ordinal_position=number,
                    is_nullable=_YES,
                    attribute_udt_catalog=database,
                    attribute_udt_schema=schema,
                    attribute_udt_name=type_name,
                    dtd_identifier=str(number),
                    is_derived_reference_attribute=_NO,
                    **type_facts(type_),
                )


def _routines(shown: Shown) -> Iterator[Row]:
    database = shown.introspection.database
    for found in routines():
        if found.kind == "f":
            yield _ROUTINE.row(
                specific_catalog=database,
                specific_schema="pg_catalog",
                specific_name=f"{found.name}_{found.oid}",
                routine_catalog=database,
                routine_schema="pg_catalog",
                routine_name=found.name,
                routine_type="FUNCTION",
                routine_body="EXTERNAL",
                external_name=found.name,
                external_language="INTERNAL",
                parameter_style="GENERAL",
                is_deterministic=_YES if found.volatility == "i" else _NO,
                sql_data_access="MODIFIES",
                is_null_call=_YES if found.strict else _NO,
                schema_level_routine=_YES,
                is_user_defined_cast=_NO,
                security_type="INVOKER",
            )
    for own in functions(shown, here=True):
        schema = shown.state.schemas[own.item.schema].name
        yield _ROUTINE.row(
            specific_catalog=database,
            specific_schema=schema,
            specific_name=f"{own.item.name}_{own.item.oid}",
            routine_catalog=database,
            routine_schema=schema,
            routine_name=own.item.name,
            routine_type="FUNCTION",
            routine_body="EXTERNAL",
            routine_definition=own.python.body,
            external_language="PYTHON",
            parameter_style="GENERAL",
            is_deterministic=_YES,
            sql_data_access="MODIFIES",
            is_null_call=_YES if own.strict else _NO,
            schema_level_routine=_YES,
            is_user_defined_cast=_NO,
            security_type="INVOKER",
        )


def _view_table_usage(shown: Shown) -> Iterator[Row]:
    database = shown.introspection.database
    for found in _visible(shown):
        if found.kind == "view" and found.item is not None:
            for used in sorted(map(str, found.item.uses)):
                other = shown.relations_by_id.get(used)
                if other is not None:
                    own = (database, found.schema.name, found.name)
                    yield *own, database, other.schema.name, other.name


_TABLE_GRANTS = columns(
    "grantor name, grantee name, table_catalog name, table_schema name, table_name name, privilege_type varchar, "
    "is_grantable varchar, with_hierarchy varchar"
)
_COLUMN_GRANTS = columns(
    "grantor name, grantee name, table_catalog name, table_schema name, table_name name, column_name name, "
    "privilege_type varchar, is_grantable varchar"
)
_ROLE_GRANTS = columns("grantee name, role_name name, is_grantable varchar")

RELATIONS: tuple[Builtin | BuiltinView, ...] = tuple(
    Builtin(oid, "information_schema", name, shape, rows, "role")
    for oid, name, shape, rows in (
        (17600, "schemata", _SCHEMA.columns, _schemata),
        (17601, "tables", _TABLE.columns, _tables),
        (17602, "columns", _COLUMN.columns, _columns),
        (17603, "views", _VIEW.columns, _views),
        (17604, "table_privileges", _TABLE_GRANTS, _table_privileges),
        (17605, "role_table_grants", _TABLE_GRANTS, _table_privileges),
        (17606, "column_privileges", _COLUMN_GRANTS, _column_privileges),
        (17607, "role_column_grants", _COLUMN_GRANTS, _column_privileges),
        (17608, "applicable_roles", _ROLE_GRANTS, _applicable_roles),
        (17609, "administrable_role_authorizations", _ROLE_GRANTS, _applicable_roles),
        (17610, "enabled_roles", columns("role_name name"), _enabled_roles),
        (17611, "information_schema_catalog_name", columns("catalog_name name"), _catalog_name),
        (
            17612,
            "character_sets",
            columns(
                "character_set_catalog name, character_set_schema name, character_set_name name, "
                "character_repertoire name, form_of_use name, default_collate_catalog name, "
                "default_collate_schema name, default_collate_name name"
            ),
            _character_sets,
        ),
        (17613, "attributes", _ATTRIBUTE.columns, _attributes),
        (17614, "routines", _ROUTINE.columns, _routines),
        (
            17615,
            "view_table_usage",
            columns(
                "view_catalog name, view_schema name, view_name name, table_catalog name, table_schema name, "
                "table_name name"
            ),
            _view_table_usage,
        ),
    )
)
