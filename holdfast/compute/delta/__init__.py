"""Views maintained from changes: programs made of plans, and the steps that run them."""

from holdfast.compute.delta.columns_read import columns_read
from holdfast.compute.delta.hydration import OUTPUT, Follows, follows, hydration
from holdfast.compute.delta.joined_by import joined_by, nothing_without
from holdfast.compute.delta.looked_at import looked_at, taken_in
from holdfast.compute.delta.program import Program, State, state_input
from holdfast.compute.delta.rules import program
from holdfast.compute.delta.sides import came_input, gone_input, totals_of_sides
from holdfast.compute.delta.sieve import Sieve, sieve_of, sifted
from holdfast.compute.delta.step import Found, Step, due, from_scratch, step

__all__ = [
    "OUTPUT",
    "Follows",
    "Found",
    "Program",
    "Sieve",
    "State",
    "Step",
    "came_input",
    "columns_read",
    "due",
    "follows",
    "from_scratch",
    "gone_input",
    "hydration",
    "joined_by",
    "looked_at",
    "nothing_without",
    "program",
    "sieve_of",
    "sifted",
    "state_input",
    "step",
    "taken_in",
    "totals_of_sides",
]
