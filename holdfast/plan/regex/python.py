"""A regular expression as one of Python's, which matches where PostgreSQL's does, though perhaps not as far.

Python's takes the first way to match that it finds, PostgreSQL's the longest or the shortest. Whether there is a match,
and where the first one starts, is the same for both.
"""

from __future__ import annotations

from typing import assert_never

from holdfast.plan.regex.sets import of_class
from holdfast.plan.regex.syntax import (
    Anchor,
    AnchorKind,
    Back,
    Either,
    Empty,
    Group,
    Look,
    Regex,
    Repeat,
    Sequence,
    Set,
)


def bracket(characters: Set, *, full: bool) -> str:
    inside = characters.inside + "".join(of_class(name, full=full) for name in characters.classes)
    return f"[{'^' if characters.negated else ''}{inside}]"


def _anchor(kind: AnchorKind, *, full: bool) -> str:
    word = f"[{of_class('word', full=full)}]" if kind in ("word start", "word end", "edge", "inside") else ""
    match kind:
        case "text start":
            return r"\A"
        case "text end":
            return r"\Z"
        case "line start":
            return "(?m:^)"
        case "line end":
            return "(?m:$)"
        case "word start":
            return f"(?<!{word})(?={word})"
        case "word end":
            return f"(?<={word})(?!{word})"
        case "edge":
            return f"(?:(?<!{word})(?={word})|(?<={word})(?!{word}))"
        case "inside":
            return f"(?:(?<!{word})(?!{word})|(?<={word})(?={word}))"
    assert_never(kind)


def python_regex(regex: Regex, *, full: bool) -> str:
    """`full` is for texts that may not be ASCII."""
    match regex:
        case Set():
            return bracket(regex, full=full)
        case Empty():
            return ""
        case Sequence():
            return "".join(python_regex(part, full=full) for part in regex.parts)
        case Either():
            return f"(?:{'|'.join(python_regex(branch, full=full) for branch in regex.branches)})"
        case Repeat():
            lazy = "?" if regex.greedy is False else ""
            most = "" if regex.most is None else regex.most
            inner = python_regex(regex.part, full=full)
            atom = inner if isinstance(regex.part, Set) else f"(?:{inner})"
            return f"{atom}{{{regex.least},{most}}}{lazy}"
        case Group():
            return f"({python_regex(regex.part, full=full)})"
        case Back():
            return f"(?:\\{regex.number})"
        case Anchor():
            return _anchor(regex.kind, full=full)
        case Look():
            sign = ("<" if regex.behind else "") + ("!" if regex.negated else "=")
            return f"(?{sign}{python_regex(regex.part, full=full)})"
    assert_never(regex)
