"""`information_schema`: relations about what we do not have."""

from __future__ import annotations

from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, empty

_COLUMNS: tuple[tuple[int, str, str], ...] = (
    (
        17640,
        "table_constraints",
        "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog name, table_schema "
        "name, table_name name, constraint_type varchar, is_deferrable varchar, initially_deferred varchar, enforced "
        "varchar, nulls_distinct varchar",
    ),
    (
        17641,
        "key_column_usage",
        "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog name, table_schema "
        "name, table_name name, column_name name, ordinal_position int4, position_in_unique_constraint int4",
    ),
    (
        17642,
        "referential_constraints",
        "constraint_catalog name, constraint_schema name, constraint_name name, unique_constraint_catalog name, "
        "unique_constraint_schema name, unique_constraint_name name, match_option varchar, update_rule varchar, "
        "delete_rule varchar",
    ),
    (
        17643,
        "constraint_column_usage",
        "table_catalog name, table_schema name, table_name name, column_name name, constraint_catalog name, "
        "constraint_schema name, constraint_name name",
    ),
    (
        17644,
        "constraint_table_usage",
        "table_catalog name, table_schema name, table_name name, constraint_catalog name, constraint_schema name, "
        "constraint_name name",
    ),
    (
        17645,
        "check_constraints",
        "constraint_catalog name, constraint_schema name, constraint_name name, check_clause varchar",
    ),
    (
        17646,
        "domain_constraints",
        "constraint_catalog name, constraint_schema name, constraint_name name, domain_catalog name, domain_schema "
        "name, domain_name name, is_deferrable varchar, initially_deferred varchar",
    ),
    (
        17647,
        "domains",
        "domain_catalog name, domain_schema name, domain_name name, data_type varchar, character_maximum_length int4, "
        "character_octet_length int4, character_set_catalog name, character_set_schema name, character_set_name name, "
        "collation_catalog name, collation_schema name, collation_name name, numeric_precision int4, "
        "numeric_precision_radix int4, numeric_scale int4, datetime_precision int4, interval_type varchar, "
        "interval_precision int4, domain_default varchar, udt_catalog name, udt_schema name, udt_name name, "
        "scope_catalog name, scope_schema name, scope_name name, maximum_cardinality int4, dtd_identifier name",
    ),
    (
        17648,
        "sequences",
        "sequence_catalog name, sequence_schema name, sequence_name name, data_type varchar, numeric_precision int4, "
        "numeric_precision_radix int4, numeric_scale int4, start_value varchar, minimum_value varchar, maximum_value "
        "varchar, increment varchar, cycle_option varchar",
    ),
    (
        17649,
        "triggers",
        "trigger_catalog name, trigger_schema name, trigger_name name, event_manipulation varchar, "
        "event_object_catalog name, event_object_schema name, event_object_table name, action_order int4, "
        "action_condition varchar, action_statement varchar, action_orientation varchar, action_timing varchar, "
        "action_reference_old_table name, action_reference_new_table name, action_reference_old_row name, "
        "action_reference_new_row name, created timestamptz",
    ),
    (
        17650,
        "triggered_update_columns",
        "trigger_catalog name, trigger_schema name, trigger_name name, event_object_catalog name, event_object_schema "
        "name, event_object_table name, event_object_column name",
    ),
    (
        17651,
        "parameters",
        "specific_catalog name, specific_schema name, specific_name name, ordinal_position int4, parameter_mode "
        "varchar, is_result varchar, as_locator varchar, parameter_name name, data_type varchar, "
        "character_maximum_length int4, character_octet_length int4, character_set_catalog name, character_set_schema "
        "name, character_set_name name, collation_catalog name, collation_schema name, collation_name name, "
        "numeric_precision int4, numeric_precision_radix int4, numeric_scale int4, datetime_precision int4, "
        "interval_type varchar, interval_precision int4, udt_catalog name, udt_schema name, udt_name name, "
        "scope_catalog name, scope_schema name, scope_name name, maximum_cardinality int4, dtd_identifier name, "
        "parameter_default varchar",
    ),
    (
        17652,
        "element_types",
        "object_catalog name, object_schema name, object_name name, object_type varchar, collection_type_identifier "
        "name, data_type varchar, character_maximum_length int4, character_octet_length int4, character_set_catalog "
        "name, character_set_schema name, character_set_name name, collation_catalog name, collation_schema name, "
        "collation_name name, numeric_precision int4, numeric_precision_radix int4, numeric_scale int4, "
        "datetime_precision int4, interval_type varchar, interval_precision int4, udt_catalog name, udt_schema name, "
        "udt_name name, scope_catalog name, scope_schema name, scope_name name, maximum_cardinality int4, "
        "dtd_identifier name",
    ),
    (17653, "collations", "collation_catalog name, collation_schema name, collation_name name, pad_attribute varchar"),
    (
        17654,
        "user_defined_types",
        "user_defined_type_catalog name, user_defined_type_schema name, user_defined_type_name name, "
        "user_defined_type_category varchar, is_instantiable varchar, is_final varchar, ordering_form varchar, "
        "ordering_category varchar, ordering_routine_catalog name, ordering_routine_schema name, "
        "ordering_routine_name name, reference_type varchar, data_type varchar, character_maximum_length int4, "
        "character_octet_length int4, character_set_catalog name, character_set_schema name, character_set_name name, "
        "collation_catalog name, collation_schema name, collation_name name, numeric_precision int4, "
        "numeric_precision_radix int4, numeric_scale int4, datetime_precision int4, interval_type varchar, "
        "interval_precision int4, source_dtd_identifier name, ref_dtd_identifier name",
    ),
    (
        17655,
        "usage_privileges",
        "grantor name, grantee name, object_catalog name, object_schema name, object_name name, object_type varchar, "
        "privilege_type varchar, is_grantable varchar",
    ),
    (
        17656,
        "udt_privileges",
        "grantor name, grantee name, udt_catalog name, udt_schema name, udt_name name, privilege_type varchar, "
        "is_grantable varchar",
    ),
    (
        17657,
        "routine_privileges",
        "grantor name, grantee name, specific_catalog name, specific_schema name, specific_name name, routine_catalog "
        "name, routine_schema name, routine_name name, privilege_type varchar, is_grantable varchar",
    ),
    (
        17658,
        "role_routine_grants",
        "grantor name, grantee name, specific_catalog name, specific_schema name, specific_name name, routine_catalog "
        "name, routine_schema name, routine_name name, privilege_type varchar, is_grantable varchar",
    ),
    (
        17659,
        "role_usage_grants",
        "grantor name, grantee name, object_catalog name, object_schema name, object_name name, object_type varchar, "
        "privilege_type varchar, is_grantable varchar",
    ),
    (
        17660,
        "role_udt_grants",
        "grantor name, grantee name, udt_catalog name, udt_schema name, udt_name name, privilege_type varchar, "
        "is_grantable varchar",
    ),
    (
        17661,
        "foreign_tables",
        "foreign_table_catalog name, foreign_table_schema name, foreign_table_name name, foreign_server_catalog name, "
        "foreign_server_name name",
    ),
    (
        17662,
        "foreign_servers",
        "foreign_server_catalog name, foreign_server_name name, foreign_data_wrapper_catalog name, "
        "foreign_data_wrapper_name name, foreign_server_type varchar, foreign_server_version varchar, "
        "authorization_identifier name",
    ),
    (
        17663,
        "view_column_usage",
        "view_catalog name, view_schema name, view_name name, table_catalog name, table_schema name, table_name name, "
        "column_name name",
    ),
    (
        17664,
        "column_udt_usage",
        "udt_catalog name, udt_schema name, udt_name name, table_catalog name, table_schema name, table_name name, "
        "column_name name",
    ),
    (
        17665,
        "sql_features",
        "feature_id varchar, feature_name varchar, sub_feature_id varchar, sub_feature_name varchar, is_supported "
        "varchar, is_verified_by varchar, comments varchar",
    ),
    (17666, "sql_sizing", "sizing_id int4, sizing_name varchar, supported_value int4, comments varchar"),
)

RELATIONS: tuple[Builtin | BuiltinView, ...] = tuple(
    empty(oid, "information_schema", name, spec) for oid, name, spec in _COLUMNS
)
