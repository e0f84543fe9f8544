"""LIMIT and OFFSET."""

from __future__ import annotations

from holdfast.compute.render.calls import Needs
from holdfast.compute.render.internal import AT_MOST, LIMIT, MORE, OFFSET, PLUS, call
from holdfast.compute.render.scalars import IS_NULL, scalar_text
from holdfast.plan.errors import InvalidRowCountInLimit, InvalidRowCountInOffset
from holdfast.plan.functions.function import Function
from holdfast.plan.scalar import Coalesce, Column, Constant, Or, Parameter, Scalar
from holdfast.plan.types import INT8

_MOST = 2**31 - 1
"""What Spark's LIMIT can say. No result has more rows."""


def limit_clauses(limit: Scalar | None, offset: Scalar | None, needs: Needs) -> list[str] | None:
    """LIMIT and OFFSET for a whole query, or None where they are more than constants and parameters."""
    check_constants(limit, offset)
    found = []
    for word, scalar, missing in (("LIMIT", limit, str(_MOST)), ("OFFSET", offset, "0")):
        match scalar:
            case None | Constant(value=None):
                continue
            case Constant():
                found.append(f"{word} {min(int(str(scalar.value)), _MOST)}")
            case Parameter():
                count = f"coalesce({scalar_text(scalar, (), needs)}, {missing})"
                found.append(f"{word} CAST(least({count}, {_MOST}) AS INT)")
            case _:
                return None
    return found


def check_constants(limit: Scalar | None, offset: Scalar | None) -> None:
    if isinstance(limit, Constant) and isinstance(limit.value, int) and limit.value < 0:
        raise InvalidRowCountInLimit("LIMIT must not be negative")
    if isinstance(offset, Constant) and isinstance(offset.value, int) and offset.value < 0:
        raise InvalidRowCountInOffset("OFFSET must not be negative")


def place_predicates(place: Column, limit: Scalar | None, offset: Scalar | None) -> tuple[Scalar, ...]:
    """Which rows stay, by their place from 1. A limit that is null is none."""
    check_constants(limit, offset)
    found: list[Scalar] = []
    skipped: Scalar = Constant(0, INT8)
    if offset is not None and not (isinstance(offset, Constant) and offset.value in (0, None)):
        skipped = Coalesce((_checked(offset, OFFSET), skipped)) if offset.nullable else _checked(offset, OFFSET)
        found.append(call(MORE, place, skipped))
    if limit is None or (isinstance(limit, Constant) and limit.value is None):
        return tuple(found)
    last = _checked(limit, LIMIT)
    if isinstance(last, Constant) and isinstance(skipped, Constant):
        # An addition that is done here, so that Spark sees how many rows of each group it needs.
        found.append(call(AT_MOST, place, Constant(int(str(last.value)) + int(str(skipped.value)), INT8)))
        return tuple(found)
    within = call(AT_MOST, place, call(PLUS, last, skipped))
    found.append(Or((call(IS_NULL, limit), within)) if limit.nullable else within)
    return tuple(found)


def _checked(scalar: Scalar, check: Function) -> Scalar:
    return scalar if isinstance(scalar, Constant) else call(check, scalar)
