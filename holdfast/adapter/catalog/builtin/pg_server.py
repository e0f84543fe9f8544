"""`pg_catalog`: the server: its settings, its sessions, and what a PostgreSQL has one or two of."""

from __future__ import annotations

from collections.abc import Iterator
from zoneinfo import available_timezones

from holdfast.adapter.catalog.builtin.pg_relations import ARRANGEMENT, DEFAULT_TABLESPACE, HEAP
from holdfast.adapter.catalog.builtin.pg_routines import INTERNAL, PG_CATALOG
from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, Row, Shape, columns, empty
from holdfast.adapter.catalog.builtin.settings import all_settings
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.adapter.catalog.builtin.type_facts import C_COLLATION, DEFAULT_COLLATION
from holdfast.adapter.catalog.builtin.user_functions import PYTHON
from holdfast.adapter.catalog.state import SYSTEM
from holdfast.plan.types import Interval
from holdfast.plan.zones import named_zone

_SETTING = Shape(
    "name text, setting text, unit text, category text, short_desc text, extra_desc text, context text, "
    "vartype text, source text, min_val text, max_val text, enumvals text[], boot_val text, reset_val text, "
    "sourcefile text, sourceline int4, pending_restart bool"
)
_ACTIVITY = Shape(
    "datid oid, datname name, pid int4, leader_pid int4, usesysid oid, usename name, application_name text, "
    "client_addr inet, client_hostname text, client_port int4, backend_start timestamptz, xact_start timestamptz, "
    "query_start timestamptz, state_change timestamptz, wait_event_type text, wait_event text, state text, "
    "backend_xid xid, backend_xmin xid, query_id int8, query text, backend_type text"
)
_COLLATION = Shape(
    "oid oid!, collname name!, collnamespace oid!, collowner oid!, collprovider char!, collisdeterministic bool!, "
    "collencoding int4!, collcollate text, collctype text, colllocale text, collicurules text, collversion text"
)
_LANGUAGE = Shape(
    "oid oid!, lanname name!, lanowner oid!, lanispl bool!, lanpltrusted bool!, lanplcallfoid oid!, laninline oid!, "
    "lanvalidator oid!, lanacl aclitem[]"
)


_HIDDEN = "<insufficient privilege>"
"""What PostgreSQL shows of the statements of others."""


def _settings(shown: Shown) -> Iterator[Row]:
    for found in all_settings(shown):
        yield _SETTING.row(
            name=found.name,
            setting=found.value,
            category="Holdfast",
            short_desc=found.description,
            context="user",
            vartype="bool" if found.value in ("on", "off") else "string",
            source="session",
            boot_val=found.value,
            reset_val=found.value,
            pending_restart=False,
        )


def _activity(shown: Shown) -> Iterator[Row]:
    asks = shown.introspection.role
    for found in shown.introspection.sessions:
        database = shown.state.database_named(found.database)
        role = shown.state.roles.get(found.role_id)
        yield _ACTIVITY.row(
            datid=None if database is None else database.oid,
            datname=found.database,
            pid=found.connection_id,
            usesysid=None if role is None else role.oid,
            usename=None if role is None else role.name,
            application_name=found.application_name,
            client_addr=found.client_ip,
            backend_start=found.connected_at,
            xact_start=found.transaction_began_at,
            query_start=found.statement_began_at,
            state_change=found.statement_began_at,
            state=found.state,
            query=found.statement if asks.superuser or asks.id == found.role_id else _HIDDEN,
            backend_type="client backend",
        )


def _collations(shown: Shown) -> Iterator[Row]:
    """Text is ordered by its bytes, whatever is asked for."""
    for oid, name, provider in ((DEFAULT_COLLATION, "default", "d"), (C_COLLATION, "C", "c")):
        locale = None if provider == "d" else name
        yield _COLLATION.row(
            oid=oid,
            collname=name,
            collnamespace=PG_CATALOG,
            collowner=shown.role_oid(SYSTEM),
            collprovider=provider,
            collisdeterministic=True,
            collencoding=-1,
            collcollate=locale,
            collctype=locale,
        )


def _languages(shown: Shown) -> Iterator[Row]:
    owner = shown.role_oid(SYSTEM)
    yield _LANGUAGE.row(oid=INTERNAL, lanname="internal", lanowner=owner)
    yield _LANGUAGE.row(oid=PYTHON, lanname="python", lanowner=owner, lanispl=True)


def _access_methods(_: Shown) -> Iterator[Row]:
    yield HEAP, "heap", 0, "t"
    yield ARRANGEMENT, "arrangement", 0, "i"


def _tablespaces(shown: Shown) -> Iterator[Row]:
    owner = shown.role_oid(SYSTEM)
    yield DEFAULT_TABLESPACE, "pg_default", owner, None, None
    yield DEFAULT_TABLESPACE + 1, "pg_global", owner, None, None


def _zones(shown: Shown) -> Iterator[Row]:
    for name in sorted(available_timezones()):
        zone = named_zone(name)
        if zone is not None:
            abbreviation, standard, summer = zone.described_at(shown.introspection.now)
            yield name, abbreviation, Interval(0, 0, (standard + summer) * 1_000_000), bool(summer)


RELATIONS: tuple[Builtin | BuiltinView, ...] = (
    Builtin(17220, "pg_catalog", "pg_settings", _SETTING.columns, _settings, "session"),
    Builtin(17221, "pg_catalog", "pg_stat_activity", _ACTIVITY.columns, _activity, "session"),
    Builtin(3456, "pg_catalog", "pg_collation", _COLLATION.columns, _collations, "system", keys=((0,),)),
    Builtin(2612, "pg_catalog", "pg_language", _LANGUAGE.columns, _languages, "system", keys=((0,),)),
    Builtin(
        2601,
        "pg_catalog",
        "pg_am",
        columns("oid oid!, amname name!, amhandler regproc!, amtype char!"),
        _access_methods,
        "system",
        keys=((0,),),
    ),
    Builtin(
        1213,
        "pg_catalog",
        "pg_tablespace",
        columns("oid oid!, spcname name!, spcowner oid!, spcacl aclitem[], spcoptions text[]"),
        _tablespaces,
        "system",
        keys=((0,),),
    ),
    Builtin(
        17222,
        "pg_catalog",
        "pg_timezone_names",
        columns("name text, abbrev text, utc_offset interval, is_dst bool"),
        _zones,
        "session",
    ),
    empty(
        3079,
        "pg_catalog",
        "pg_extension",
        "oid oid!, extname name!, extowner oid!, extnamespace oid!, extrelocatable bool!, extversion text!, "
        "extconfig oid[], extcondition text[]",
    ),
    BuiltinView(
        17223,
        "pg_catalog",
        "pg_stat_database",
        "SELECT d.oid AS datid, d.datname, CAST((SELECT count(*) FROM pg_catalog.pg_stat_activity a "
        "WHERE a.datid = d.oid) AS int4) AS numbackends, CAST(0 AS int8) AS xact_commit, "
        "CAST(0 AS int8) AS xact_rollback, CAST(0 AS int8) AS blks_read, CAST(0 AS int8) AS blks_hit, "
        "CAST(0 AS int8) AS tup_returned, CAST(0 AS int8) AS tup_fetched, CAST(0 AS int8) AS tup_inserted, "
        "CAST(0 AS int8) AS tup_updated, CAST(0 AS int8) AS tup_deleted, CAST(0 AS int8) AS conflicts, "
        "CAST(0 AS int8) AS deadlocks, CAST(NULL AS timestamptz) AS stats_reset FROM pg_catalog.pg_database d",
    ),
)
