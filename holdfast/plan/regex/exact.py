"""Matching by PostgreSQL's rules.

A part of a regular expression prefers to match as much as it can, or as little: the first quantifier in it decides, and
an alternative prefers much. The whole takes the longest or the shortest match that starts first. Then its parts divide
the match among them, each, from left to right, taking what it prefers of what leaves the rest a match. So all ways to
match count, not the first one found: for a part and a start, all ends are computed, once.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from holdfast.plan.regex.python import bracket, python_regex
from holdfast.plan.regex.syntax import Anchor, Back, Either, Empty, Group, Look, Parsed, Regex, Repeat, Set
from holdfast.plan.regex.syntax import Sequence as RegexSequence

Spans = Mapping[int, tuple[int, int]]
"""Where groups matched; a group that did not is absent."""


class Run:
    """One text, and what is known of it so far."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.known: dict[tuple[int, int], Sequence[int]] = {}


class Part(ABC):
    """`greedy` is None for a part that has no preference. `groups` are those inside."""

    greedy: bool | None = None
    mixed = False
    groups: frozenset[int] = frozenset()
    back = False

    def ends(self, run: Run, start: int) -> Sequence[int]:
        """Where a match from `start` may end, in order."""
        key = (id(self), start)
        found = run.known.get(key)
        if found is None:
            found = run.known[key] = self._ends(run, start)
        return found

    def matches(self, run: Run, start: int, end: int) -> bool:
        ends = self.ends(run, start)
        if isinstance(ends, range):
            return end in ends
        index = bisect_left(ends, end)
        return index < len(ends) and ends[index] == end

    @abstractmethod
    def _ends(self, run: Run, start: int) -> Sequence[int]: ...

    def divide(self, run: Run, start: int, end: int, spans: Spans) -> Iterator[Spans]:  # noqa: ARG002
        """The ways to divide a match among the groups, what is preferred first. Without back references one will do."""
        yield spans

    @property
    def plain(self) -> bool:
        return not self.groups and not self.back and not self.mixed


class _One(Part):
    def __init__(self, characters: str) -> None:
        self.characters = characters
        self._match = re.compile(characters).match

    def _ends(self, run: Run, start: int) -> Sequence[int]:
        return (start + 1,) if self._match(run.text, start) else ()


class _Run(Part):
    """As many characters of one set as a quantifier allows."""

    def __init__(self, one: _One, least: int, most: int | None, greedy: bool | None) -> None:
        self._least, self.greedy = least, greedy
        self._match = re.compile(f"{one.characters}{{{least},{'' if most is None else most}}}").match

    def _ends(self, run: Run, start: int) -> Sequence[int]:
        found = self._match(run.text, start)
        return range(start + self._least, found.end() + 1) if found else ()


class _Nothing(Part):
    def _ends(self, _: Run, start: int) -> Sequence[int]:
        return (start,)


class _Place(Part):
    """A condition on where it stands."""

    def __init__(self, condition: str) -> None:
        self._match = re.compile(condition).match

    def _ends(self, run: Run, start: int) -> Sequence[int]:
        return (start,) if self._match(run.text, start) else ()


class _Looking(Part):
    def __init__(self, part: Part, behind: bool, negated: bool) -> None:
        self._part, self._behind, self._negated = part, behind, negated

    def _ends(self, run: Run, start: int) -> Sequence[int]:
        if self._behind:
            found = any(self._part.matches(run, before, start) for before in range(start, -1, -1))
        else:
            found = bool(self._part.ends(run, start))
        return (start,) if found is not self._negated else ()


