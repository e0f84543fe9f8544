"""A term: an expression that has been given a meaning, and where it was written.

Plans do not know places; errors need them. So terms are what analysis passes around until a plan is made of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.plan.scalar import Constant, Parameter, Scalar
from holdfast.plan.types import UNKNOWN, Type


@dataclass(frozen=True, slots=True)
class Term:
    """`location` is where the expression begins, as PostgreSQL reports it in errors."""

    scalar: Scalar
    location: int

    @property
    def type(self) -> Type:
        return self.scalar.type

    @property
    def unknown(self) -> bool:
        """Whether its type is still to be told by what surrounds it."""
        return self.scalar.type is UNKNOWN

    @property
    def literal(self) -> bool:
        """Whether it is a string or NULL without a type."""
        return self.scalar.type is UNKNOWN and isinstance(self.scalar, Constant)

    @property
    def parameter(self) -> bool:
        return isinstance(self.scalar, Parameter)


def leftmost(*locations: int) -> int:
    """The first of some places, of which 0 is none."""
    return min((location for location in locations if location), default=0)
