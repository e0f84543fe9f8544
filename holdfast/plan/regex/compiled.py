"""A regular expression ready to search texts with.

Whether and where a match starts is what Python's `re` finds. How far it goes and what its groups are may be another
matter, and then is found by `exact.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from holdfast.plan.regex.certain import certain
from holdfast.plan.regex.exact import ExactMatcher, Run
from holdfast.plan.regex.parse import Options, parsed
from holdfast.plan.regex.python import python_regex
from holdfast.plan.regex.syntax import Back, Parsed
from holdfast.plan.regex.walk import parts_of


@dataclass(frozen=True, slots=True)
class Found:
    """A match, and those of the groups, which are None for a group that did not take part."""

    start: int
    end: int
    groups: tuple[tuple[int, int] | None, ...]


class _Searcher:
    """For texts that are ASCII, or for all."""

    def __init__(self, source: Parsed, *, full: bool) -> None:
        self._source, self._full = source, full
        self._certain = certain(source.regex)
        self._exact: ExactMatcher | None = None
        self._python: re.Pattern[str] | None = None
        if not any(isinstance(part, Back) for part in parts_of(source.regex)):
            try:
                self._python = re.compile(python_regex(source.regex, full=full))
            except re.error:
                # Python looks behind by a fixed number of characters only.
                self._python = None

    def exists(self, text: str) -> bool:
        if self._python is not None:
            return self._python.search(text) is not None
        return self.search(text, 0, Run(text)) is not None

    def search(self, text: str, at: int, run: Run) -> Found | None:
        if self._python is None:
            starts = range(at, len(text) + 1)
        else:
            found = self._python.search(text, at)
            if found is None:
                return None
            if self._certain:
                return Found(*found.span(), tuple(_span(found, group) for group in range(1, self._source.groups + 1)))
            starts = range(found.start(), found.start() + 1)
        if self._exact is None:
            self._exact = ExactMatcher(self._source, full=self._full)
        for start in starts:
            match = self._exact.span(run, start)
            if match is not None:
                end, spans = match
                return Found(start, end, tuple(spans.get(group) for group in range(1, self._source.groups + 1)))
        return None


def _span(match: re.Match[str], group: int) -> tuple[int, int] | None:
    return None if match[group] is None else match.span(group)


class Compiled:
    def __init__(self, pattern: str, options: Options) -> None:
        self._source = parsed(pattern, options)
        self._searchers: dict[bool, _Searcher] = {}

    @property
    def groups(self) -> int:
        return self._source.groups

    def exists(self, text: str) -> bool:
        return self._searcher(text).exists(text)

    def search(self, text: str, at: int = 0) -> Found | None:
        return self._searcher(text).search(text, at, Run(text))

    def matches(self, text: str, at: int = 0) -> Iterator[Found]:
        """All that do not overlap. After one that is empty, the next starts a character later."""
        searcher, run = self._searcher(text), Run(text)
        while at <= len(text):
            found = searcher.search(text, at, run)
            if found is None:
                return
            yield found
            at = found.end if found.end > found.start else found.end + 1

    def _searcher(self, text: str) -> _Searcher:
        full = not text.isascii()
        if full not in self._searchers:
            self._searchers[full] = _Searcher(self._source, full=full)
        return self._searchers[full]


@lru_cache(maxsize=1024)
def compiled(pattern: str, options: Options) -> Compiled:
    return Compiled(pattern, options)
