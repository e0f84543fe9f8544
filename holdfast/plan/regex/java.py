"""A regular expression as one of Java's, which Spark runs: the same as for Python, where Java can say it."""

from __future__ import annotations

from collections.abc import Mapping

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

_CLASSES: Mapping[str, str] = {
    "alpha": r"\p{L}\p{Nl}",
    "alnum": r"\p{L}\p{Nl}\p{Nd}",
    "ascii": r"\x00-\x7f",
    "digit": r"\p{Nd}",
    "space": r" \t-\r\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000",
    "word": r"\p{L}\p{Nl}\p{Nd}_",
    "xdigit": "0-9a-fA-F",
}
_ANCHORS: Mapping[AnchorKind, str] = {"text start": r"\A", "text end": r"\z"}


class _Unsaid(Exception):
    pass


def java_regex(regex: Regex) -> str | None:
    """None for what Java says otherwise, or not at all, or by recursion that long texts are too deep for."""
    try:
        return _java(regex)
    except _Unsaid:
        return None


def _java(regex: Regex) -> str:
    match regex:
        case Set():
            return _bracket(regex)
        case Empty():
            return ""
        case Sequence():
            return "".join(map(_java, regex.parts))
        case Either():
            return f"(?:{'|'.join(map(_java, regex.branches))})"
        case Group():
            return f"({_java(regex.part)})"
        case Repeat() if isinstance(regex.part, Set) or regex.most is not None:
            most = "" if regex.most is None else regex.most
            return f"(?:{_java(regex.part)}){{{regex.least},{most}}}{'?' if regex.greedy is False else ''}"
        case Anchor() if regex.kind in _ANCHORS:
            return _ANCHORS[regex.kind]
        case Look() if not regex.behind:
            return f"(?{'!' if regex.negated else '='}{_java(regex.part)})"
        case Repeat() | Anchor() | Look() | Back():
            raise _Unsaid


def _bracket(characters: Set) -> str:
    if "\ud800" in characters.inside or not all(name in _CLASSES for name in characters.classes):
        raise _Unsaid
    inside = characters.inside + "".join(_CLASSES[name] for name in characters.classes)
    return f"[{'^' if characters.negated else ''}{inside}]"
