"""Text: its length, its parts, its case.

Case is that of Unicode's full mapping, as in a database of PostgreSQL whose locale is the builtin `PG_UNICODE_FAST`.
Python's Unicode is older than Spark's: a hundred letters of rare scripts have their other case in Spark alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from holdfast.plan.errors import (
    InvalidParameterValue,
    NumericValueOutOfRange,
    ProgramLimitExceeded,
    SubstringError,
    SyntaxErrorInValue,
)
from holdfast.plan.functions.function import Family, Function, SparkText
from holdfast.plan.functions.spark_text import failure, number_in
from holdfast.plan.text.strings import length_of, padded
from holdfast.plan.types import BOOL, BPCHAR, INT4, TEXT, Type

MAX_BYTES = 0x3FFFFFFF
"""No value is larger, in PostgreSQL and here."""

_HEADER = 4
MAX_PADDED = (MAX_BYTES - _HEADER) // 4
"""PostgreSQL takes every character to have four bytes when it makes room for a padded text."""

_GREATEST_INT = 2147483647


def substring(text: str, start: int) -> str:
    return text[max(start - 1, 0) :]


def substring_for(text: str, start: int, length: int) -> str:
    if length < 0:
        raise SubstringError("negative substring length not allowed")
    return text[max(start - 1, 0) : max(start - 1 + length, 0)]


def _overlay(text: str, new: str, start: int) -> str:
    return _overlay_for(text, new, start, len(new))


def _overlay_for(text: str, new: str, start: int, length: int) -> str:
    if start <= 0:
        raise SubstringError("negative substring length not allowed")
    if start + length > _GREATEST_INT:
        raise NumericValueOutOfRange("integer out of range")
    return text[: start - 1] + new + text[max(start - 1 + length, 0) :]


def _left(text: str, count: int) -> str:
    return text[:count]


def _right(text: str, count: int) -> str:
    if count < 0:
        # PostgreSQL's own answer for the least integer, which has no opposite, is all of the text.
        return text[-count & _GREATEST_INT :]
    return text[max(len(text) - count, 0) :]


def _filling(text: str, length: int, fill: str) -> str:
    if length > MAX_PADDED:
        raise ProgramLimitExceeded("requested length too large")
    missing = length - len(text)
    if missing <= 0 or not fill:
        return ""
    return (fill * (missing // len(fill) + 1))[:missing]


def _lpad(text: str, length: int, fill: str = " ") -> str:
    return _filling(text, length, fill) + text[: max(length, 0)]


def _rpad(text: str, length: int, fill: str = " ") -> str:
    return text[: max(length, 0)] + _filling(text, length, fill)


def _ltrim(text: str, characters: str = " ") -> str:
    return text.lstrip(characters) if characters else text


def _rtrim(text: str, characters: str = " ") -> str:
    return text.rstrip(characters) if characters else text


def _btrim(text: str, characters: str = " ") -> str:
    return text.strip(characters) if characters else text


def _replace(text: str, old: str, new: str) -> str:
    return text.replace(old, new) if old else text


def _translate(text: str, old: str, new: str) -> str:
    table: dict[int, str | None] = {}
    for index, character in enumerate(old):
        table.setdefault(ord(character), new[index] if index < len(new) else None)
    return text.translate(table)


def _repeat(text: str, count: int) -> str:
    if count > 0 and len(text.encode()) * count > MAX_BYTES - _HEADER:
        raise ProgramLimitExceeded("requested length too large")
    return text * max(count, 0)


def _strpos(text: str, part: str) -> int:
    return text.find(part) + 1


def _split_part(text: str, separator: str, field: int) -> str:
    if field == 0:
        raise InvalidParameterValue("field position must not be zero")
    parts = text.split(separator) if separator else [text]
    index = field - 1 if field > 0 else field
    return parts[index] if -len(parts) <= index < len(parts) else ""


def _ascii(text: str) -> int:
    return ord(text[0]) if text else 0


def _chr(code: int) -> str:
    if code < 0:
        raise InvalidParameterValue("character number must be positive")
    if code == 0:
        raise ProgramLimitExceeded("null character not permitted")
    if code > 0x10FFFF:
        raise ProgramLimitExceeded(f"requested character too large for encoding: {code}")
    if 0xD800 <= code <= 0xDFFF:
        raise ProgramLimitExceeded(f"requested character not valid for encoding: {code}")
    return chr(code)


_WORD = re.compile(r"[^\W_]+")


def _initcap(text: str) -> str:
    def capital(word: re.Match[str]) -> str:
        return word[0][0].title() + word[0][1:].lower()

    return _WORD.sub(capital, text)


_FORMS = ("NFC", "NFD", "NFKC", "NFKD")


def _form(name: str) -> str:
    if name.upper() not in _FORMS:
        raise InvalidParameterValue(f"invalid normalization form: {name}")
    return name.upper()


def _normalize(text: str, form: str = "NFC") -> str:
    return unicodedata.normalize(_form(form), text)  # type: ignore[arg-type]  # one of the four, as just checked


def _is_normalized(text: str, form: str = "NFC") -> bool:
    return unicodedata.is_normalized(_form(form), text)  # type: ignore[arg-type]  # as above


def _unicode_assigned(text: str) -> bool:
    return all(unicodedata.category(character) != "Cn" for character in text)


_ESCAPE = re.compile(
    r"\\(?:(\\)|([0-9a-fA-F]{4})|u([0-9a-fA-F]{4})|\+([0-9a-fA-F]{6})|U([0-9a-fA-F]{8})|())", re.DOTALL
)


def _unistr(text: str) -> str:
    units: list[int] = []

    def decoded(match: re.Match[str]) -> str:
        if match[1]:
            return "\\"
        digits = match[2] or match[3] or match[4] or match[5]
        if digits is None:
            raise SyntaxErrorInValue("invalid Unicode escape")
        code = int(digits, 16)
        if not 0 < code <= 0x10FFFF:
            raise InvalidParameterValue(f"invalid Unicode code point: {code:04X}")
        return chr(code)

    found = _ESCAPE.sub(decoded, text)
    if not any(0xD800 <= ord(character) <= 0xDFFF for character in found):
        return found
    for character in found:
        code = ord(character)
        high = bool(units) and 0xD800 <= units[-1] <= 0xDBFF
        if high != (0xDC00 <= code <= 0xDFFF):
            raise SyntaxErrorInValue("invalid Unicode surrogate pair")
        if high:
            units[-1] = 0x10000 + ((units[-1] - 0xD800) << 10) + (code - 0xDC00)
        else:
            units.append(code)
    if 0xD800 <= units[-1] <= 0xDBFF:
        raise SyntaxErrorInValue("invalid Unicode surrogate pair")
    return "".join(map(chr, units))


def _octets(text: str) -> int:
    return len(text.encode())


def _bits(text: str) -> int:
    return 8 * len(text.encode())


def _spark_octets_of_bpchar(arguments: Sequence[str], types: Sequence[Type], _: Type) -> str:
    blanks = f"greatest({length_of(types[0]) or 0} - char_length({arguments[0]}), 0)"
    return f"(octet_length({arguments[0]}) + {blanks})"


# A null argument makes the result null before anything else can be wrong. Spark's `greatest` and `least` pass over
# nulls, so they are not used for numbers that may be null.
_NEGATIVE = failure(SubstringError, "negative substring length not allowed")
_SUBSTRING = "substring({0}, CASE WHEN {1} < 1 THEN 1 ELSE {1} END)"
_SUBSTRING_FOR = (
    f"CASE WHEN {{2}} < 0 AND {{0}} IS NOT NULL AND {{1}} IS NOT NULL THEN {_NEGATIVE} "
    "WHEN {1} > 0 THEN substring({0}, {1}, {2}) "
    "ELSE left({0}, CASE WHEN {1} + {2} > 1 THEN {1} + {2} - 1 WHEN {1} + {2} <= 1 THEN 0 END) END"
)


def _spark_substring(arguments: Sequence[str], _: Sequence[Type], __: Type) -> str:
    text, start = arguments
    number = number_in(start)
    return _SUBSTRING.format(*arguments) if number is None else f"substring({text}, {max(number, 1)})"


def _spark_substring_for(arguments: Sequence[str], _: Sequence[Type], __: Type) -> str:
    text, start, length = arguments
    first, count = number_in(start), number_in(length)
    if first is None or count is None or count < 0:
        return _SUBSTRING_FOR.format(*arguments)
    return f"substring({text}, {first}, {count})" if first > 0 else f"left({text}, {max(first + count - 1, 0)})"


_LEFT = "left({0}, if({1} < 0, greatest(char_length({0}) + {1}, 0), {1}))"
_RIGHT = (
    f"CASE WHEN {{1}} < 0 THEN substring({{0}}, CAST(least(1 - CAST({{1}} AS BIGINT) % {_GREATEST_INT + 1}, "
    f"{_GREATEST_INT}) AS INT)) ELSE right({{0}}, {{1}}) END"
)


def _spark_end(name: str, usual: str) -> SparkText:
    """Of `left` and `right`, which Spark has for numbers that are not negative."""

    def spark(arguments: Sequence[str], _: Sequence[Type], __: Type) -> str:
        return usual.format(*arguments) if (number_in(arguments[1]) or -1) < 0 else f"{name}({', '.join(arguments)})"

    return spark


_FIELD_ZERO = failure(InvalidParameterValue, "field position must not be zero")
_TOO_LARGE = failure(ProgramLimitExceeded, "requested length too large")


def _pad(name: str, fill: str) -> str:
    padded = f"{name}({{0}}, {{1}}, {fill})"
    return f"CASE WHEN {{1}} > {MAX_PADDED} THEN if({{0}} || {fill} IS NOT NULL, {_TOO_LARGE}, NULL) ELSE {padded} END"


_TEXT1, _TEXT2, _TEXT3 = (TEXT,), (TEXT, TEXT), (TEXT, TEXT, TEXT)
_LENGTHS = ("length", "char_length", "character_length")

FAMILY = Family(
    "Text",
    functions=(
        *(Function(name, (type_,), INT4, len, "char_length({0})") for name in _LENGTHS for type_ in (TEXT, BPCHAR)),
        Function("octet_length", _TEXT1, INT4, _octets, "octet_length({0})", doc="How many bytes it has."),
        Function(
            "octet_length",
            (BPCHAR,),
            INT4,
            lambda types, value: _octets(padded(value, types.arguments[0])),
            _spark_octets_of_bpchar,
            typed=True,
            doc="How many bytes it has.",
        ),
        Function("bit_length", _TEXT1, INT4, _bits, "bit_length({0})", doc="How many bits it has."),
        Function("lower", _TEXT1, TEXT, str.lower, "lower({0})", doc="In lower case."),
        Function("upper", _TEXT1, TEXT, str.upper, "upper({0})", doc="In upper case."),
        Function(
            "casefold", _TEXT1, TEXT, str.casefold, doc="In a case in which texts that differ by case alone are equal."
        ),
        Function("initcap", _TEXT1, TEXT, _initcap, doc="Each word with its first letter in upper case."),
        *(
            overload
            for name in ("substring", "substr")
            for overload in (
                Function(name, (TEXT, INT4), TEXT, substring, _spark_substring),
                Function(name, (TEXT, INT4, INT4), TEXT, substring_for, _spark_substring_for, fails=True),
            )
        ),
        Function(
            "overlay", (TEXT, TEXT, INT4), TEXT, _overlay, fails=True, doc="With another text in the place of a part."
        ),
        Function(
            "overlay",
            (TEXT, TEXT, INT4, INT4),
            TEXT,
            _overlay_for,
            fails=True,
            doc="With another text in the place of a part.",
        ),
        Function(
            "left",
            (TEXT, INT4),
            TEXT,
            _left,
            _spark_end("left", _LEFT),
            doc="The first characters; all but the last for a negative number.",
        ),
        Function(
            "right",
            (TEXT, INT4),
            TEXT,
            _right,
            _spark_end("right", _RIGHT),
            doc="The last characters; all but the first for a negative number.",
        ),
        Function(
            "lpad",
            (TEXT, INT4),
            TEXT,
            _lpad,
            _pad("lpad", "' '"),
            fails=True,
            doc="Filled up to a length at the start, or cut to it.",
        ),
        Function(
            "lpad",
            (TEXT, INT4, TEXT),
            TEXT,
            _lpad,
            _pad("lpad", "{2}"),
            fails=True,
            doc="Filled up to a length at the start, or cut to it.",
        ),
        Function(
            "rpad",
            (TEXT, INT4),
            TEXT,
            _rpad,
            _pad("rpad", "' '"),
            fails=True,
            doc="Filled up to a length at the end, or cut to it.",
        ),
        Function(
            "rpad",
            (TEXT, INT4, TEXT),
            TEXT,
            _rpad,
            _pad("rpad", "{2}"),
            fails=True,
            doc="Filled up to a length at the end, or cut to it.",
        ),
        Function("ltrim", _TEXT1, TEXT, _ltrim, "ltrim({0})", doc="Without spaces, or other characters, at the start."),
        Function(
            "ltrim",
            _TEXT2,
            TEXT,
            _ltrim,
            "trim(LEADING {1} FROM {0})",
            doc="Without spaces, or other characters, at the start.",
        ),
        Function("rtrim", _TEXT1, TEXT, _rtrim, "rtrim({0})", doc="Without spaces, or other characters, at the end."),
        Function(
            "rtrim",
            _TEXT2,
            TEXT,
            _rtrim,
            "trim(TRAILING {1} FROM {0})",
            doc="Without spaces, or other characters, at the end.",
        ),
        Function("btrim", _TEXT1, TEXT, _btrim, "trim({0})", doc="Without spaces, or other characters, at both ends."),
        Function(
            "btrim",
            _TEXT2,
            TEXT,
            _btrim,
            "trim(BOTH {1} FROM {0})",
            doc="Without spaces, or other characters, at both ends.",
        ),
        Function(
            "replace",
            _TEXT3,
            TEXT,
            _replace,
            "replace({0}, {1}, {2})",
            doc="With another text for each occurrence of one.",
        ),
        Function(
            "translate",
            _TEXT3,
            TEXT,
            _translate,
            "translate({0}, {1}, {2})",
            doc="With other characters for some, one by one.",
        ),
        Function("reverse", _TEXT1, TEXT, lambda text: text[::-1], "reverse({0})", doc="Backwards."),
        Function(
            "repeat",
            (TEXT, INT4),
            TEXT,
            _repeat,
            f"CASE WHEN CAST(octet_length({{0}}) AS BIGINT) * {{1}} > {MAX_BYTES - _HEADER} THEN {_TOO_LARGE} "
            "ELSE repeat({0}, {1}) END",
            fails=True,
            doc="So many times.",
        ),
        Function("strpos", _TEXT2, INT4, _strpos, "instr({0}, {1})", doc="Where another text is in it, from 1; or 0."),
        Function("position", _TEXT2, INT4, _strpos, "instr({0}, {1})", doc="Where a text is in another, from 1; or 0."),
        Function(
            "starts_with", _TEXT2, BOOL, str.startswith, "startswith({0}, {1})", doc="Whether it starts with another."
        ),
        Function(
            "split_part",
            (TEXT, TEXT, INT4),
            TEXT,
            _split_part,
            f"CASE WHEN {{2}} = 0 AND {{0}} || {{1}} IS NOT NULL THEN {_FIELD_ZERO} "
            "ELSE split_part({0}, {1}, {2}) END",
            fails=True,
            doc="The part with a number between separators; from the end for a negative one.",
        ),
        Function("ascii", _TEXT1, INT4, _ascii, "ascii({0})", doc="The code of the first character."),
        Function("chr", (INT4,), TEXT, _chr, fails=True, doc="The character of a code."),
        Function("normalize", _TEXT1, TEXT, _normalize, doc="In a normal form of Unicode."),
        Function("normalize", _TEXT2, TEXT, _normalize, fails=True, doc="In a normal form of Unicode."),
        Function("is_normalized", _TEXT1, BOOL, _is_normalized, doc="Whether it is in a normal form of Unicode."),
        Function(
            "is_normalized", _TEXT2, BOOL, _is_normalized, fails=True, doc="Whether it is in a normal form of Unicode."
        ),
        Function("unicode_assigned", _TEXT1, BOOL, _unicode_assigned, doc="Whether all its characters are assigned."),
        Function("unistr", _TEXT1, TEXT, _unistr, fails=True, doc="With the characters that escapes stand for."),
    ),
    operators=(
        Function(
            "^@",
            _TEXT2,
            BOOL,
            str.startswith,
            "startswith({0}, {1})",
            infix=True,
            doc="Whether a text starts with another.",
        ),
    ),
)
