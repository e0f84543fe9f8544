"""Names of types by oid, as the catalogs of PostgreSQL show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from holdfast.plan.errors import InvalidParameterValue
from holdfast.plan.functions.function import Family, Function
from holdfast.plan.types import BASES, INT4, OID, TEXT, IntervalOf, Modified

_BASE_OF = {info.oid: base for base, info in BASES.items()}
_ELEMENT_OF = {info.array_oid: base for base, info in BASES.items() if info.array_oid}
_HEADER = 4
"""What lengths and digits are moved by in a modifier, so that 0 and less says that there are none."""
_FIELDS = {1 << 2: "year", 1 << 1: "month", 1 << 3: "day", 1 << 10: "hour", 1 << 11: "minute", 1 << 12: "second"}
_ALL_FIELDS, _ALL_DIGITS = 0x7FFF, 0xFFFF


def format_type(oid: int | None, modifier: int | None) -> str | None:
    """The name of a type, with its modifier where it is not null. `character` alone is `character(1)` in SQL."""
    if oid is None:
        return None
    if oid == 0:
        return "-"
    base, brackets = (_ELEMENT_OF[oid], "[]") if oid in _ELEMENT_OF else (_BASE_OF.get(oid), "")
    if base is None:
        return "???"
    return _named(base, modifier) + brackets


def interval_modifier(type_: Modified) -> int:
    """The modifier of an interval: a bit for each of its fields, and the digits of seconds."""
    fields = _ALL_FIELDS
    if isinstance(type_, IntervalOf):
        first, *last = type_.fields.lower().split(" to ")
        names = list(_FIELDS.values())
        chosen = names[names.index(first) : names.index((last or [first])[0]) + 1]
        fields = sum(bit for bit, name in _FIELDS.items() if name in chosen)
    return fields << 16 | (_ALL_DIGITS if type_.modifier is None else type_.modifier)


def _named(base: str, modifier: int | None) -> str:
    name = BASES[base].display
    if base == "bpchar" and modifier is not None and modifier < 0:
        return "bpchar"
    if modifier is None or modifier < 0 or base in _UNMODIFIED:
        return name
    # It stands after the first word where the others say with or without what, and after all of them elsewhere.
    first, space, rest = name.partition(" ") if " time zone" in name else (name, "", "")
    written = _MODIFIERS[base](modifier) if base in _MODIFIERS else f"({modifier})"
    return f"{first}{written}{space}{rest}"


def _length(modifier: int) -> str:
    return f"({modifier - _HEADER})" if modifier > _HEADER else ""


def _digits(modifier: int) -> str:
    if modifier < _HEADER:
        return ""
    packed = modifier - _HEADER
    scale = ((packed & 0x7FF) ^ 0x400) - 0x400
    return f"({packed >> 16 & 0xFFFF},{scale})"


def _seconds(modifier: int) -> str:
    return f"({modifier})"


def _interval(modifier: int) -> str:
    """The fields from the first to the last, if not all, and the digits of seconds."""
    fields, digits = modifier >> 16 & _ALL_FIELDS, modifier & _ALL_DIGITS
    shown = ""
    if fields != _ALL_FIELDS:
        names = [name for bit, name in _FIELDS.items() if fields & bit]
        if not names or fields & ~sum(_FIELDS):
            raise InvalidParameterValue(f"invalid INTERVAL typmod: {modifier:#x}")
        shown = f" {names[0]}" if len(names) == 1 else f" {names[0]} to {names[-1]}"
    return shown if digits == _ALL_DIGITS else f"{shown}({digits})"


_UNMODIFIED = frozenset(("bool", "int2", "int4", "int8", "float4", "float8"))
_MODIFIERS: Mapping[str, Callable[[int], str]] = {
    "varchar": _length,
    "bpchar": _length,
    "numeric": _digits,
    "time": _seconds,
    "timestamp": _seconds,
    "timestamptz": _seconds,
    "interval": _interval,
}

FAMILY = Family(
    "Names of types",
    functions=(
        Function(
            "format_type",
            (OID, INT4),
            TEXT,
            format_type,
            strict=False,
            makes_null=True,
            fails=True,
            stability="stable",
            doc="The name of a type by oid, with its modifier.",
        ),
    ),
)
