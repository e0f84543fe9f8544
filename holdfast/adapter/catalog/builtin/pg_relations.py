"""`pg_catalog`: databases, schemas, relations and their columns. All but `pg_database` are about the session's."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.adapter.catalog.builtin.pg_indexes import index_columns
from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, Row, Shape, columns, empty
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.adapter.catalog.builtin.type_facts import (
    BY_VALUE,
    alignment_of,
    collation_of,
    dimensions_of,
    length_of,
    modifier_of,
    storage_of,
)
from holdfast.adapter.catalog.objects import Column
from holdfast.plan.types import Record

HEAP = 2
"""The access method of tables."""
ARRANGEMENT = 17800
"""The access method of indexes."""
_RELKINDS = {"table": "r", "view": "v", "materialized-view": "m"}
DEFAULT_TABLESPACE = 1663
_UTF8 = 6

_DATABASE = Shape(
    "oid oid!, datname name!, datdba oid!, encoding int4!, datlocprovider char!, datistemplate bool!, "
    "datallowconn bool!, dathasloginevt bool!, datconnlimit int4!, datfrozenxid xid!, datminmxid xid!, "
    "dattablespace oid!, datcollate text!, datctype text!, datlocale text, daticurules text, datcollversion text, "
    "datacl aclitem[]"
)
_CLASS = Shape(
    "oid oid!, relname name!, relnamespace oid!, reltype oid!, reloftype oid!, relowner oid!, relam oid!, "
    "relfilenode oid!, reltablespace oid!, relpages int4!, reltuples float4!, relallvisible int4!, "
    "relallfrozen int4!, reltoastrelid oid!, relhasindex bool!, relisshared bool!, relpersistence char!, "
    "relkind char!, relnatts int2!, relchecks int2!, relhasrules bool!, relhastriggers bool!, relhassubclass bool!, "
    "relrowsecurity bool!, relforcerowsecurity bool!, relispopulated bool!, relreplident char!, "
    "relispartition bool!, relrewrite oid!, relfrozenxid xid!, relminmxid xid!, relacl aclitem[], reloptions text[], "
    "relpartbound pg_node_tree"
)
_ATTRIBUTE = Shape(
    "attrelid oid!, attname name!, atttypid oid!, attlen int2!, attnum int2!, atttypmod int4!, attndims int2!, "
    "attbyval bool!, attalign char!, attstorage char!, attcompression char!, attnotnull bool!, atthasdef bool!, "
    "atthasmissing bool!, attidentity char!, attgenerated char!, attisdropped bool!, attislocal bool!, "
    "attinhcount int2!, attcollation oid!, attstattarget int2, attacl aclitem[], attoptions text[], "
    "attfdwoptions text[], attmissingval anyarray"
)


def _databases(shown: Shown) -> Iterator[Row]:
    for found in shown.state.databases.values():
        yield _DATABASE.row(
            oid=found.oid,
            datname=found.name,
            datdba=shown.role_oid(found.owner),
            encoding=_UTF8,
            datlocprovider="c",
            datallowconn=True,
            datconnlimit=-1,
            dattablespace=DEFAULT_TABLESPACE,
            datcollate="C",
            datctype="C",
            datacl=shown.acl(found.grants),
        )


def _namespaces(shown: Shown) -> Iterator[Row]:
    for found in shown.schemas_here:
        yield found.oid, found.name, shown.role_oid(found.owner), shown.acl(found.grants)


def _classes(shown: Shown) -> Iterator[Row]:
    indexed = {item.on for item in shown.indexes}
    for found in shown.relations_here:
        is_kept = found.kind != "view"
        yield _CLASS.row(
            oid=found.oid,
            relname=found.name,
            relnamespace=found.schema.oid,
            relowner=shown.role_oid(found.owner),
            relam=HEAP if is_kept else 0,
            relfilenode=found.oid if is_kept else 0,
            reltuples=-1.0,
            relhasindex=found.item is not None and found.item.id in indexed,
            relpersistence="t" if found.is_temporary else "p",
            relkind=_RELKINDS[found.kind],
            relnatts=len(found.columns),
            relhasrules=found.kind != "table",
            relispopulated=True,
            relreplident="d" if is_kept else "n",
            relacl=shown.acl(found.grants),
        )
    for item in shown.indexes_here:
        yield _CLASS.row(
            oid=item.oid,
            relname=item.name,
            relnamespace=shown.state.schemas[item.schema].oid,
            relowner=shown.role_oid(item.owner),
            relam=ARRANGEMENT,
            relfilenode=item.oid,
            reltuples=-1.0,
            relpersistence="p" if item.session is None else "t",
            relkind="i",
            relnatts=len(item.key),
            relispopulated=True,
            relreplident="n",
        )
    for item in shown.types_here:
        if isinstance(item.type, Record):
            yield _CLASS.row(
                oid=item.oid,
                relname=item.name,
                relnamespace=shown.state.schemas[item.schema].oid,
                reltype=item.oid,
                relowner=shown.role_oid(item.owner),
                reltuples=-1.0,
                relpersistence="p",
                relkind="c",
                relnatts=len(item.type.types),
                relispopulated=True,
                relreplident="n",
            )


def _attributes(shown: Shown) -> Iterator[Row]:
    for found in shown.relations_here:
        yield from _columns(shown, found.oid, found.columns)
    yield from (row for item in shown.indexes_here for row in _columns(shown, item.oid, index_columns(shown, item)))
    for item in shown.types_here:
        if isinstance(item.type, Record):
            fields = zip(item.type.names, item.type.types, strict=True)
            yield from _columns(shown, item.oid, [Column(name, type_) for name, type_ in fields])


def _columns(shown: Shown, oid: int, of_relation: list[Column] | tuple[Column, ...]) -> Iterator[Row]:
    for number, column in enumerate(of_relation, start=1):
        type_ = column.type
        yield _ATTRIBUTE.row(
            attrelid=oid,
            attname=column.name,
            atttypid=shown.type_oid(type_),
            attlen=length_of(type_),
            attnum=number,
            atttypmod=modifier_of(type_),
            attndims=dimensions_of(type_),
            attbyval=type_.base in BY_VALUE,
            attalign=alignment_of(type_),
            attstorage=storage_of(type_),
            attnotnull=not column.nullable,
            atthasdef=column.default is not None,
            attislocal=True,
            attcollation=collation_of(type_),
        )


def _defaults(shown: Shown) -> Iterator[Row]:
    """A default has its table's oid and its column's number for an oid of its own: no two are the same."""
    for found in shown.relations_here:
        for number, column in enumerate(found.columns, start=1):
            if column.default is not None:
                yield found.oid << 11 | number, found.oid, number, column.default


RELATIONS: tuple[Builtin | BuiltinView, ...] = (
    Builtin(1262, "pg_catalog", "pg_database", _DATABASE.columns, _databases, keys=((0,),)),
    Builtin(
        2615,
        "pg_catalog",
        "pg_namespace",
        columns("oid oid!, nspname name!, nspowner oid!, nspacl aclitem[]"),
        _namespaces,
        keys=((0,),),
    ),
    Builtin(1259, "pg_catalog", "pg_class", _CLASS.columns, _classes, keys=((0,),)),
    Builtin(1249, "pg_catalog", "pg_attribute", _ATTRIBUTE.columns, _attributes, keys=((0, 4),)),
    Builtin(
        2604,
        "pg_catalog",
        "pg_attrdef",
        columns("oid oid!, adrelid oid!, adnum int2!, adbin pg_node_tree!"),
        _defaults,
        keys=((0,), (1, 2)),
    ),
    empty(
        2606,
        "pg_catalog",
        "pg_constraint",
        "oid oid!, conname name!, connamespace oid!, contype char!, condeferrable bool!, condeferred bool!, "
        "conenforced bool!, convalidated bool!, conrelid oid!, contypid oid!, conindid oid!, conparentid oid!, "
        "confrelid oid!, confupdtype char!, confdeltype char!, confmatchtype char!, conislocal bool!, "
        "coninhcount int2!, connoinherit bool!, conperiod bool!, conkey int2[], confkey int2[], conpfeqop oid[], "
        "conppeqop oid[], conffeqop oid[], confdelsetcols int2[], conexclop oid[], conbin pg_node_tree",
    ),
)
