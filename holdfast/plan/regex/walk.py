"""All parts of a regular expression."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.plan.regex.syntax import Either, Group, Look, Regex, Repeat, Sequence


def parts_of(regex: Regex) -> Iterator[Regex]:
    """The regular expression itself, and all inside."""
    yield regex
    match regex:
        case Sequence():
            for part in regex.parts:
                yield from parts_of(part)
        case Either():
            for branch in regex.branches:
                yield from parts_of(branch)
        case Repeat() | Group() | Look():
            yield from parts_of(regex.part)
