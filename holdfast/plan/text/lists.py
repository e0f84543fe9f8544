"""Text of lists, `{1,{2,3}}`, and of maps, `{a=>1,b=>2}`. Lists and maps inside stand without quotes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from holdfast.errors import UsageError
from holdfast.plan.errors import DataError, InvalidTextRepresentation
from holdfast.plan.text.contract import Read, TextCodec, Write
from holdfast.plan.types import List, Map, Type

_SPACE = " \t\n\r\v\f"
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_UNQUOTED = re.compile(r'(?:[^{},"\\=]|\\.|=(?!>))+', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_NEEDS_QUOTES = re.compile(r'[\s{},"\\]|=>', re.ASCII)


class _Reader:
    """Reads one literal. A position moves over the text."""

    def __init__(self, text: str, kind: str) -> None:
        self.text, self.kind, self.position = text, kind, 0

    def malformed(self, detail: str) -> DataError:
        error = InvalidTextRepresentation(f'invalid input syntax for type {self.kind}: "{self.text}"')
        error.detail = detail
        return error

    def whole(self, type_: Type, find: Callable[[Type], TextCodec]) -> tuple[object, ...]:
        value = self._container(type_, find)
        if self._peek():
            raise self.malformed("Junk after closing right brace.")
        return value

    def _container(self, type_: Type, find: Callable[[Type], TextCodec]) -> tuple[object, ...]:
        self._expect("{")
        found: list[object] = []
        if self._peek() == "}":
            self.position += 1
            return ()
        while True:
            found.append(self._entry(type_, find))
            if self._peek() == "}":
                self.position += 1
                break
            self._expect(",")
        if isinstance(type_, Map):
            return tuple(sorted(dict(found).items()))  # type: ignore[arg-type]  # pairs, as _entry makes them
        return tuple(found)

    def _entry(self, type_: Type, find: Callable[[Type], TextCodec]) -> object:
        if isinstance(type_, List):
            return self._value(type_.element, find)
        if not isinstance(type_, Map):
            raise UsageError(f"{type_} is neither list nor map")
        key, quoted = self._word()
        if not quoted and key.lower() == "null":
            raise self.malformed("Keys cannot be null.")
        self._expect("=>")
        return key, self._value(type_.value, find)

    def _value(self, type_: Type, find: Callable[[Type], TextCodec]) -> object:
        if isinstance(type_, List | Map) and self._peek() == "{":
            return self._container(type_, find)
        text, quoted = self._word()
        return None if not quoted and text.lower() == "null" else find(type_).read(text)

    def _word(self) -> tuple[str, bool]:
        """A text between commas and braces, and whether it had quotes."""
        pattern = _QUOTED if self._peek() == '"' else _UNQUOTED
        found = pattern.match(self.text, self.position)
        if not found or not found.group().strip(_SPACE):
            raise self.malformed("An element is missing." if self.position < len(self.text) else "It has no end.")
        self.position = found.end()
        if pattern is _QUOTED:
            return _ESCAPE.sub(r"\1", found.group(1)), True
        word = found.group().rstrip(_SPACE)
        if word.endswith("\\"):
            word += found.group()[len(word) : len(word) + 1]
        return _ESCAPE.sub(r"\1", word), "\\" in word

    def _peek(self) -> str:
        while self.position < len(self.text) and self.text[self.position] in _SPACE:
            self.position += 1
        return self.text[self.position : self.position + 1]

    def _expect(self, symbol: str) -> None:
        self._peek()
        if not self.text.startswith(symbol, self.position):
            found = self.text[self.position : self.position + 1]
            raise self.malformed(f'Expected "{symbol}", but found ' + (f'"{found}".' if found else "the end."))
        self.position += len(symbol)


def _quoted(text: str) -> str:
    if not text or _NEEDS_QUOTES.search(text) or text.lower() == "null":
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return text


def _writer(type_: Type, find: Callable[[Type], TextCodec]) -> Write:
    """How a value stands inside of a list or map."""
    write = find(type_).write
    inside = write if isinstance(type_, List | Map) else (lambda value: _quoted(write(value)))
    return lambda value: "NULL" if value is None else inside(value)


def _reader(type_: Type, find: Callable[[Type], TextCodec], kind: str) -> Read:
    return lambda text: _Reader(text, kind).whole(type_, find)


def _list(type_: Type, find: Callable[[Type], TextCodec]) -> TextCodec:
    if not isinstance(type_, List):
        raise UsageError(f"{type_} is no list")
    element = _writer(type_.element, find)
    return TextCodec(_reader(type_, find, "list"), lambda value: "{" + ",".join(map(element, value)) + "}")


def _map(type_: Type, find: Callable[[Type], TextCodec]) -> TextCodec:
    if not isinstance(type_, Map):
        raise UsageError(f"{type_} is no map")
    member = _writer(type_.value, find)
    return TextCodec(
        _reader(type_, find, "map"),
        lambda pairs: "{" + ",".join(f"{_quoted(key)}=>{member(value)}" for key, value in pairs) + "}",
    )


CODECS: Mapping[str, Callable[[Type, Callable[[Type], TextCodec]], TextCodec]] = {"list": _list, "map": _map}
