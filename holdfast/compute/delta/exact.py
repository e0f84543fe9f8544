"""Which plans have the same answer on Spark as in this process, bit for bit.

A view that Spark has made is maintained in this process: what a step takes away must be what is there. Spark adds the
floats of a window, and those that are different, in an order of its own.
"""

from __future__ import annotations

from holdfast.compute.delta.program import Program
from holdfast.plan.relation import AggregateCall, Reduce, Relation, Window, WindowCall, inputs
from holdfast.plan.types import Map

_SUMS = frozenset(("sum", "avg"))
_FLOATS = frozenset(("float4", "float8"))


def is_exact_on_spark(program: Program) -> bool:
    """Whether Spark may make the view and its states from scratch."""
    return all(map(_is_exact, (program.plan.relation, *(state.relation for state in program.states))))


def _is_exact(relation: Relation) -> bool:
    match relation:
        case Window():
            own = not any(map(_adds_floats, relation.calls))
        case Reduce():
            adding = [call for call in relation.aggregates if _adds_floats(call)]
            own = not adding or not (
                any(call.distinct for call in adding) or any(isinstance(key.type, Map) for key in relation.keys)
            )
        case _:
            own = True
    return own and all(map(_is_exact, inputs(relation)))


def _adds_floats(call: AggregateCall | WindowCall) -> bool:
    return call.function.name in _SUMS and any(argument.type.base in _FLOATS for argument in call.arguments)