class _Lump(Part):
    """Parts in a row that have no groups and one preference: how they divide their match among them does not show."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self.greedy = next((part.greedy for part in parts if part.greedy is not None), None)

    def _ends(self, run: Run, start: int) -> Sequence[int]:
        found: Sequence[int] = (start,)
        for part in self._parts:
            found = _union(part.ends(run, at) for at in found)
            if not found:
                break
        return found


class _Pair(Part):
    def __init__(self, left: Part, right: Part) -> None:
        self._left, self._right = left, right
        self.greedy = left.greedy if left.greedy is not None else right.greedy
        _inherit(self, (left, right))

    def _ends(self, run: Run, start: int) -> Sequence[int]:
        return _union(self._right.ends(run, middle) for middle in self._left.ends(run, start))

    def divide(self, run: Run, start: int, end: int, spans: Spans) -> Iterator[Spans]:
        middles = self._left.ends(run, start)
        for middle in middles if self._left.greedy is False else reversed(middles):
            if middle <= end and self._right.matches(run, middle, end):
                for half in self._left.divide(run, start, middle, spans):
                    yield from self._right.divide(run, middle, end, half)


class _Branches(Part):
    greedy = True

    def __init__(self, branches: Sequence[Part]) -> None:
        self._branches = branches
        _inherit(self, branches)

    def _ends(self, run: Run, start: int) -> Sequence[int]:
        return _union(branch.ends(run, start) for branch in self._branches)

    def divide(self, run: Run, start: int, end: int, spans: Spans) -> Iterator[Spans]:
        for branch in self._branches:
            if branch.matches(run, start, end):
                yield from branch.divide(run, start, end, spans)


class _Iteration(Part):
    def __init__(self, part: Part, least: int, most: int | None, greedy: bool | None) -> None:
        self._part, self._least, self._most = part, least, most
        self.greedy = part.greedy if greedy is None else greedy
        _inherit(self, (part,))
        self._rest: _Iteration | None = None

    def _ends(self, run: Run, start: int) -> Sequence[int]:
        current: set[int] = {start}
        for _ in range(self._least):
            current = {end for at in current for end in self._part.ends(run, at)}
        found, count = set(current), self._least
        while current and (self._most is None or count < self._most):
            current = {end for at in current for end in self._part.ends(run, at)} - found
            found |= current
            count += 1
        return sorted(found)

    def divide(self, run: Run, start: int, end: int, spans: Spans) -> Iterator[Spans]:
        # Each iteration takes what the part prefers, whatever the quantifier does. An empty match has no iteration, or
        # one if that prefers to be long.
        none = self._least == 0 and start == end
        if none and self._part.greedy is False:
            yield spans
        if self._most != 0:
            yield from self._iterated(run, start, end, spans)
        if none and self._part.greedy is not False:
            yield spans

    def _iterated(self, run: Run, start: int, end: int, spans: Spans) -> Iterator[Spans]:
        if self._rest is None:
            most = None if self._most is None else self._most - 1
            self._rest = _Iteration(self._part, max(self._least - 1, 0), most, self.greedy)
        # Only the last iteration is remembered, and nothing of those before.
        fresh = {group: span for group, span in spans.items() if group not in self.groups}
        middles = self._part.ends(run, start)
        for middle in middles if self._part.greedy is False else reversed(middles):
            if middle > end or not self._rest.matches(run, middle, end):
                continue
            if middle == start and self._least == 0 and start < end:
                continue
            for one in self._part.divide(run, start, middle, fresh):
                if middle == end and self._rest._least == 0:
                    yield one
                else:
                    yield from self._rest.divide(run, middle, end, one)


class _Capture(Part):
    def __init__(self, number: int, part: Part) -> None:
        self.number, self._part = number, part
        self.greedy = part.greedy
        _inherit(self, (part,))
        self.groups |= {number}

    def _ends(self, run: Run, start: int) -> Sequence[int]:
        return self._part.ends(run, start)

    def divide(self, run: Run, start: int, end: int, spans: Spans) -> Iterator[Spans]:
        for inner in self._part.divide(run, start, end, spans):
            yield {**inner, self.number: (start, end)}


class _Again(Part):
    """A back reference. Before it is known what the group matched, it may be whatever the group may match."""

    back = True

    def __init__(self, number: int, part: Part, fold: bool) -> None:
        self._number, self._part, self._fold = number, part, fold

    def _ends(self, run: Run, start: int) -> Sequence[int]:
        return self._part.ends(run, start)

    def divide(self, run: Run, start: int, end: int, spans: Spans) -> Iterator[Spans]:
        if self._number not in spans:
            return
        before, here = run.text[slice(*spans[self._number])], run.text[start:end]
        if before == here or (self._fold and before.lower() == here.lower()):
            yield spans


def _inherit(part: Part, inner: Sequence[Part]) -> None:
    part.groups = frozenset().union(*(each.groups for each in inner))
    part.back = any(each.back for each in inner)
    preferences = {part.greedy, *(each.greedy for each in inner)}
    part.mixed = {True, False} <= preferences or any(each.mixed for each in inner)


def _union(sets: Iterator[Sequence[int]]) -> Sequence[int]:
    first = next(sets, ())
    found: set[int] | None = None
    for other in sets:
        if found is None:
            found = set(first)
        found.update(other)
    return first if found is None else sorted(found)


class ExactMatcher:
    def __init__(self, parsed: Parsed, *, full: bool) -> None:
        self._full, self._fold = full, parsed.fold
        self._inside: dict[int, Part] = {}
        self._part = self._built(parsed.regex)

    def span(self, run: Run, start: int) -> tuple[int, Spans] | None:
        """The end of the match that starts here, and its groups."""
        ends = self._part.ends(run, start)
        for end in ends if self._part.greedy is False else reversed(ends):
            spans = next(self._part.divide(run, start, end, {}), None)
            if spans is not None:
                return end, spans
        return None

    def _built(self, regex: Regex) -> Part:
        match regex:
            case Set():
                return _One(bracket(regex, full=self._full))
            case Empty():
                return _Nothing()
            case RegexSequence():
                return self._row([self._built(part) for part in regex.parts])
            case Either():
                return _Branches([self._built(branch) for branch in regex.branches])
            case Repeat():
                return self._repeated(regex)
            case Group():
                part = self._built(regex.part)
                self._inside[regex.number] = part
                return _Capture(regex.number, part)
            case Back():
                return _Again(regex.number, self._inside[regex.number], self._fold)
            case Anchor():
                return _Place(python_regex(regex, full=self._full))
            case Look():
                return _Looking(self._built(regex.part), regex.behind, regex.negated)

    def _row(self, parts: Sequence[Part]) -> Part:
        """Lumps of plain parts, between those that are not or that would make the preference of a lump another."""
        rows: list[Part] = []
        lump: list[Part] = []

        def finish() -> None:
            if lump:
                rows.append(lump[0] if len(lump) == 1 else _Lump(tuple(lump)))
                lump.clear()

        for part in parts:
            preference = next((other.greedy for other in lump if other.greedy is not None), None)
            clash = None not in (preference, part.greedy) and preference is not part.greedy
            if part.plain and not clash:
                lump.append(part)
            else:
                finish()
                rows.append(part)
        finish()
        row = rows[-1]
        for part in reversed(rows[:-1]):
            row = _Pair(part, row)
        return row

    def _repeated(self, regex: Repeat) -> Part:
        part = self._built(regex.part)
        if (regex.least, regex.most) == (1, 1) and regex.greedy in (None, part.greedy):
            return part
        if isinstance(part, _One):
            return _Run(part, regex.least, regex.most, regex.greedy)
        if regex.least > 0 and part.groups and not part.back:
            # PostgreSQL's own division: all iterations but the last are one part, without groups.
            most = None if regex.most is None else regex.most - 1
            before = _Iteration(_Silent(part), regex.least - 1, most, regex.greedy)
            return _Pair(before, part)
        return _Iteration(part, regex.least, regex.most, regex.greedy)


class _Silent(Part):
    """A part whose groups are not remembered."""

    def __init__(self, part: Part) -> None:
        self._part, self.greedy, self.mixed = part, part.greedy, part.mixed

    def _ends(self, run: Run, start: int) -> Sequence[int]:
        return self._part.ends(run, start)
