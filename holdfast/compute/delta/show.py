"""Programs as text: what a view reads, what it keeps, and what a step does, stage by stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import indent

from holdfast.compute.delta.program import Bind, Due, Lookup, Program, Recursion, Scratch, Stage, changes_of
from holdfast.plan.printer import show

_MARGIN = "  "


def show_program(program: Program, notes: Mapping[str, str] | None = None) -> str:
    """The text of a program, without a newline at its end. Updates have two more columns: time and diff.

    `notes` are remarks on inputs, states and stages, by their names: each is below the line that it is about.
    """
    return "\n".join(_lines(program, {} if notes is None else notes))


def _lines(program: Program, notes: Mapping[str, str]) -> Iterator[str]:
    yield "Inputs:"
    for name in sorted(program.inputs):
        yield f"{_MARGIN}Get {name}{' (arranged)' if name in program.lookups else ''}"
        yield from _note(notes, name)
    if program.states:
        yield "States:"
        for state in program.states:
            yield f"{_MARGIN}{state.name} ({', '.join(map(str, state.types))}) ="
            yield from _note(notes, state.name)
            yield indent(show(state.relation), _MARGIN * 2)
    yield "Stages:"
    for stage in program.stages:
        head, *rest = indent(_stage(stage), _MARGIN).splitlines()
        yield head
        yield from _note(notes, stage.name)
        yield from rest
    for name, stage_name in program.writes.items():
        yield f"Changes of {name}: {stage_name}"
    yield f"Changes of the view: {program.output}"


def _note(notes: Mapping[str, str], name: str) -> Iterator[str]:
    if name in notes:
        yield f"{_MARGIN * 2}-- {notes[name]}"


def _stage(stage: Stage) -> str:
    match stage:
        case Bind():
            return f"{stage.name} =\n{indent(show(stage.relation), _MARGIN)}"
        case Lookup() if stage.columns:
            columns = ", ".join(f"#{index}" for index in stage.columns)
            return f"{stage.name} = {stage.source} before, where ({columns}) in\n{indent(show(stage.keys), _MARGIN)}"
        case Lookup():
            return f"{stage.name} = {stage.source} before, if any\n{indent(show(stage.keys), _MARGIN)}"
        case Due():
            return f"{stage.name} = {stage.source} before, where #{stage.at} is due"
        case Scratch():
            return f"{stage.name} = from scratch, at each time\n{indent(show(stage.relation), _MARGIN)}"
        case Recursion():
            return "\n".join(_recursion(stage))


def _recursion(stage: Recursion) -> Iterator[str]:
    """What is done in each round, within what the round is for."""
    states = ", ".join(map(changes_of, stage.follows.made))
    yield f"{stage.name} = {states}: at each time, until nothing changes"
    for text, rounds in (("What follows from changes:", stage.follows), ("What stays of taken rows:", stage.stays)):
        yield f"{_MARGIN}{text}"
        for each in rounds.stages:
            yield indent(_stage(each), _MARGIN * 2)
        for state, made in rounds.made.items():
            yield f"{_MARGIN * 2}{state}: {made}"
