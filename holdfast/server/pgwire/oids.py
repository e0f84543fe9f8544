"""The types that clients mean by numbers."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.plan.types import BASES, Type, array_of
from holdfast.sql.typenames import BUILT_IN

_PSEUDO = "P"
"""The category of types without values that could be sent."""

_BY_OID: Mapping[int, Type] = {
    oid: type_
    for base, info in BASES.items()
    if info.category != _PSEUDO
    for oid, type_ in ((info.oid, BUILT_IN[base]), (info.array_oid, array_of(BUILT_IN[base])))
    if oid
}


def type_of_oid(oid: int) -> Type | None:
    """None if it is none of the types that every database has."""
    return _BY_OID.get(oid)
