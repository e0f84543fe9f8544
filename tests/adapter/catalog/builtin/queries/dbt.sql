-- dbt's PostgreSQL adapter. From the sources of its macros.

-- name: columns
select
          column_name,
          data_type,
          character_maximum_length,
          numeric_precision,
          numeric_scale

      from "materialize".INFORMATION_SCHEMA.columns
      where table_name = 'orders'
        and table_schema = 'public'
      order by ordinal_position

-- name: relations
select
      'materialize' as database,
      tablename as name,
      schemaname as schema,
      'table' as type
    from pg_tables
    where schemaname ilike 'public'
    union all
    select
      'materialize' as database,
      viewname as name,
      schemaname as schema,
      'view' as type
    from pg_views
    where schemaname ilike 'public'

-- name: schemas
select distinct nspname from pg_namespace

-- name: a schema
select count(*) from pg_namespace where nspname = 'public'

-- name: grants
select grantee, privilege_type
  from "materialize".INFORMATION_SCHEMA.role_table_grants
      where grantor = current_role
        and grantee != current_role
        and table_schema = 'public'
        and table_name = 'orders'
