"""`pg_catalog`: functions, operators and casts, which are those of the registry and of users."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, Row, Shape, columns
from holdfast.adapter.catalog.builtin.routines import operators, routines
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.adapter.catalog.builtin.system_types import OF_KIND, TYPE_FUNCTIONS
from holdfast.adapter.catalog.builtin.user_functions import routine_rows
from holdfast.adapter.catalog.state import SYSTEM
from holdfast.plan.functions.registry import CASTS
from holdfast.plan.types import BASES

PG_CATALOG = 11
INTERNAL = 12
"""The oids of the schema and the language that all functions of the system have."""
_FIRST_CAST = 14_000
_CONTEXTS = {"implicit": "i", "assignment": "a", "explicit": "e"}

_PROC = Shape(
    "oid oid!, proname name!, pronamespace oid!, proowner oid!, prolang oid!, procost float4!, prorows float4!, "
    "provariadic oid!, prosupport regproc!, prokind char!, prosecdef bool!, proleakproof bool!, proisstrict bool!, "
    "proretset bool!, provolatile char!, proparallel char!, pronargs int2!, pronargdefaults int2!, prorettype oid!, "
    "proargtypes oidvector!, proallargtypes oid[], proargmodes char[], proargnames text[], "
    "proargdefaults pg_node_tree, protrftypes oid[], prosrc text!, probin text, prosqlbody pg_node_tree, "
    "proconfig text[], proacl aclitem[]"
)
_OPERATOR = Shape(
    "oid oid!, oprname name!, oprnamespace oid!, oprowner oid!, oprkind char!, oprcanmerge bool!, oprcanhash bool!, "
    "oprleft oid!, oprright oid!, oprresult oid!, oprcom oid!, oprnegate oid!, oprcode regproc!, oprrest regproc!, "
    "oprjoin regproc!"
)
_AGGREGATE = Shape(
    "aggfnoid regproc!, aggkind char!, aggnumdirectargs int2!, aggtransfn regproc!, aggfinalfn regproc!, "
    "aggcombinefn regproc!, aggserialfn regproc!, aggdeserialfn regproc!, aggmtransfn regproc!, "
    "aggminvtransfn regproc!, aggmfinalfn regproc!, aggfinalextra bool!, aggmfinalextra bool!, "
    "aggfinalmodify char!, aggmfinalmodify char!, aggsortop oid!, aggtranstype oid!, aggtransspace int4!, "
    "aggmtranstype oid!, aggmtransspace int4!, agginitval text, aggminitval text"
)


def _procs(shown: Shown) -> Iterator[Row]:
    owner = shown.role_oid(SYSTEM)
    for found in routines():
        arguments = found.argument_oids
        every, modes, names = None, None, None
        if found.columns:
            every = (*arguments, *(oid for _, oid in found.columns))
            modes = ("i",) * len(arguments) + ("t",) * len(found.columns)
            names = ("",) * len(arguments) + tuple(name for name, _ in found.columns)
        yield _PROC.row(
            oid=found.oid,
            proname=found.name,
            pronamespace=PG_CATALOG,
            proowner=owner,
            prolang=INTERNAL,
            procost=1.0,
            prorows=1000.0 if found.returns_set else 0.0,
            provariadic=found.variadic_oid,
            prokind=found.kind,
            proisstrict=found.strict,
            proretset=found.returns_set,
            provolatile=found.volatility,
            proparallel="s",
            pronargs=len(arguments),
            pronargdefaults=found.optional,
            prorettype=found.result_oid,
            proargtypes=arguments,
            proallargtypes=every,
            proargmodes=modes,
            proargnames=names,
            prosrc=found.name,
        )
    yield from (_PROC.row(**row) for row in routine_rows(shown))
    for name, oid in TYPE_FUNCTIONS.items():
        yield _PROC.row(
            oid=oid,
            proname=name,
            pronamespace=PG_CATALOG,
            proowner=owner,
            prolang=INTERNAL,
            procost=1.0,
            prokind="f",
            proisstrict=True,
            provolatile="i",
            proparallel="s",
            pronargs=1,
            prorettype=OF_KIND["internal"],
            proargtypes=(OF_KIND["internal"],),
            prosrc=name,
        )


def _operators(shown: Shown) -> Iterator[Row]:
    owner = shown.role_oid(SYSTEM)
    for found in operators():
        yield _OPERATOR.row(
            oid=found.oid,
            oprname=found.name,
            oprnamespace=PG_CATALOG,
            oprowner=owner,
            oprkind="b" if found.left_oid else "l",
            oprcanmerge=found.name == "=",
            oprcanhash=found.name == "=",
            oprleft=found.left_oid,
            oprright=found.right_oid,
            oprresult=found.result_oid,
        )


def _aggregates(_: Shown) -> Iterator[Row]:
    for found in routines():
        if found.kind == "a":
            yield _AGGREGATE.row(
                aggfnoid=found.oid,
                aggkind="o" if found.direct else "n",
                aggnumdirectargs=found.direct,
                aggfinalmodify="r",
                aggmfinalmodify="r",
            )


def _casts(_: Shown) -> Iterator[Row]:
    listed = [cast for (source, target), cast in CASTS.items() if {source, target} <= BASES.keys() and source != target]
    for number, cast in enumerate(listed, start=_FIRST_CAST):
        source, target = BASES[cast.source].oid, BASES[cast.target].oid
        yield number, source, target, 0, _CONTEXTS[cast.context], "b" if cast.function is None else "f"


RELATIONS: tuple[Builtin | BuiltinView, ...] = (
    Builtin(1255, "pg_catalog", "pg_proc", _PROC.columns, _procs, keys=((0,),)),
    Builtin(2617, "pg_catalog", "pg_operator", _OPERATOR.columns, _operators, "system", keys=((0,),)),
    Builtin(2600, "pg_catalog", "pg_aggregate", _AGGREGATE.columns, _aggregates, "system", keys=((0,),)),
    Builtin(
        2605,
        "pg_catalog",
        "pg_cast",
        columns("oid oid!, castsource oid!, casttarget oid!, castfunc oid!, castcontext char!, castmethod char!"),
        _casts,
        "system",
        keys=((0,), (1, 2)),
    ),
)
