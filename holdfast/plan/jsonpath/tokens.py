"""The words of a path."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from holdfast.plan.errors import DataError, SyntaxErrorInValue

Kind: TypeAlias = Literal["string", "variable", "number", "word", "symbol", "end"]


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str


_SKIPPED = re.compile(r"(?:\s|/\*.*?\*/)+", re.DOTALL)
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_NUMBER = re.compile(
    r"0[xX][0-9a-fA-F](?:_?[0-9a-fA-F])*|0[oO][0-7](?:_?[0-7])*|0[bB][01](?:_?[01])*"
    r"|(?:(?:0|[1-9](?:_?\d)*)(?:\.(?:\d(?:_?\d)*)?)?|\.\d(?:_?\d)*)(?:[eE][+-]?\d(?:_?\d)*)?",
    re.ASCII,
)
_WORD = re.compile(r'(?:[^\s?%$.\[\]{}()|&!=<>@#,*:\-+/\\"]|\\.)+', re.DOTALL)
_SYMBOL = re.compile(r"\*\*|==|!=|<>|<=|>=|&&|\|\||[?%$.\[\]{}()!=<>@#,*:\-+/]")
_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|((?:u[0-9a-fA-F]{4})(?:\\u[0-9a-fA-F]{4})?)|x([0-9a-fA-F]{2})|(.))", re.DOTALL
)
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def wrong(near: Token) -> DataError:
    place = "end" if near.kind == "end" else f'or near "{near.text}"'
    at = f"at {place} of jsonpath input"
    return SyntaxErrorInValue(f"syntax error {at}")


def tokens(text: str) -> list[Token]:
    found: list[Token] = []
    position = 0
    while position < len(text):
        skipped = _SKIPPED.match(text, position)
        if skipped:
            position = skipped.end()
            continue
        token, position = _token(text, position)
        found.append(token)
    found.append(Token("end", ""))
    return found


def _token(text: str, position: int) -> tuple[Token, int]:
    if text[position] == "$":
        name = _STRING.match(text, position + 1) or _WORD.match(text, position + 1)
        if name:
            return Token("variable", _unescaped(name.group(1) if name.re is _STRING else name.group())), name.end()
    string = _STRING.match(text, position)
    if string:
        return Token("string", _unescaped(string.group(1))), string.end()
    number = _NUMBER.match(text, position)
    if number and number.group():
        after = _WORD.match(text, number.end())
        if after:
            raise SyntaxErrorInValue(
                f'trailing junk after numeric literal at or near "{number.group()}{after.group()[0]}" of jsonpath input'
            )
        return Token("number", number.group().replace("_", "")), number.end()
    word = _WORD.match(text, position)
    if word:
        return Token("word", _unescaped(word.group())), word.end()
    symbol = _SYMBOL.match(text, position)
    if not symbol:
        raise wrong(Token("symbol", text[position:]))
    return Token("symbol", symbol.group()), symbol.end()


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(found: re.Match[str]) -> str:
    code, pair, short, letter = found.groups()
    if letter is not None:
        return _LETTERS.get(letter, letter)
    if pair is not None:
        decoded: str = json.loads(f'"\\{pair}"')
        return decoded
    return chr(int(code or short, 16))
