-- DBeaver, when it connects and when its navigator is opened. From the sources of its PostgreSQL extension.

-- name: current database
SELECT current_database()

-- name: databases
-- with: materialize
SELECT db.oid,db.* FROM pg_catalog.pg_database db WHERE 1 = 1 AND datallowconn AND NOT datistemplate OR db.datname =$1
ORDER BY db.datname

-- name: server settings
select * from pg_catalog.pg_settings where name='standard_conforming_strings'

-- name: search path
SELECT reset_val FROM pg_settings WHERE name = 'search_path'

-- name: session
SELECT current_schema(),session_user

-- name: has enums
SELECT * FROM pg_catalog.pg_enum WHERE 1<>1 LIMIT 1

-- name: has row types
SELECT reltype FROM pg_catalog.pg_class WHERE 1<>1 LIMIT 1

-- name: has categories of types
SELECT 1 FROM pg_catalog.pg_attribute s
JOIN pg_catalog.pg_class p ON s.attrelid = p.oid
JOIN pg_catalog.pg_namespace n ON p.relnamespace = n.oid
WHERE p.relname = 'pg_type' AND n.nspname = 'pg_catalog' AND s.attname = 'typcategory'

-- name: types
SELECT t.oid,t.*,c.relkind,format_type(nullif(t.typbasetype, 0), t.typtypmod) as base_type_name, d.description
FROM pg_catalog.pg_type t
LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid=t.typelem 
LEFT OUTER JOIN pg_catalog.pg_class c ON c.oid=t.typrelid
LEFT OUTER JOIN pg_catalog.pg_description d ON t.oid=d.objoid
WHERE t.typname IS NOT NULL
AND (c.relkind IS NULL OR c.relkind = 'c') AND (et.typcategory IS NULL OR et.typcategory <> 'C')

-- name: schemas
SELECT n.oid,n.*,d.description FROM pg_catalog.pg_namespace n
LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=n.oid AND d.objsubid=0 AND d.classoid='pg_namespace'::regclass
 ORDER BY nspname

-- name: relations of a schema
-- with: {public}
SELECT c.oid,c.*,d.description,pg_catalog.pg_get_expr(c.relpartbound, c.oid) as partition_expr,  pg_catalog.pg_get_partkeydef(c.oid) as partition_key 
FROM pg_catalog.pg_class c
LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=c.oid AND d.objsubid=0 AND d.classoid='pg_class'::regclass
WHERE c.relnamespace=$1 AND c.relkind not in ('i','I','c')

-- name: sizes of relations
-- with: {public}
select c.oid,pg_catalog.pg_total_relation_size(c.oid) as total_rel_size,pg_catalog.pg_relation_size(c.oid) as rel_size
FROM pg_class c
WHERE c.relnamespace=$1

-- name: columns of a relation
-- with: {orders}
SELECT c.relname,a.*,pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) as def_value,dsc.description,dep.objid
FROM pg_catalog.pg_attribute a
INNER JOIN pg_catalog.pg_class c ON (a.attrelid=c.oid)
LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON (a.attrelid=ad.adrelid AND a.attnum = ad.adnum)
LEFT OUTER JOIN pg_catalog.pg_description dsc ON (c.oid=dsc.objoid AND a.attnum = dsc.objsubid)
LEFT OUTER JOIN pg_depend dep on dep.refobjid = a.attrelid AND dep.deptype = 'i' and dep.refobjsubid = a.attnum and dep.classid = dep.refclassid
WHERE NOT a.attisdropped AND c.relkind not in ('i','I','c') AND c.oid=$1
ORDER BY a.attnum

-- name: constraints of a relation
-- with: {orders}
SELECT c.oid,c.*,t.relname as tabrelname,rt.relnamespace as refnamespace,d.description, case when c.contype='c' then "substring"(pg_get_constraintdef(c.oid), 7) else null end consrc_copy
FROM pg_catalog.pg_constraint c
INNER JOIN pg_catalog.pg_class t ON t.oid=c.conrelid
LEFT OUTER JOIN pg_catalog.pg_class rt ON rt.oid=c.confrelid
LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=c.oid AND d.objsubid=0 AND d.classoid='pg_constraint'::regclass
WHERE c.conrelid=$1
ORDER BY c.oid

