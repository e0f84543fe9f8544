"""`pg_catalog`: relations about what we do not have. Tools read them, and find nothing."""

from __future__ import annotations

from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, empty

_COLUMNS: tuple[tuple[int, str, str], ...] = (
    (
        2602,
        "pg_amop",
        "oid oid!, amopfamily oid!, amoplefttype oid!, amoprighttype oid!, amopstrategy int2!, amoppurpose char!, "
        "amopopr oid!, amopmethod oid!, amopsortfamily oid!",
    ),
    (
        2603,
        "pg_amproc",
        "oid oid!, amprocfamily oid!, amproclefttype oid!, amprocrighttype oid!, amprocnum int2!, amproc regproc!",
    ),
    (
        2616,
        "pg_opclass",
        "oid oid!, opcmethod oid!, opcname name!, opcnamespace oid!, opcowner oid!, opcfamily oid!, opcintype oid!, "
        "opcdefault bool!, opckeytype oid!",
    ),
    (2753, "pg_opfamily", "oid oid!, opfmethod oid!, opfname name!, opfnamespace oid!, opfowner oid!"),
    (
        2607,
        "pg_conversion",
        "oid oid!, conname name!, connamespace oid!, conowner oid!, conforencoding int4!, contoencoding int4!, "
        "conproc regproc!, condefault bool!",
    ),
    (2964, "pg_db_role_setting", "setdatabase oid!, setrole oid!, setconfig text[]"),
    (
        826,
        "pg_default_acl",
        "oid oid!, defaclrole oid!, defaclnamespace oid!, defaclobjtype char!, defaclacl aclitem[]!",
    ),
    (3501, "pg_enum", "oid oid!, enumtypid oid!, enumsortorder float4!, enumlabel name!"),
    (
        3466,
        "pg_event_trigger",
        "oid oid!, evtname name!, evtevent name!, evtowner oid!, evtfoid oid!, evtenabled char!, evttags text[]",
    ),
    (
        2328,
        "pg_foreign_data_wrapper",
        "oid oid!, fdwname name!, fdwowner oid!, fdwhandler oid!, fdwvalidator oid!, fdwacl aclitem[], fdwoptions "
        "text[]",
    ),
    (
        1417,
        "pg_foreign_server",
        "oid oid!, srvname name!, srvowner oid!, srvfdw oid!, srvtype text, srvversion text, srvacl aclitem[], "
        "srvoptions text[]",
    ),
    (3118, "pg_foreign_table", "ftrelid oid!, ftserver oid!, ftoptions text[]"),
    (2611, "pg_inherits", "inhrelid oid!, inhparent oid!, inhseqno int4!, inhdetachpending bool!"),
    (3394, "pg_init_privs", "objoid oid!, classoid oid!, objsubid int4!, privtype char!, initprivs aclitem[]!"),
    (2613, "pg_largeobject", "loid oid!, pageno int4!, data bytea!"),
    (2995, "pg_largeobject_metadata", "oid oid!, lomowner oid!, lomacl aclitem[]"),
    (
        3350,
        "pg_partitioned_table",
        "partrelid oid!, partstrat char!, partnatts int2!, partdefid oid!, partattrs int2vector!, partclass "
        "oidvector!, partcollation oidvector!, partexprs pg_node_tree",
    ),
    (
        3256,
        "pg_policy",
        "oid oid!, polname name!, polrelid oid!, polcmd char!, polpermissive bool!, polroles oid[]!, polqual "
        "pg_node_tree, polwithcheck pg_node_tree",
    ),
    (
        6104,
        "pg_publication",
        "oid oid!, pubname name!, pubowner oid!, puballtables bool!, pubinsert bool!, pubupdate bool!, pubdelete "
        "bool!, pubtruncate bool!, pubviaroot bool!, pubgencols char!",
    ),
    (6237, "pg_publication_namespace", "oid oid!, pnpubid oid!, pnnspid oid!"),
    (6106, "pg_publication_rel", "oid oid!, prpubid oid!, prrelid oid!, prqual pg_node_tree, prattrs int2vector"),
    (6243, "pg_parameter_acl", "oid oid!, parname text!, paracl aclitem[]"),
    (6000, "pg_replication_origin", "roident oid!, roname text!"),
    (3596, "pg_seclabel", "objoid oid!, classoid oid!, objsubid int4!, provider text!, label text!"),
    (3592, "pg_shseclabel", "objoid oid!, classoid oid!, provider text!, label text!"),
    (
        2224,
        "pg_sequence",
        "seqrelid oid!, seqtypid oid!, seqstart int8!, seqincrement int8!, seqmax int8!, seqmin int8!, seqcache "
        "int8!, seqcycle bool!",
    ),
    (
        1214,
        "pg_shdepend",
        "dbid oid!, classid oid!, objid oid!, objsubid int4!, refclassid oid!, refobjid oid!, deptype char!",
    ),
    (
        3381,
        "pg_statistic_ext",
        "oid oid!, stxrelid oid!, stxname name!, stxnamespace oid!, stxowner oid!, stxkeys int2vector!, stxstattarget "
        "int2, stxkind char[]!, stxexprs pg_node_tree",
    ),
    (
        6100,
        "pg_subscription",
        "oid oid!, subdbid oid!, subskiplsn pg_lsn!, subname name!, subowner oid!, subenabled bool!, subbinary bool!, "
        "substream char!, subtwophasestate char!, subdisableonerr bool!, subpasswordrequired bool!, subrunasowner "
        "bool!, subfailover bool!, subconninfo text!, subslotname name, subsynccommit text!, subpublications text[]!, "
        "suborigin text",
    ),
    (6102, "pg_subscription_rel", "srsubid oid!, srrelid oid!, srsubstate char!, srsublsn pg_lsn"),
    (3576, "pg_transform", "oid oid!, trftype oid!, trflang oid!, trffromsql regproc!, trftosql regproc!"),
    (
        2620,
        "pg_trigger",
        "oid oid!, tgrelid oid!, tgparentid oid!, tgname name!, tgfoid oid!, tgtype int2!, tgenabled char!, "
        "tgisinternal bool!, tgconstrrelid oid!, tgconstrindid oid!, tgconstraint oid!, tgdeferrable bool!, "
        "tginitdeferred bool!, tgnargs int2!, tgattr int2vector!, tgargs bytea!, tgqual pg_node_tree, tgoldtable "
        "name, tgnewtable name",
    ),
    (3602, "pg_ts_config", "oid oid!, cfgname name!, cfgnamespace oid!, cfgowner oid!, cfgparser oid!"),
    (3603, "pg_ts_config_map", "mapcfg oid!, maptokentype int4!, mapseqno int4!, mapdict oid!"),
    (
        3600,
        "pg_ts_dict",
        "oid oid!, dictname name!, dictnamespace oid!, dictowner oid!, dicttemplate oid!, dictinitoption text",
    ),
    (
        3601,
        "pg_ts_parser",
        "oid oid!, prsname name!, prsnamespace oid!, prsstart regproc!, prstoken regproc!, prsend regproc!, "
        "prsheadline regproc!, prslextype regproc!",
    ),
    (3764, "pg_ts_template", "oid oid!, tmplname name!, tmplnamespace oid!, tmplinit regproc!, tmpllexize regproc!"),
    (1418, "pg_user_mapping", "oid oid!, umuser oid!, umserver oid!, umoptions text[]"),
    (
        17300,
        "pg_available_extension_versions",
        "name name, version text, installed bool, superuser bool, trusted bool, relocatable bool, schema name, "
        "requires name[], comment text",
    ),
    (17301, "pg_available_extensions", "name name, default_version text, installed_version text, comment text"),
    (
        17302,
        "pg_cursors",
        "name text, statement text, is_holdable bool, is_binary bool, is_scrollable bool, creation_time timestamptz",
    ),
    (
        17303,
        "pg_file_settings",
        "sourcefile text, sourceline int4, seqno int4, name text, setting text, applied bool, error text",
    ),
    (
        17304,
        "pg_hba_file_rules",
        "rule_number int4, file_name text, line_number int4, type text, database text[], user_name text[], address "
        "text, netmask text, auth_method text, options text[], error text",
    ),
    (
        17305,
        "pg_locks",
        "locktype text, database oid, relation oid, page int4, tuple int2, virtualxid text, transactionid xid, "
        "classid oid, objid oid, objsubid int2, virtualtransaction text, pid int4, mode text, granted bool, fastpath "
        "bool, waitstart timestamptz",
    ),
    (
        17306,
        "pg_policies",
        "schemaname name, tablename name, policyname name, permissive text, roles name[], cmd text, qual text, "
        "with_check text",
    ),
    (
        17307,
        "pg_prepared_statements",
        "name text, statement text, prepare_time timestamptz, parameter_types regtype[], result_types regtype[], "
        "from_sql bool, generic_plans int8, custom_plans int8",
    ),
    (17308, "pg_prepared_xacts", "transaction xid, gid text, prepared timestamptz, owner name, database name"),
    (17309, "pg_publication_tables", "pubname name, schemaname name, tablename name, attnames name[], rowfilter text"),
    (
        17310,
        "pg_replication_slots",
        "slot_name name, plugin name, slot_type text, datoid oid, database name, temporary bool, active bool, "
        "active_pid int4, xmin xid, catalog_xmin xid, restart_lsn pg_lsn, confirmed_flush_lsn pg_lsn, wal_status "
        "text, safe_wal_size int8, two_phase bool, two_phase_at pg_lsn, inactive_since timestamptz, conflicting bool, "
        "invalidation_reason text, failover bool, synced bool",
    ),
    (17311, "pg_rules", "schemaname name, tablename name, rulename name, definition text"),
    (
        17312,
        "pg_seclabels",
        "objoid oid, classoid oid, objsubid int4, objtype text, objnamespace oid, objname text, provider text, label "
        "text",
    ),
    (
        17313,
        "pg_sequences",
        "schemaname name, sequencename name, sequenceowner name, data_type regtype, start_value int8, min_value int8, "
        "max_value int8, increment_by int8, cycle bool, cache_size int8, last_value int8",
    ),
    (
        17314,
        "pg_stat_archiver",
        "archived_count int8, last_archived_wal text, last_archived_time timestamptz, failed_count int8, "
        "last_failed_wal text, last_failed_time timestamptz, stats_reset timestamptz",
    ),
    (
        17315,
        "pg_stat_bgwriter",
        "buffers_clean int8, maxwritten_clean int8, buffers_alloc int8, stats_reset timestamptz",
    ),
    (
        17316,
        "pg_stat_replication",
        "pid int4, usesysid oid, usename name, application_name text, client_addr inet, client_hostname text, "
        "client_port int4, backend_start timestamptz, backend_xmin xid, state text, sent_lsn pg_lsn, write_lsn "
        "pg_lsn, flush_lsn pg_lsn, replay_lsn pg_lsn, write_lag interval, flush_lag interval, replay_lag interval, "
        "sync_priority int4, sync_state text, reply_time timestamptz",
    ),
    (
        17317,
        "pg_stat_wal_receiver",
        "pid int4, status text, receive_start_lsn pg_lsn, receive_start_tli int4, written_lsn pg_lsn, flushed_lsn "
        "pg_lsn, received_tli int4, last_msg_send_time timestamptz, last_msg_receipt_time timestamptz, latest_end_lsn "
        "pg_lsn, latest_end_time timestamptz, slot_name text, sender_host text, sender_port int4, conninfo text",
    ),
    (
        17318,
        "pg_stat_ssl",
        "pid int4, ssl bool, version text, cipher text, bits int4, client_dn text, client_serial numeric, issuer_dn "
        "text",
    ),
    (
        17319,
        "pg_stat_gssapi",
        "pid int4, gss_authenticated bool, principal text, encrypted bool, credentials_delegated bool",
    ),
    (
        17320,
        "pg_stat_subscription",
        "subid oid, subname name, worker_type text, pid int4, leader_pid int4, relid oid, received_lsn pg_lsn, "
        "last_msg_send_time timestamptz, last_msg_receipt_time timestamptz, latest_end_lsn pg_lsn, latest_end_time "
        "timestamptz",
    ),
    (
        17321,
        "pg_stat_progress_vacuum",
        "pid int4, datid oid, datname name, relid oid, phase text, heap_blks_total int8, heap_blks_scanned int8, "
        "heap_blks_vacuumed int8, index_vacuum_count int8, max_dead_tuple_bytes int8, dead_tuple_bytes int8, "
        "num_dead_item_ids int8, indexes_total int8, indexes_processed int8, delay_time float8",
    ),
    (
        17322,
        "pg_stat_progress_create_index",
        "pid int4, datid oid, datname name, relid oid, index_relid oid, command text, phase text, lockers_total int8, "
        "lockers_done int8, current_locker_pid int8, blocks_total int8, blocks_done int8, tuples_total int8, "
        "tuples_done int8, partitions_total int8, partitions_done int8",
    ),
    (
        17323,
        "pg_stats",
        "schemaname name, tablename name, attname name, inherited bool, null_frac float4, avg_width int4, n_distinct "
        "float4, most_common_vals anyarray, most_common_freqs float4[], histogram_bounds anyarray, correlation "
        "float4, most_common_elems anyarray, most_common_elem_freqs float4[], elem_count_histogram float4[], "
        "range_length_histogram anyarray, range_empty_frac float4, range_bounds_histogram anyarray",
    ),
    (
        17324,
        "pg_stats_ext",
        "schemaname name, tablename name, statistics_schemaname name, statistics_name name, statistics_owner name, "
        "attnames name[], exprs text[], kinds char[], inherited bool, n_distinct text, dependencies text, "
        "most_common_vals text[], most_common_val_nulls bool[], most_common_freqs float8[], most_common_base_freqs "
        "float8[]",
    ),
    (17325, "pg_user_mappings", "umid oid, srvid oid, srvname name, umuser oid, usename name, umoptions text[]"),
    (
        17326,
        "pg_stat_user_functions",
        "funcid oid, schemaname name, funcname name, calls int8, total_time float8, self_time float8",
    ),
    (
        17327,
        "pg_statio_user_indexes",
        "relid oid, indexrelid oid, schemaname name, relname name, indexrelname name, idx_blks_read int8, "
        "idx_blks_hit int8",
    ),
    (
        17328,
        "pg_stat_all_indexes",
        "relid oid, indexrelid oid, schemaname name, relname name, indexrelname name, idx_scan int8, last_idx_scan "
        "timestamptz, idx_tup_read int8, idx_tup_fetch int8",
    ),
    (
        17329,
        "pg_stat_user_indexes",
        "relid oid, indexrelid oid, schemaname name, relname name, indexrelname name, idx_scan int8, last_idx_scan "
        "timestamptz, idx_tup_read int8, idx_tup_fetch int8",
    ),
    (
        17330,
        "pg_stat_io",
        "backend_type text, object text, context text, reads int8, read_bytes numeric, read_time float8, writes int8, "
        "write_bytes numeric, write_time float8, writebacks int8, writeback_time float8, extends int8, extend_bytes "
        "numeric, extend_time float8, hits int8, evictions int8, reuses int8, fsyncs int8, fsync_time float8, "
        "stats_reset timestamptz",
    ),
    (17331, "pg_shmem_allocations", "name text, off int8, size int8, allocated_size int8"),
    (17332, "pg_wait_events", "type text, name text, description text"),
    (17333, "pg_config", "name text, setting text"),
)

RELATIONS: tuple[Builtin | BuiltinView, ...] = tuple(
    empty(oid, "pg_catalog", name, spec) for oid, name, spec in _COLUMNS
)
