"""PostgreSQL's type names as ours."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.sql.errors import NotSupported, SyntaxFailure
from holdfast.sql.parser.postgres import Proto
from holdfast.sql.syntax.types import ArrayType, IntervalFields, IntervalType, NamedType, TypeName

_MONTH, _YEAR, _DAY, _HOUR, _MINUTE, _SECOND = 1 << 1, 1 << 2, 1 << 3, 1 << 10, 1 << 11, 1 << 12
_ALL_FIELDS = 0x7FFF
_FIELDS: dict[int, IntervalFields | None] = {
    _ALL_FIELDS: None,
    _YEAR: "YEAR",
    _MONTH: "MONTH",
    _DAY: "DAY",
    _HOUR: "HOUR",
    _MINUTE: "MINUTE",
    _SECOND: "SECOND",
    _YEAR | _MONTH: "YEAR TO MONTH",
    _DAY | _HOUR: "DAY TO HOUR",
    _DAY | _HOUR | _MINUTE: "DAY TO MINUTE",
    _DAY | _HOUR | _MINUTE | _SECOND: "DAY TO SECOND",
    _HOUR | _MINUTE: "HOUR TO MINUTE",
    _HOUR | _MINUTE | _SECOND: "HOUR TO SECOND",
    _MINUTE | _SECOND: "MINUTE TO SECOND",
}
"""PostgreSQL's grammar writes the fields of an interval as a modifier: one bit for each."""


def convert_type(proto: Proto, at: Callable[[int], int]) -> TypeName:
    """The type that `proto` names; `at` is the position of a byte offset in its text."""
    location = at(proto.location)
    if proto.setof or proto.pct_type:
        raise NotSupported("SETOF and %TYPE are not supported", location)
    parts = tuple([part.string.sval for part in proto.names])
    modifiers = tuple([_modifier(modifier, location) for modifier in proto.typmods])
    base: TypeName
    if parts == ("pg_catalog", "interval"):
        mask = modifiers[0] if modifiers else _ALL_FIELDS
        precision = modifiers[1] if len(modifiers) > 1 else None
        if not isinstance(mask, int) or mask not in _FIELDS or isinstance(precision, str):
            raise SyntaxFailure("invalid INTERVAL type modifier", location)
        base = IntervalType(_FIELDS[mask], precision, location=location)
    else:
        base = NamedType(parts, modifiers, location=location)
    if not proto.array_bounds:
        return base
    bounds = tuple([bound.integer.ival for bound in proto.array_bounds])
    return ArrayType(base, tuple([None if bound < 0 else bound for bound in bounds]), location=location)


def _modifier(proto: Proto, location: int) -> int | str:
    match proto.WhichOneof("node"):
        case "a_const" if proto.a_const.WhichOneof("val") == "ival":
            return int(proto.a_const.ival.ival)
        case "a_const" if proto.a_const.WhichOneof("val") in ("sval", "fval"):
            return str(proto.a_const.sval.sval or proto.a_const.fval.fval)
        case "column_ref" if len(proto.column_ref.fields) == 1:
            return str(proto.column_ref.fields[0].string.sval)
    raise SyntaxFailure("type modifiers must be simple constants or identifiers", location)
