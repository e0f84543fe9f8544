"""The template of a number: places for digits, signs and separators."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from holdfast.plan.errors import SyntaxErrorInValue

_UPPER = ("EEEE", "FM", "MI", "PL", "PR", "RN", "SG", "SP", "TH", "B", "C", "D", "G", "L", "S", "V", ",", ".", "0", "9")
_KEYWORDS = tuple(sorted({*_UPPER, *(word.lower() for word in _UPPER)}, key=lambda word: (-len(word), word)))


@dataclass(frozen=True, slots=True)
class Keyword:
    text: str

    @property
    def name(self) -> str:
        return self.text.upper()


@dataclass(frozen=True, slots=True)
class Character:
    text: str


@dataclass(slots=True)
class Template:
    """What the keywords together ask for.

    - `before`, `after`: digits before and after the point. `multiplied`: digits after `V`, of a number multiplied so.
    - `zero_start`, `zero_end`: the places, counted from 1, of the first and the last `0`.
    - `sign`: where an `S` stands; `sign_place` is how many digits come before it.
    """

    parts: tuple[Keyword | Character, ...] = ()
    before: int = 0
    after: int = 0
    multiplied: int = 0
    zero_start: int = 0
    zero_end: int = 0
    sign: Literal["before", "after"] | None = None
    sign_place: int = 0
    decimal: bool = False
    fill: bool = True
    zero: bool = False
    brackets: bool = False
    minus: bool = False
    plus: bool = False
    roman: bool = False
    multiplies: bool = False
    exponent: bool = False


@lru_cache(maxsize=1024)
def parsed(text: str) -> Template:
    """The same object for the same text, so it is not to be changed."""
    template = Template()
    parts: list[Keyword | Character] = []
    at = 0
    while at < len(text):
        keyword = next((word for word in _KEYWORDS if text.startswith(word, at)), None)
        if keyword is not None:
            part = Keyword(keyword)
            _take(template, part.name)
            parts.append(part)
            at += len(keyword)
        elif text[at] == '"':
            quoted, at = _quoted(text, at + 1)
            parts += [Character(character) for character in quoted]
        else:
            at += text.startswith('\\"', at)
            parts.append(Character(text[at]))
            at += 1
    template.parts = tuple(parts)
    return template


def _quoted(text: str, at: int) -> tuple[str, int]:
    found = ""
    while at < len(text) and text[at] != '"':
        at += text[at] == "\\" and at + 1 < len(text)
        found += text[at]
        at += 1
    return found, at + 1


def _refuse(condition: bool, message: str, detail: str | None = None) -> None:
    if condition:
        error = SyntaxErrorInValue(message)
        error.detail = detail
        raise error


def _take(template: Template, name: str) -> None:
    signed = template.plus or template.minus
    _refuse(template.exponent and name != "EEEE", '"EEEE" must be the last pattern used')
    match name:
        case "9":
            _refuse(template.brackets, '"9" must be ahead of "PR"')
            _take_digit(template)
        case "0":
            _refuse(template.brackets, '"0" must be ahead of "PR"')
            _take_zero(template)
        case "." | "D":
            _refuse(template.decimal, "multiple decimal points")
            _refuse(template.multiplies, 'cannot use "V" and decimal point together')
            template.decimal = True
        case "FM":
            template.fill = False
        case "S":
            _refuse(template.sign is not None, 'cannot use "S" twice')
            _refuse(signed or template.brackets, 'cannot use "S" and "PL"/"MI"/"SG"/"PR" together')
            template.sign, template.sign_place = ("after" if template.decimal else "before"), template.before
        case "MI" | "PL" | "SG":
            _refuse(template.sign is not None, f'cannot use "S" and "{name}" together')
            template.minus = template.minus or name != "PL"
            template.plus = template.plus or name != "MI"
        case "PR":
            _refuse(signed or template.sign is not None, 'cannot use "PR" and "S"/"PL"/"MI"/"SG" together')
            template.brackets = True
        case "RN":
            _refuse(template.roman, 'cannot use "RN" twice')
            template.roman = True
        case "V":
            _refuse(template.decimal, 'cannot use "V" and decimal point together')
            template.multiplies = True
        case "EEEE":
            _take_exponent(template)


def _take_digit(template: Template) -> None:
    if template.multiplies:
        template.multiplied += 1
    elif template.decimal:
        template.after += 1
    else:
        template.before += 1


def _take_zero(template: Template) -> None:
    if not template.zero and not template.decimal:
        template.zero, template.zero_start = True, template.before + 1
    if template.decimal:
        template.after += 1
    else:
        template.before += 1
    template.zero_end = template.before + template.after


def _take_exponent(template: Template) -> None:
    _refuse(template.exponent, 'cannot use "EEEE" twice')
    other = template.sign or template.brackets or template.minus or template.plus or template.roman
    _refuse(
        bool(not template.fill or other or template.multiplies),
        '"EEEE" is incompatible with other formats',
        '"EEEE" may only be used together with digit and decimal point patterns.',
    )
    template.exponent = True