-- name: indexes of a relation
-- with: {orders}
SELECT i.*,i.indkey as keys,c.relname,c.relnamespace,c.relam,c.reltablespace,tc.relname as tabrelname,dsc.description,pg_catalog.pg_get_expr(i.indpred, i.indrelid) as pred_expr,pg_catalog.pg_get_expr(i.indexprs, i.indrelid, true) as expr,pg_catalog.pg_relation_size(i.indexrelid) as index_rel_size
FROM pg_catalog.pg_index i
INNER JOIN pg_catalog.pg_class c ON c.oid=i.indexrelid
INNER JOIN pg_catalog.pg_class tc ON tc.oid=i.indrelid
LEFT OUTER JOIN pg_catalog.pg_description dsc ON i.indexrelid=dsc.objoid
WHERE  i.indrelid=$1 ORDER BY tabrelname, c.relname

-- name: references of a relation
-- with: {orders}
SELECT i.*,c.relnamespace FROM pg_catalog.pg_inherits i,pg_catalog.pg_class c WHERE i.inhrelid=$1 AND c.oid=i.inhparent ORDER BY i.inhseqno

-- name: a view
-- with: {big}
SELECT pg_catalog.pg_get_viewdef($1, true)

-- name: functions
-- with: 11
SELECT p.oid,p.*,pg_catalog.pg_get_expr(p.proargdefaults, 0) as arg_defaults,d.description
FROM pg_catalog.pg_proc p
LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=p.oid
WHERE p.pronamespace=$1
ORDER BY p.proname

-- name: roles
SELECT a.oid,a.*,pd.description FROM pg_catalog.pg_roles a 
left join pg_catalog.pg_shdescription pd on a.oid = pd.objoid
ORDER BY a.rolname

-- name: access methods
SELECT am.oid,am.* FROM pg_catalog.pg_am am 
ORDER BY am.oid

-- name: encodings
SELECT c.contoencoding as encid,pg_catalog.pg_encoding_to_char(c.contoencoding) as encname
FROM pg_catalog.pg_conversion c
GROUP BY c.contoencoding
ORDER BY 2

-- name: languages
SELECT l.oid,l.* FROM pg_catalog.pg_language l 
ORDER BY l.oid

-- name: collations
SELECT c.oid,c.* FROM pg_catalog.pg_collation c 
ORDER BY c.oid

-- name: tablespaces
SELECT t.oid,t.*,pg_tablespace_location(t.oid) loc
FROM pg_catalog.pg_tablespace t 
ORDER BY t.oid

-- name: foreign data wrappers
SELECT l.oid,l.*,p.pronamespace as handler_schema_id 
FROM pg_catalog.pg_foreign_data_wrapper l
LEFT OUTER JOIN pg_catalog.pg_proc p ON p.oid=l.fdwhandler 
ORDER BY l.fdwname

-- name: foreign servers
SELECT l.oid,l.* FROM pg_catalog.pg_foreign_server l
ORDER BY l.srvname

-- name: extensions
SELECT e.oid, cfg.tbls,  n.nspname as schema_name, e.* FROM pg_catalog.pg_extension e
join pg_namespace n on n.oid =e.extnamespace
left join  (select ARRAY_AGG(ns.nspname || '.' ||  cls.relname) tbls, oid_ext from (select unnest(e1.extconfig) oid , e1.oid oid_ext from pg_catalog.pg_extension e1) c join pg_class cls on cls.oid = c.oid join pg_namespace ns on ns.oid = cls.relnamespace group by oid_ext) cfg on cfg.oid_ext = e.oid
ORDER BY e.oid

-- name: size of the database
-- with: {database}
SELECT pg_catalog.pg_database_size($1)

-- name: privileges
-- with: materialize | public | orders
SELECT * FROM information_schema.table_privileges WHERE table_catalog=$1 AND table_schema=$2 AND table_name=$3

-- name: sessions
SELECT sa.* FROM pg_catalog.pg_stat_activity sa
