"""Which columns a program has a use for, of what it looks up and of what changes: all others may as well be null."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.compute.delta.columns_read import columns_read
from holdfast.compute.delta.program import Bind, Due, Lookup, Program, Recursion, Scratch, changes_of

Places = dict[str, frozenset[int]]


def looked_at(program: Program) -> Places:
    """The columns of each input that things are looked up in."""
    found, _ = _read(program)
    return {name: found[name] for name in program.lookups}


def taken_in(program: Program) -> Places:
    """The columns of each input that changes of it are read by."""
    _, wanted = _read(program)
    widths = {name: len(columns) for name, columns in program.inputs.items()}
    return {
        name: frozenset(place for place in wanted.get(changes_of(name), ()) if place < width)
        for name, width in widths.items()
    }


def _read(program: Program) -> tuple[Places, Places]:
    """What is looked up of collections, and what is wanted of stages and changes.

    What a stage makes is wanted by later ones, so the last is asked first.
    """
    wanted: dict[str, frozenset[int]] = {}
    found: dict[str, frozenset[int]] = {}

    def want(name: str, columns: Iterable[int]) -> None:
        wanted[name] = wanted.get(name, frozenset()) | frozenset(columns)

    def look(source: str, columns: Iterable[int]) -> None:
        found[source] = found.get(source, frozenset()) | frozenset(columns)

    widths = {state.name: len(state.columns) + 2 for state in program.states}
    want(program.output, range(len(program.columns) + 2))
    for state, name in program.writes.items():
        want(name, range(widths[state]))
    for stage in reversed(program.stages):
        match stage:
            case Bind():
                for name, read in columns_read(stage.relation, wanted.get(stage.name, frozenset())).items():
                    want(name, read)
            case Lookup():
                for name, read in columns_read(stage.keys).items():
                    want(name, read)
                own = (place for place in wanted.get(stage.name, ()) if place < len(stage.of))
                look(stage.source, (*stage.columns, *own))
            case Due():
                look(stage.source, range(len(stage.of)))
            case Scratch():
                for name, columns in stage.inputs.items():
                    look(name, range(len(columns)))
                    want(changes_of(name), range(len(columns) + 2))
            case Recursion():
                for name, columns in stage.columns.items():
                    look(name, range(len(columns)))
                    if name in stage.changes:
                        want(stage.changes[name], range(len(columns) + 2))
    return found, wanted
