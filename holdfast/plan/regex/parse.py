"""From the text of a regular expression to what it is made of.

They are PostgreSQL's advanced regular expressions, with all options. The option `e`, for extended ones, changes
nothing: what is valid in both means the same. Basic ones, which only the option `b` asks for, are not known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from holdfast.plan.errors import InvalidParameterValue, InvalidRegularExpression
from holdfast.plan.regex.sets import CLASSES, both_cases, escaped
from holdfast.plan.regex.syntax import (
    Anchor,
    AnchorKind,
    Back,
    Either,
    Empty,
    Group,
    Look,
    Parsed,
    Regex,
    Repeat,
    Sequence,
    Set,
)

MAX_REPEAT = 255


@dataclass(frozen=True, slots=True)
class Options:
    """`dot_newline`: whether `.` and complemented sets match a newline. `lines`: whether `^` and `$` match at one."""

    fold: bool = False
    dot_newline: bool = True
    lines: bool = False
    expanded: bool = False
    literal: bool = False


_NEWLINES = {"n": (False, True), "m": (False, True), "p": (False, False), "s": (True, False), "w": (True, True)}


def _with(options: Options, letter: str) -> Options | None:
    """The options after a letter of them, or None if there is no such letter."""
    if letter in _NEWLINES:
        dot_newline, lines = _NEWLINES[letter]
        return replace(options, dot_newline=dot_newline, lines=lines)
    match letter:
        case "i" | "c":
            return replace(options, fold=letter == "i")
        case "x" | "t":
            return replace(options, expanded=letter == "x")
        case "q":
            return replace(options, literal=True)
        case "e":
            return replace(options, literal=False)
    return None


def options_of(flags: str) -> Options:
    """The flags of a function, without `g`."""
    options = Options()
    for letter in flags:
        following = _with(options, letter)
        if following is None:
            raise InvalidParameterValue(f'invalid regular expression option: "{letter}"')
        options = following
    return options


def _wrong(reason: str) -> InvalidRegularExpression:
    return InvalidRegularExpression(f"invalid regular expression: {reason}")


@lru_cache(maxsize=1024)
def parsed(pattern: str, options: Options) -> Parsed:
    parser = _Parser(pattern, options)
    regex = parser.whole()
    return Parsed(regex, parser.groups, parser.options.fold)


_SIMPLE_ESCAPES = {
    "a": "\x07",
    "b": "\b",
    "B": "\\",
    "e": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
_CLASS_ESCAPES = {"d": "digit", "s": "space", "w": "word"}
_ANCHOR_ESCAPES: dict[str, AnchorKind] = {
    "A": "text start",
    "Z": "text end",
    "m": "word start",
    "M": "word end",
    "y": "edge",
    "Y": "inside",
}
_BOUNDS = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?")
_HEX = {"x": re.compile(r"[0-9a-fA-F]+"), "u": re.compile(r"[0-9a-fA-F]{4}"), "U": re.compile(r"[0-9a-fA-F]{8}")}
_DIGITS = re.compile(r"[0-9]+")
_OCTAL = re.compile(r"[0-7]{1,3}")
_NAMED = {
    "NUL": "\0", "tab": "\t", "newline": "\n", "space": " ", "hyphen": "-", "hyphen-minus": "-", "period": ".",
    "full-stop": ".", "comma": ",", "colon": ":", "semicolon": ";", "slash": "/", "solidus": "/", "backslash": "\\",
    "reverse-solidus": "\\", "underscore": "_", "low-line": "_", "asterisk": "*", "plus-sign": "+",
    "equals-sign": "=", "dollar-sign": "$", "percent-sign": "%", "ampersand": "&", "apostrophe": "'",
    "quotation-mark": '"', "left-parenthesis": "(", "right-parenthesis": ")", "left-square-bracket": "[",
    "right-square-bracket": "]", "left-brace": "{", "right-brace": "}", "circumflex": "^", "tilde": "~",
    "vertical-line": "|", "question-mark": "?", "exclamation-mark": "!", "number-sign": "#", "commercial-at": "@",
    "less-than-sign": "<", "greater-than-sign": ">", "grave-accent": "`",
}  # fmt: skip


class _Parser:
    def __init__(self, pattern: str, options: Options) -> None:
        self._text, self._at, self.options = pattern, 0, options
        self.groups = 0
        self._closed: set[int] = set()
        self._looking = 0

    def whole(self) -> Regex:
        self._prefixes()
        if self.options.literal:
            return _sequence([self._character(character) for character in self._text[self._at :]])
        regex = self._either()
        if self._at < len(self._text):
            raise _wrong("parentheses () not balanced")
        return regex

    def _prefixes(self) -> None:
        if self.options.literal:
            return
        if self._text.startswith("***"):
            if self._text.startswith("***="):
                self.options = replace(self.options, literal=True)
            elif not self._text.startswith("***:"):
                raise _wrong("quantifier operand invalid")
            self._at = 4
        if self.options.literal:
            return
        if self._text.startswith("(?", self._at) and self._text[self._at + 2 : self._at + 3].isalpha():
            end = self._text.find(")", self._at)
            letters = self._text[self._at + 2 : end if end >= 0 else len(self._text)]
            for letter in letters:
                following = _with(self.options, letter)
                if following is None:
                    raise _wrong("invalid embedded option")
                self.options = following
            if end < 0:
                raise _wrong("invalid embedded option")
            self._at = end + 1

    def _skip(self) -> None:
        """Past comments, and what has no meaning in the expanded syntax."""
        while self._at < len(self._text):
            if self.options.expanded and self._text[self._at].isspace():
                self._at += 1
            elif self.options.expanded and self._text[self._at] == "#":
                end = self._text.find("\n", self._at)
                self._at = len(self._text) if end < 0 else end
            elif self._text.startswith("(?#", self._at):
                end = self._text.find(")", self._at)
                self._at = len(self._text) if end < 0 else end + 1
            else:
                return

    def _peek(self) -> str:
        self._skip()
        return self._text[self._at : self._at + 1]

    def _take(self, text: str) -> bool:
        self._skip()
        if not self._text.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    def _either(self) -> Regex:
        branches = [self._branch()]
        while self._take("|"):
            branches.append(self._branch())
        return branches[0] if len(branches) == 1 else Either(tuple(branches))

    def _branch(self) -> Regex:
        parts: list[Regex] = []
        while (ahead := self._peek()) and ahead != "|" and ahead != ")":
            bracketed = self._text.startswith("(?:", self._at)
            parts.append(self._quantified(self._atom(), bracketed))
        return _sequence(parts)

    def _quantified(self, atom: Regex, bracketed: bool) -> Regex:
        if not self._quantifies():
            return atom
        if isinstance(atom, Anchor | Look) and not bracketed:
            raise _wrong("quantifier operand invalid")
        bounds = self._quantifier()
        least, most, exact = bounds
        lazy = self._take("?")
        if self._quantifies():
            raise _wrong("quantifier operand invalid")
        if most is not None and (most > MAX_REPEAT or least > most):
            raise _wrong("invalid repetition count(s)")
        if least > MAX_REPEAT:
            raise _wrong("invalid repetition count(s)")
        return Repeat(atom, least, most, None if exact else not lazy)

    def _quantifies(self) -> bool:
        """Whether a quantifier is next. A brace is one only before a digit."""
        ahead = self._peek()
        return bool(ahead) and (ahead in "*+?" or (ahead == "{" and self._text[self._at + 1 : self._at + 2].isdigit()))

    def _quantifier(self) -> tuple[int, int | None, bool]:
        """The least and the greatest count, and whether one number says both."""
        for symbol, least, most in (("*", 0, None), ("+", 1, None), ("?", 0, 1)):
            if self._take(symbol):
                return least, most, False
        found = _BOUNDS.match(self._text, self._at)
        assert found is not None, "a brace before a digit"
        if found.end() == len(self._text):
            raise _wrong("braces {} not balanced")
        if self._text[found.end()] != "}":
            raise _wrong("invalid repetition count(s)")
        self._at = found.end() + 1
        least = int(found[1])
        return least, least if not found[2] else int(found[3]) if found[3] else None, not found[2]

    def _atom(self) -> Regex:
        character = self._peek()
        self._at += 1
        match character:
            case "(":
                return self._parenthesis()
            case "[":
                return self._bracket()
            case ".":
                return Set("\\s\\S") if self.options.dot_newline else Set("\\n", negated=True)
            case "^":
                return Anchor("line start" if self.options.lines else "text start")
            case "$":
                return Anchor("line end" if self.options.lines else "text end")
            case "\\":
                return self._escape()
            case "*" | "+" | "?":
                raise _wrong("quantifier operand invalid")
            case "{" if self._text[self._at : self._at + 1].isdigit():
                raise _wrong("quantifier operand invalid")
        return self._character(character)

    def _character(self, character: str) -> Set:
        return Set("".join(map(escaped, both_cases(character) if self.options.fold else character)))

    def _parenthesis(self) -> Regex:
        if self._text.startswith("?", self._at):
            for symbol, behind, negated in (
                ("?=", False, False),
                ("?!", False, True),
                ("?<=", True, False),
                ("?<!", True, True),
            ):
                if self._text.startswith(symbol, self._at):
                    self._at += len(symbol)
                    self._looking += 1
                    part = self._inner()
                    self._looking -= 1
                    return Look(part, behind, negated)
            if not self._text.startswith("?:", self._at):
                raise _wrong("quantifier operand invalid")
            self._at += 2
            return self._inner()
        if self._looking:
            return self._inner()
        self.groups += 1
        number = self.groups
        part = self._inner()
        self._closed.add(number)
        return Group(number, part)

    def _inner(self) -> Regex:
        part = self._either()
        if not self._take(")"):
            raise _wrong("parentheses () not balanced")
        return part

    def _escape(self) -> Regex:
        character = self._text[self._at : self._at + 1]
        if not character:
            raise _wrong("invalid escape \\ sequence")
        if character in _ANCHOR_ESCAPES:
            self._at += 1
            return Anchor(_ANCHOR_ESCAPES[character])
        if character in "dswDSW":
            self._at += 1
            return Set("", (_CLASS_ESCAPES[character.lower()],), negated=character.isupper())
        if character in "123456789" and (back := self._back()):
            return back
        return self._character(self._escaped_character())

    def _back(self) -> Back | None:
        """A number of one digit is a back reference, a longer one only if there are so many groups."""
        found = _DIGITS.match(self._text, self._at)
        digits = found[0] if found else ""
        if len(digits) > 1 and int(digits) > self.groups:
            return None
        number = int(digits)
        self._at += len(digits)
        if number not in self._closed or self._looking:
            raise _wrong("invalid backreference number")
        return Back(number)

    def _escaped_character(self) -> str:
        character = self._text[self._at : self._at + 1]
        self._at += 1
        if not character:
            raise _wrong("invalid escape \\ sequence")
        if not (character.isascii() and character.isalnum()):
            return character
        if character in _SIMPLE_ESCAPES:
            return _SIMPLE_ESCAPES[character]
        if character == "c" and self._at < len(self._text):
            self._at += 1
            return chr(ord(self._text[self._at - 1]) & 31)
        if character in _HEX:
            return self._coded(_HEX[character].match(self._text, self._at), 16)
        if character.isdigit():
            self._at -= 1
            return self._coded(_OCTAL.match(self._text, self._at), 8)
        raise _wrong("invalid escape \\ sequence")

    def _coded(self, digits: re.Match[str] | None, base: int) -> str:
        if digits is None:
            raise _wrong("invalid escape \\ sequence")
        self._at = digits.end()
        code = int(digits[0], base)
        if code > 0x7FFFFFFE:
            raise _wrong("invalid escape \\ sequence")
        # Beyond Unicode there is nothing to match. No text has a surrogate.
        return chr(code) if code <= 0x10FFFF else "\ud800"

    def _bracket(self) -> Regex:
        for word, kind in (("[:<:]]", "word start"), ("[:>:]]", "word end")):
            if self._text.startswith(word, self._at):
                self._at += len(word)
                return Anchor("word start" if kind == "word start" else "word end")
        negated = self._text.startswith("^", self._at)
        self._at += negated
        inside, first = "", True
        classes: list[str] = []
        while True:
            if self._at >= len(self._text):
                raise _wrong("brackets [] not balanced")
            if self._text[self._at] == "]" and not first:
                self._at += 1
                break
            first = False
            low = self._member()
            dashed = self._text.startswith("-", self._at) and not self._text.startswith("-]", self._at)
            if isinstance(low, Set):
                if dashed:
                    raise _wrong("invalid character range")
                inside += low.inside
                classes += low.classes
                continue
            if dashed:
                self._at += 1
                high = self._member()
                if isinstance(high, Set) or high < low:
                    raise _wrong("invalid character range")
                inside += self._range(low, high)
            else:
                inside += self._character(low).inside
        if negated and not self.options.dot_newline:
            inside += "\\n"
        return Set(inside, tuple(classes), negated)

    def _range(self, low: str, high: str) -> str:
        inside = f"{escaped(low)}-{escaped(high)}"
        if not self.options.fold:
            return inside
        others = {case for code in range(ord(low), ord(high) + 1) for case in both_cases(chr(code))}
        return inside + "".join(escaped(case) for case in sorted(others) if not low <= case <= high)

    def _member(self) -> str | Set:
        """A character, or a class of them."""
        for opening, kind in (("[:", ":]"), ("[=", "=]"), ("[.", ".]")):
            if self._text.startswith(opening, self._at):
                end = self._text.find(kind, self._at + 2)
                if end < 0:
                    raise _wrong("brackets [] not balanced")
                name = self._text[self._at + 2 : end]
                self._at = end + 2
                if kind == ":]":
                    return self._class(name)
                return self._character(_element(name)) if kind == "=]" else _element(name)
        if self._at >= len(self._text):
            raise _wrong("brackets [] not balanced")
        character = self._text[self._at]
        self._at += 1
        if character != "\\":
            return character
        ahead = self._text[self._at : self._at + 1]
        if ahead and ahead in "dsw":
            self._at += 1
            return self._class(_CLASS_ESCAPES[ahead])
        if ahead and ahead in "DSW":
            self._at += 1
            return Set("", (f"^{_CLASS_ESCAPES[ahead.lower()]}",))
        # Back references and conditions on the place are no characters.
        back = _DIGITS.match(self._text, self._at)
        if ahead in _ANCHOR_ESCAPES or (back and len(back[0]) == 1 and back[0] != "0"):
            raise _wrong("invalid escape \\ sequence")
        return self._escaped_character()

    def _class(self, name: str) -> Set:
        if name not in CLASSES:
            raise _wrong("invalid character class")
        if self.options.fold and name in ("lower", "upper"):
            name = "alpha"
        return Set("", (name,))


def _element(name: str) -> str:
    if len(name) == 1:
        return name
    if name not in _NAMED:
        raise _wrong("invalid collating element")
    return _NAMED[name]


def _sequence(parts: list[Regex]) -> Regex:
    if not parts:
        return Empty()
    return parts[0] if len(parts) == 1 else Sequence(tuple(parts))
