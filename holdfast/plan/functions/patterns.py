"""Regular expressions as operators, SIMILAR TO, and the part of a text that matches.

Spark is given a regular expression of Java's where the pattern is a constant that has one.
"""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.errors import DataError
from holdfast.plan.functions.function import Family, Function, Types
from holdfast.plan.functions.spark_text import quoted, unquoted
from holdfast.plan.regex.certain import certain
from holdfast.plan.regex.compiled import compiled
from holdfast.plan.regex.java import java_regex
from holdfast.plan.regex.parse import Options, parsed
from holdfast.plan.regex.similar import regex_of_similar
from holdfast.plan.regex.syntax import Group, Parsed, Regex
from holdfast.plan.regex.syntax import Sequence as RegexSequence
from holdfast.plan.text.strings import length_of, padded
from holdfast.plan.types import BOOL, BPCHAR, NAME, TEXT, Type

_EXACT, _FOLD = Options(), Options(fold=True)


def constant_regex(pattern: str, options: Options) -> Parsed | None:
    """The regular expression that SQL of a constant stands for, if it is one."""
    constant = unquoted(pattern)
    if constant is None:
        return None
    try:
        return parsed(constant, options)
    except DataError:
        # It is an error only where the pattern is used.
        return None


def spark_exists(text: str, pattern: str, options: Options) -> str | None:
    source = constant_regex(pattern, options)
    java = None if source is None else java_regex(source.regex)
    return None if java is None else f"({text} RLIKE {quoted(java)})"


def _operator(name: str, type_: Type, options: Options, *, negated: bool) -> Function:
    def python(types: Types, text: str, pattern: str) -> bool:
        value = padded(text, types.arguments[0]) if type_ is BPCHAR else text
        return compiled(pattern, options).exists(value) is not negated

    def spark(arguments: Sequence[str], types: Sequence[Type], _: Type) -> str | None:
        length = length_of(types[0]) if type_ is BPCHAR else None
        text = arguments[0] if length is None else f"rpad({arguments[0]}, {length}, ' ')"
        found = spark_exists(text, arguments[1], options)
        return None if found is None else f"(NOT {found})" if negated else found

    return Function(name, (type_, TEXT), BOOL, python, spark, fails=True, typed=True, infix=True)


def _substring(text: str, pattern: str) -> str | None:
    """What the first group matches, or all if there is no group."""
    regex = compiled(pattern, _EXACT)
    found = regex.search(text)
    if found is None:
        return None
    span = found.groups[0] if regex.groups else (found.start, found.end)
    return None if span is None else text[slice(*span)]


def _substring_similar(text: str, pattern: str, escape: str) -> str | None:
    return _substring(text, regex_of_similar(pattern, escape))


def certain_java(pattern: str, options: Options) -> tuple[Parsed, str] | None:
    """A constant pattern, and SQL of one for Java that matches as much, with the same groups."""
    source = constant_regex(pattern, options)
    if source is None or not certain(source.regex):
        return None
    java = java_regex(source.regex)
    return None if java is None else (source, quoted(java))


def takes_part(regex: Regex) -> int:
    """How many groups match whenever the whole does."""
    match regex:
        case Group():
            return 1 + takes_part(regex.part)
        case RegexSequence():
            return sum(map(takes_part, regex.parts))
    return 0


def _spark_substring(arguments: Sequence[str], _types: Sequence[Type], _result: Type) -> str | None:
    text, pattern = arguments
    found = certain_java(pattern, _EXACT)
    if found is None or takes_part(found[0].regex) < found[0].groups:
        return None
    source, java = found
    return f"CASE WHEN {text} RLIKE {java} THEN regexp_extract({text}, {java}, {min(source.groups, 1)}) END"


def _similar_escape(pattern: str | None, escape: str | None) -> str | None:
    return None if pattern is None else regex_of_similar(pattern, "\\" if escape is None else escape)


_SIMILAR = "similar_to_escape"
_TEXTS = (TEXT, NAME, BPCHAR)

FAMILY = Family(
    "Regular expressions and SIMILAR TO",
    functions=(
        Function(
            "substring",
            (TEXT, TEXT),
            TEXT,
            _substring,
            _spark_substring,
            makes_null=True,
            fails=True,
            doc="The part that a regular expression finds, or its first group.",
        ),
        Function(
            "substring",
            (TEXT, TEXT, TEXT),
            TEXT,
            _substring_similar,
            makes_null=True,
            fails=True,
            doc="The part that a regular expression finds, or its first group.",
        ),
        Function(_SIMILAR, (TEXT,), TEXT, regex_of_similar, fails=True),
        Function(_SIMILAR, (TEXT, TEXT), TEXT, regex_of_similar, fails=True),
        Function(
            "similar_escape",
            (TEXT, TEXT),
            TEXT,
            _similar_escape,
            strict=False,
            makes_null=True,
            fails=True,
            doc="A SIMILAR TO pattern as a regular expression.",
        ),
    ),
    operators=(
        *(_operator("~", type_, _EXACT, negated=False) for type_ in _TEXTS),
        *(_operator("!~", type_, _EXACT, negated=True) for type_ in _TEXTS),
        *(_operator("~*", type_, _FOLD, negated=False) for type_ in _TEXTS),
        *(_operator("!~*", type_, _FOLD, negated=True) for type_ in _TEXTS),
    ),
)
