"""The functions of regular expressions: `regexp_...`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from holdfast.plan.errors import InvalidParameterValue
from holdfast.plan.functions.function import Family, Function, ResultColumns, TableFunction
from holdfast.plan.functions.patterns import certain_java, spark_exists, takes_part
from holdfast.plan.functions.spark_text import quoted, unquoted
from holdfast.plan.regex.certain import matches_empty
from holdfast.plan.regex.compiled import Compiled, Found, compiled
from holdfast.plan.regex.parse import Options, options_of
from holdfast.plan.types import BOOL, INT4, TEXT, Type, array_of

_Matched = tuple[str | None, ...]
_PLAIN = Options()


def _compiled(name: str, pattern: str, flags: str, *, hint: str | None = None) -> Compiled:
    """For a function that finds one match, or all, whatever flags say."""
    if "g" in flags:
        error = InvalidParameterValue(f'{name}() does not support the "global" option')
        error.hint = hint
        raise error
    return compiled(pattern, options_of(flags))


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise InvalidParameterValue(f'invalid value for parameter "{name}": {value}')


def _groups(text: str, found: Found) -> _Matched:
    """Of the groups, or of the whole if there are none."""
    spans = found.groups or ((found.start, found.end),)
    return tuple(None if span is None else text[slice(*span)] for span in spans)


def _match(text: str, pattern: str, flags: str = "") -> _Matched | None:
    found = _compiled("regexp_match", pattern, flags, hint="Use the regexp_matches function instead.").search(text)
    return None if found is None else _groups(text, found)


def _matches(text: str, pattern: str, flags: str = "") -> Iterator[tuple[_Matched]]:
    regex = compiled(pattern, options_of(flags.replace("g", "")))
    for found in regex.matches(text):
        yield (_groups(text, found),)
        if "g" not in flags:
            return


_REFERENCE = re.compile(r"\\([1-9&\\])")


def _replacement(template: str, text: str, found: Found) -> str:
    def part(reference: re.Match[str]) -> str:
        if reference[1] == "\\":
            return "\\"
        if reference[1] == "&":
            return text[found.start : found.end]
        number = int(reference[1])
        span = found.groups[number - 1] if number <= len(found.groups) else None
        return "" if span is None else text[slice(*span)]

    return _REFERENCE.sub(part, template)


def _replaced(text: str, regex: Compiled, template: str, start: int, number: int) -> str:
    """With another text for one match, or for all if `number` is zero."""
    pieces: list[str] = []
    at = 0
    for count, found in enumerate(regex.matches(text, start - 1), start=1):
        if number in (0, count):
            pieces += (text[at : found.start], _replacement(template, text, found))
            at = found.end
        if count == number:
            break
    return "".join((*pieces, text[at:]))


def _replace(text: str, pattern: str, template: str, flags: str = "") -> str:
    if flags[:1].isdigit():
        error = InvalidParameterValue(f'invalid regular expression option: "{flags[0]}"')
        error.hint = (
            "If you meant to use regexp_replace() with a start parameter, "
            "cast the fourth argument to integer explicitly."
        )
        raise error
    number = 0 if "g" in flags else 1
    return _replaced(text, compiled(pattern, options_of(flags.replace("g", ""))), template, 1, number)


def _replace_from(text: str, pattern: str, template: str, start: int, number: int = 1, flags: str = "") -> str:
    _at_least("start", start, 1)
    _at_least("n", number, 0)
    return _replaced(text, compiled(pattern, options_of(flags.replace("g", ""))), template, start, number)


def _java(pattern: str, options: Options = _PLAIN) -> str | None:
    """SQL of a constant pattern for Java, if that matches the same and never nothing: Java goes on after an empty match
    in its own way."""
    found = certain_java(pattern, options)
    return None if found is None or matches_empty(found[0].regex) else found[1]


def _spark_match(arguments: Sequence[str], _types: Sequence[Type], _result: Type) -> str | None:
    text, pattern = arguments
    found = certain_java(pattern, _PLAIN)
    if found is None or takes_part(found[0].regex) < found[0].groups:
        return None
    source, java = found
    groups = range(1, source.groups + 1) if source.groups else range(1)
    parts = ", ".join(f"regexp_extract({text}, {java}, {group})" for group in groups)
    return f"CASE WHEN {text} RLIKE {java} THEN array({parts}) END"


def _spark_substr(arguments: Sequence[str], _types: Sequence[Type], _result: Type) -> str | None:
    text, pattern = arguments
    found = certain_java(pattern, _PLAIN)
    return found and f"CASE WHEN {text} RLIKE {found[1]} THEN regexp_extract({text}, {found[1]}, 0) END"


def _spark_split(arguments: Sequence[str], _types: Sequence[Type], _result: Type) -> str | None:
    java = _java(arguments[1])
    return java and f"split({arguments[0]}, {java}, -1)"


def _spark_count(arguments: Sequence[str], _types: Sequence[Type], _result: Type) -> str | None:
    java = _java(arguments[1])
    return java and f"regexp_count({arguments[0]}, {java})"


def _spark_replace(arguments: Sequence[str], _types: Sequence[Type], _result: Type) -> str | None:
    """All matches of a constant pattern become a constant text."""
    text, pattern, template, flags = arguments
    new, options = unquoted(template), unquoted(flags)
    if new is None or options not in ("g", "gi", "ig") or "\\" in new:
        return None
    java = _java(pattern, Options(fold="i" in options))
    escaped = new.replace("$", "\\$")
    return None if java is None else f"regexp_replace({text}, {java}, {quoted(escaped)})"


def _pieces(name: str, text: str, pattern: str, flags: str) -> Iterator[str]:
    """What is between matches. An empty match at either end, or right after another match, separates nothing."""
    at = 0
    for found in _compiled(name, pattern, flags).matches(text):
        if found.start < len(text) and found.end > at:
            yield text[at : found.start]
            at = found.end
    yield text[at:]


def _split_to_array(text: str, pattern: str, flags: str = "") -> tuple[str, ...]:
    return tuple(_pieces("regexp_split_to_array", text, pattern, flags))


def _split_to_table(text: str, pattern: str, flags: str = "") -> Iterator[tuple[str]]:
    return ((piece,) for piece in _pieces("regexp_split_to_table", text, pattern, flags))


def _count(text: str, pattern: str, start: int = 1, flags: str = "") -> int:
    _at_least("start", start, 1)
    return sum(1 for _ in _compiled("regexp_count", pattern, flags).matches(text, start - 1))


def _nth(regex: Compiled, text: str, start: int, number: int, group: int) -> tuple[int, int] | None:
    """The span of a group of the match with that number; group 0 is all of it, and 1 too if there are no groups."""
    for count, found in enumerate(regex.matches(text, start - 1), start=1):
        if count == number:
            spans = ((found.start, found.end), *(found.groups or ((found.start, found.end),)))
            return spans[group] if group < len(spans) else None
    return None


def _instr(
    text: str, pattern: str, start: int = 1, number: int = 1, end: int = 0, flags: str = "", group: int = 0
) -> int:
    _at_least("start", start, 1)
    _at_least("n", number, 1)
    if end not in (0, 1):
        raise InvalidParameterValue(f'invalid value for parameter "endoption": {end}')
    _at_least("subexpr", group, 0)
    span = _nth(_compiled("regexp_instr", pattern, flags), text, start, number, group)
    return 0 if span is None else span[end] + 1


def _substr(text: str, pattern: str, start: int = 1, number: int = 1, flags: str = "", group: int = 0) -> str | None:
    _at_least("start", start, 1)
    _at_least("n", number, 1)
    _at_least("subexpr", group, 0)
    span = _nth(_compiled("regexp_substr", pattern, flags), text, start, number, group)
    return None if span is None else text[slice(*span)]


def _like(text: str, pattern: str, flags: str = "") -> bool:
    return _compiled("regexp_like", pattern, flags).exists(text)


_TEXTS = array_of(TEXT)
_TEXT2, _TEXT3 = (TEXT, TEXT), (TEXT, TEXT, TEXT)
_INSTR = (TEXT, TEXT, INT4, INT4, INT4, TEXT, INT4)
_SUBSTR = (TEXT, TEXT, INT4, INT4, TEXT, INT4)

FAMILY = Family(
    "Functions of regular expressions",
    functions=(
        Function(
            "regexp_match",
            _TEXT2,
            _TEXTS,
            _match,
            _spark_match,
            makes_null=True,
            fails=True,
            doc="What the groups of the first match are.",
        ),
        Function(
            "regexp_match",
            _TEXT3,
            _TEXTS,
            _match,
            makes_null=True,
            fails=True,
            doc="What the groups of the first match are.",
        ),
        Function(
            "regexp_replace",
            _TEXT3,
            TEXT,
            _replace,
            fails=True,
            doc="With another text for the first match, or all with the flag g.",
        ),
        Function(
            "regexp_replace",
            (*_TEXT3, TEXT),
            TEXT,
            _replace,
            _spark_replace,
            fails=True,
            doc="With another text for the first match, or all with the flag g.",
        ),
        Function(
            "regexp_replace",
            (*_TEXT3, INT4),
            TEXT,
            _replace_from,
            fails=True,
            doc="With another text for the first match, or all with the flag g.",
        ),
        Function(
            "regexp_replace",
            (*_TEXT3, INT4, INT4),
            TEXT,
            _replace_from,
            fails=True,
            doc="With another text for the first match, or all with the flag g.",
        ),
        Function(
            "regexp_replace",
            (*_TEXT3, INT4, INT4, TEXT),
            TEXT,
            _replace_from,
            fails=True,
            doc="With another text for the first match, or all with the flag g.",
        ),
        Function(
            "regexp_split_to_array",
            _TEXT2,
            _TEXTS,
            _split_to_array,
            _spark_split,
            fails=True,
            doc="The parts between matches, as an array.",
        ),
        Function(
            "regexp_split_to_array",
            _TEXT3,
            _TEXTS,
            _split_to_array,
            fails=True,
            doc="The parts between matches, as an array.",
        ),
        Function("regexp_count", _TEXT2, INT4, _count, _spark_count, fails=True, doc="How many matches there are."),
        Function("regexp_count", (TEXT, TEXT, INT4), INT4, _count, fails=True, doc="How many matches there are."),
        Function("regexp_count", (TEXT, TEXT, INT4, TEXT), INT4, _count, fails=True, doc="How many matches there are."),
        *(
            Function("regexp_instr", _INSTR[:arity], INT4, _instr, fails=True, doc="Where a match starts, or ends.")
            for arity in range(2, 8)
        ),
        Function(
            "regexp_substr",
            _TEXT2,
            TEXT,
            _substr,
            _spark_substr,
            makes_null=True,
            fails=True,
            doc="The text of a match, or of a group of it.",
        ),
        *(
            Function(
                "regexp_substr",
                _SUBSTR[:arity],
                TEXT,
                _substr,
                makes_null=True,
                fails=True,
                doc="The text of a match, or of a group of it.",
            )
            for arity in range(3, 7)
        ),
        Function(
            "regexp_like",
            _TEXT2,
            BOOL,
            _like,
            lambda arguments, _types, _result: spark_exists(arguments[0], arguments[1], _PLAIN),
            fails=True,
            doc="Whether there is a match.",
        ),
        Function("regexp_like", _TEXT3, BOOL, _like, fails=True, doc="Whether there is a match."),
    ),
    tables=(
        *(
            TableFunction(
                "regexp_matches",
                types,
                ResultColumns(("regexp_matches",), (_TEXTS,), (False,)),
                _matches,
                fails=True,
                doc="What the groups of the first match are, or of all with the flag g.",
            )
            for types in (_TEXT2, _TEXT3)
        ),
        *(
            TableFunction(
                "regexp_split_to_table",
                types,
                ResultColumns(("regexp_split_to_table",), (TEXT,), (False,)),
                _split_to_table,
                fails=True,
                doc="The parts between matches, as rows.",
            )
            for types in (_TEXT2, _TEXT3)
        ),
    ),
)
