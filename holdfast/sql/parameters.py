"""The parameters of a statement, and what its text says of their types."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.scalar import Parameter
from holdfast.plan.types import UNKNOWN, Type
from holdfast.sql.errors import AmbiguousParameter, IndeterminateDatatype, UndefinedParameter

_MAX_NUMBER = 65_535
"""How many parameters a message of the protocol can carry."""


class Parameters:
    """A parameter whose type the caller did not give has the type of the first place that needs one of it."""

    def __init__(self, types: Sequence[Type | None]) -> None:
        self._types: dict[int, Type] = {n: type_ or UNKNOWN for n, type_ in enumerate(types, start=1)}
        self._locations: dict[int, int] = {}

    def at(self, number: int, location: int) -> Parameter:
        if not 1 <= number <= _MAX_NUMBER:
            raise UndefinedParameter(f"there is no parameter ${number}", location)
        self._locations.setdefault(number, location)
        return Parameter(number, self._types.setdefault(number, UNKNOWN))

    def infer(self, number: int, type_: Type, location: int) -> Parameter:
        """The parameter, now that a place says of which type it is."""
        known = self._types[number]
        if known is UNKNOWN:
            self._types[number] = known = type_
        elif known is not type_:
            raise AmbiguousParameter(
                f"inconsistent types deduced for parameter ${number}", location, detail=f"{known} versus {type_}"
            )
        return Parameter(number, known)

    def types(self) -> tuple[Type, ...]:
        """The types of all parameters up to the greatest, each of which must be known by now."""
        found = []
        for number in range(1, max(self._types, default=0) + 1):
            type_ = self._types.get(number, UNKNOWN)
            if type_ is UNKNOWN:
                location = self._locations.get(number, 0)
                raise IndeterminateDatatype(f"could not determine data type of parameter ${number}", location)
            found.append(type_)
        return tuple(found)
