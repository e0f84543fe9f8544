"""`pg_catalog`: types."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, Row, Shape, columns
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.adapter.catalog.builtin.system_types import SYSTEM_TYPES, TYPE_FUNCTIONS
from holdfast.adapter.catalog.state import SYSTEM
from holdfast.plan.types import Record

_TYPE = Shape(
    "oid oid!, typname name!, typnamespace oid!, typowner oid!, typlen int2!, typbyval bool!, typtype char!, "
    "typcategory char!, typispreferred bool!, typisdefined bool!, typdelim char!, typrelid oid!, "
    "typsubscript regproc!, typelem oid!, typarray oid!, typinput regproc!, typoutput regproc!, typreceive regproc!, "
    "typsend regproc!, typmodin regproc!, typmodout regproc!, typanalyze regproc!, typalign char!, typstorage char!, "
    "typnotnull bool!, typbasetype oid!, typtypmod int4!, typndims int4!, typcollation oid!, "
    "typdefaultbin pg_node_tree, typdefault text, typacl aclitem[]"
)


def _types(shown: Shown) -> Iterator[Row]:
    owner = shown.role_oid(SYSTEM)
    for found in SYSTEM_TYPES:
        schema = shown.state.schema_named(None, found.schema)
        assert schema is not None
        reads, writes, receives, sends = (TYPE_FUNCTIONS.get(name, 0) for name in found.functions)
        reads_modifier, writes_modifier = (TYPE_FUNCTIONS.get(name, 0) for name in found.modifier_functions)
        yield _TYPE.row(
            oid=found.oid,
            typname=found.name,
            typnamespace=schema.oid,
            typowner=owner,
            typlen=found.length,
            typbyval=found.by_value,
            typtype=found.typtype,
            typcategory=found.category,
            typispreferred=found.preferred,
            typisdefined=True,
            typdelim=",",
            typelem=found.element_oid,
            typarray=found.array_oid,
            typinput=reads,
            typoutput=writes,
            typreceive=receives,
            typsend=sends,
            typmodin=reads_modifier,
            typmodout=writes_modifier,
            typalign=found.alignment,
            typstorage=found.storage,
            typtypmod=-1,
            typcollation=found.collation,
        )
    for item in shown.types_here:
        composite = isinstance(item.type, Record)
        yield _TYPE.row(
            oid=item.oid,
            typname=item.name,
            typnamespace=shown.state.schemas[item.schema].oid,
            typowner=shown.role_oid(item.owner),
            typlen=-1,
            typtype="c" if composite else "b",
            typcategory="C" if composite else "U",
            typisdefined=True,
            typdelim=",",
            typrelid=item.oid if composite else 0,
            typinput=TYPE_FUNCTIONS["record_in"],
            typoutput=TYPE_FUNCTIONS["record_out"],
            typreceive=TYPE_FUNCTIONS["record_recv"],
            typsend=TYPE_FUNCTIONS["record_send"],
            typalign="d",
            typstorage="x",
            typtypmod=-1,
            typacl=shown.acl(item.grants),
        )


def _ranges(_: Shown) -> Iterator[Row]:
    for found in SYSTEM_TYPES:
        if found.subtype_oid:
            yield found.oid, found.subtype_oid, 0, 0, 0, 0, 0


RELATIONS: tuple[Builtin | BuiltinView, ...] = (
    Builtin(1247, "pg_catalog", "pg_type", _TYPE.columns, _types, keys=((0,),)),
    Builtin(
        3541,
        "pg_catalog",
        "pg_range",
        columns(
            "rngtypid oid!, rngsubtype oid!, rngmultitypid oid!, rngcollation oid!, rngsubopc oid!, "
            "rngcanonical regproc!, rngsubdiff regproc!"
        ),
        _ranges,
        "system",
        keys=((0,),),
    ),
)
