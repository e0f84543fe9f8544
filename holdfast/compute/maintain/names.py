"""What the collections of maintained views are called: of the rows, of hidden state, and of errors."""

from __future__ import annotations

from holdfast.compute.maintain.view import ViewDescription
from holdfast.repr.ids import GlobalId

_OUTPUT, _STATE, _ERRORS = "view ", "state ", "errors "

_FINGERPRINT = 16
"""Characters of a program's fingerprint that tell its states from those of another."""


def output_of(view: GlobalId) -> str:
    return f"{_OUTPUT}{view}"


def states_of(view: ViewDescription) -> dict[str, str]:
    """By the names of the program's states. Those that another program left have other names, so none is taken over."""
    made_by = view.program.fingerprint[:_FINGERPRINT]
    return {state.name: f"{_STATE}{view.id} {made_by} {state.name}" for state in view.program.states}


def errors_of(view: GlobalId) -> str:
    return f"{_ERRORS}{view}"


def owner_of(collection: str) -> str | None:
    """The id of the view that a collection of this name is of; None if it is of none."""
    return collection.split()[1] if is_ours(collection) else None


def is_ours(collection: str) -> bool:
    """Whether a collection of this name is that of a view, perhaps of one that is gone."""
    return collection.startswith((_OUTPUT, _STATE, _ERRORS))
