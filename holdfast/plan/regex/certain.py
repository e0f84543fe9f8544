"""Whether the first match that Python finds is PostgreSQL's too, groups and all.

It is if there is only one way to match, or if taking as many as possible of one thing, or as few, decides how long the
match is. We claim it only for what is easily seen; `exact.py` has the answer for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence as Many
from dataclasses import dataclass
from functools import lru_cache

from holdfast.plan.regex.python import bracket
from holdfast.plan.regex.syntax import Anchor, Back, Either, Empty, Group, Look, Regex, Repeat, Sequence, Set
from holdfast.plan.regex.walk import parts_of

_OTHER = "\u0080"
"""Stands for all characters that are not ASCII."""


@dataclass(frozen=True, slots=True)
class _Follow:
    """What comes after a part: the characters it may start with, and whether its length is fixed."""

    first: frozenset[str]
    fixed: bool


_END = _Follow(frozenset(), True)


def certain(regex: Regex) -> bool:
    preferences = {part.greedy for part in parts_of(regex) if isinstance(part, Repeat)} - {None}
    alternatives = any(isinstance(part, Either) for part in parts_of(regex))
    if len(preferences) > 1 or (alternatives and False in preferences):
        return False
    if any(isinstance(part, Back) for part in parts_of(regex)) or not _groups_are_last(regex):
        return False
    return _check(regex, _END) or _fills(regex)


def _groups_are_last(regex: Regex) -> bool:
    """Python keeps what a group matched in an earlier iteration, PostgreSQL only what it did in the last.

    They agree on a group that is all of what is repeated, and always as long.
    """
    for part in parts_of(regex):
        if isinstance(part, Repeat) and _has_groups(part.part):
            body = part.part
            if not isinstance(body, Group) or _has_groups(body.part) or _length(body) is None:
                return False
    return True


def _has_groups(regex: Regex) -> bool:
    return any(isinstance(part, Group) for part in parts_of(regex))


def _length(regex: Regex) -> int | None:
    """How many characters all matches have, or None if not all have the same."""
    match regex:
        case Set():
            return 1
        case Empty() | Anchor() | Look():
            return 0
        case Sequence():
            lengths = [_length(part) for part in regex.parts]
            return None if None in lengths else sum(length for length in lengths if length is not None)
        case Either():
            alike = {_length(branch) for branch in regex.branches}
            return alike.pop() if len(alike) == 1 else None
        case Group():
            return _length(regex.part)
        case Repeat():
            length = _length(regex.part)
            return length * regex.least if length is not None and regex.least == regex.most else None
        case Back():
            return None


@lru_cache(maxsize=1024)
def _characters(characters: Set) -> frozenset[str]:
    match = re.compile(bracket(characters, full=False)).match
    found = {chr(code) for code in range(128) if match(chr(code))}
    if characters.negated or characters.classes or "\\" in characters.inside or not characters.inside.isascii():
        found.add(_OTHER)
    return frozenset(found)


def _first(regex: Regex) -> tuple[frozenset[str], bool]:
    """The characters that a match may start with, and whether it may be empty."""
    match regex:
        case Set():
            return _characters(regex), False
        case Group():
            return _first(regex.part)
        case Repeat():
            first, empty = _first(regex.part)
            return (first, empty or regex.least == 0) if regex.most != 0 else (frozenset(), True)
        case Sequence():
            return _first_of(regex.parts)
        case Either():
            firsts = [_first(branch) for branch in regex.branches]
            return frozenset().union(*(first for first, _ in firsts)), any(empty for _, empty in firsts)
    return frozenset(), True


def _first_of(parts: Many[Regex]) -> tuple[frozenset[str], bool]:
    found: frozenset[str] = frozenset()
    for part in parts:
        first, empty = _first(part)
        found |= first
        if not empty:
            return found, False
    return found, True


def _check(regex: Regex, follow: _Follow) -> bool:
    match regex:
        case Set() | Empty() | Anchor() | Look():
            return True
        case Group():
            return _check(regex.part, follow)
        case Sequence():
            return all(
                _check(part, _before(regex.parts[index + 1 :], follow)) for index, part in enumerate(regex.parts)
            )
        case Either():
            return _length(regex) is not None or _branches_differ(regex, follow)
        case Repeat():
            return _length(regex) is not None or _repeats(regex, follow)
        case Back():
            return False


def _before(rest: Many[Regex], follow: _Follow) -> _Follow:
    first, empty = _first_of(rest)
    fixed = follow.fixed and all(_length(part) is not None for part in rest)
    return _Follow(first | follow.first if empty else first, fixed)


def _branches_differ(regex: Either, follow: _Follow) -> bool:
    """The first character says which branch can match."""
    seen: frozenset[str] = frozenset()
    for branch in regex.branches:
        first, empty = _first(branch)
        if empty or first & seen or not _check(branch, follow):
            return False
        seen |= first
    return True


def _repeats(regex: Repeat, follow: _Follow) -> bool:
    first, empty = _first(regex.part)
    if empty:
        return False
    if _length(regex.part) is not None and follow.fixed:
        return True
    return not first & follow.first and _check(regex.part, _Follow(first | follow.first, False))


def _fills(regex: Regex) -> bool:
    """A match goes to the end of the text, and each group, and what is between two, has at most one choice."""
    if not isinstance(regex, Sequence) or regex.parts[-1] != Anchor("text end"):
        return False
    between = 0
    for part in regex.parts:
        choices = _choices(part)
        if choices > 1:
            return False
        between = 0 if isinstance(part, Group) else between + choices
        if between > 1:
            return False
    return True


def _choices(regex: Regex) -> int:
    """How many quantifiers there are in a row of things whose length is fixed; 2 for what is more than that."""
    if _length(regex) is not None:
        return 0
    match regex:
        case Group():
            return _choices(regex.part)
        case Sequence():
            return sum(map(_choices, regex.parts))
        case Repeat() if _length(regex.part) is not None and not _first(regex.part)[1]:
            return 1
    return 2


def matches_empty(regex: Regex) -> bool:
    return _first(regex)[1]
