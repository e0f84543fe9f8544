"""Views maintained from changes: programs made of plans, and the steps that run them."""

from holdfast.compute.delta.program import Program, State
from holdfast.compute.delta.rules import program
from holdfast.compute.delta.step import OUTPUT, Step, due, from_scratch, hydration, step

__all__ = ["OUTPUT", "Program", "State", "Step", "due", "from_scratch", "hydration", "program", "step"]
