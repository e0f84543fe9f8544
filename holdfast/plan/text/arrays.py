"""Text of arrays: `{1,NULL,"a b"}`, with one pair of braces more for each dimension; and of vectors."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from holdfast.errors import UsageError
from holdfast.plan.errors import ArraySubscriptError, DataError, InvalidTextRepresentation
from holdfast.plan.text.contract import Read, TextCodec, Write
from holdfast.plan.types import VECTORS, Array, Type

_SPACE = " \t\n\r\v\f"
_BOUNDS = re.compile(r"\s*((?:\[\s*[+-]?\d+\s*(?::\s*[+-]?\d+\s*)?\])+)\s*=", re.ASCII)
_BOUND = re.compile(r"\[\s*([+-]?\d+)\s*(?::\s*([+-]?\d+)\s*)?\]", re.ASCII)
_PLAIN = re.compile(r'[^\s{},"\\]+', re.ASCII)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_NEEDS_QUOTES = re.compile(r'[\s{},"\\]', re.ASCII)

_UNEVEN = "Multidimensional arrays must have sub-arrays with matching dimensions."


def dimensions_of(text: str) -> int:
    """How many dimensions the array has that the text stands for, as far as its first element tells."""
    start = _BOUNDS.match(text)
    body = text[start.end() if start else 0 :].lstrip(_SPACE)
    count = 0
    while body.startswith("{"):
        count += 1
        body = body[1:].lstrip(_SPACE)
    return 0 if body.startswith("}") else count


def _malformed(text: str, detail: str) -> DataError:
    error = InvalidTextRepresentation(f'malformed array literal: "{text}"')
    error.detail = detail
    return error


def _read(text: str, dimensions: int, element: Read) -> tuple[object, ...]:
    reader = _Reader(text, element)
    bounds = _BOUNDS.match(text)
    if bounds:
        reader.position = bounds.end()
    value, depth, sizes = reader.array()
    if text[reader.position :].strip(_SPACE):
        raise _malformed(text, "Junk after closing right brace.")
    if bounds:
        _check_bounds(text, bounds.group(1), sizes)
    if not value:
        return ()
    if depth != dimensions:
        error = InvalidTextRepresentation(
            f'array literal has {depth} dimensions, but its type has {dimensions}: "{text}"'
        )
        error.detail = "The number of dimensions of an array is part of its type here, and the same in all rows."
        raise error
    return value


def _check_bounds(text: str, bounds: str, sizes: Sequence[int]) -> None:
    """Our arrays begin at 1, so bounds can say no more than the elements themselves."""
    found = [(int(low), int(high)) if high else (1, int(low)) for low, high in _BOUND.findall(bounds)]
    if any(low > high for low, high in found):
        raise ArraySubscriptError("upper bound cannot be less than lower bound")
    if [high - low + 1 for low, high in found] != list(sizes):
        raise _malformed(text, "Specified array dimensions do not match array contents.")
    if any(low != 1 for low, _ in found):
        raise InvalidTextRepresentation(f'arrays with lower bounds other than 1 are not supported: "{text}"')


class _Reader:
    def __init__(self, text: str, element: Read) -> None:
        self.text, self.element, self.position = text, element, 0

    def array(self) -> tuple[tuple[object, ...], int, list[int]]:
        """An array, how many dimensions it has, and the size of each."""
        self._skip_space()
        if self._next() != "{":
            raise _malformed(self.text, 'Array value must start with "{" or dimension information.')
        return self._braces()

    def _braces(self) -> tuple[tuple[object, ...], int, list[int]]:
        self.position += 1
        found: list[object] = []
        inner: list[int] | None = None
        depth = 0
        self._skip_space()
        if self._next() == "}":
            self.position += 1
            return (), 1, [0]
        while True:
            self._skip_space()
            below: list[int] = []
            if self._next() == "{":
                value, depth, below = self._braces()
                found.append(value)
            else:
                found.append(self._scalar())
            if inner is not None and below != inner:
                raise _malformed(self.text, _UNEVEN)
            inner = below
            self._skip_space()
            character = self._next()
            if character == "}":
                self.position += 1
                # An array of empty arrays is an empty array.
                empty = below and not any(found)
                return (() if empty else tuple(found)), depth + 1, [len(found), *inner]
            if character == "{":
                raise _malformed(self.text, 'Unexpected "{" character.')
            if character != ",":
                raise _malformed(self.text, "Incorrectly quoted array element.")
            self.position += 1

    def _scalar(self) -> object:
        character = self._next()
        if character == '"':
            quoted = _QUOTED.match(self.text, self.position)
            if not quoted:
                raise _malformed(self.text, "Unexpected end of input.")
            self.position = quoted.end()
            return self.element(_ESCAPE.sub(r"\1", quoted.group(1)))
        if character in ",}":
            raise _malformed(self.text, f'Unexpected "{character}" character.')
        return self._unquoted()

    def _unquoted(self) -> object:
        """Up to a comma or brace, without the space around it."""
        pieces: list[str] = []
        kept = 0
        escaped = False
        while True:
            character = self._next()
            if character in ",}{":
                break
            if character == '"':
                raise _malformed(self.text, "Incorrectly quoted array element.")
            if character == "\\":
                pieces.append(self.text[self.position + 1 : self.position + 2])
                self.position += 2
                escaped, kept = True, len(pieces)
            elif character in _SPACE:
                pieces.append(character)
                self.position += 1
            else:
                plain = _PLAIN.match(self.text, self.position)
                piece = plain.group() if plain else character
                pieces.append(piece)
                self.position += len(piece)
                kept = len(pieces)
        text = "".join(pieces[:kept])
        return None if text.lower() == "null" and not escaped else self.element(text)

    def _skip_space(self) -> None:
        while self.text[self.position : self.position + 1] in _SPACE and self.position < len(self.text):
            self.position += 1

    def _next(self) -> str:
        if self.position >= len(self.text):
            if not self.text.strip(_SPACE):
                return ""
            raise _malformed(self.text, "Unexpected end of input.")
        return self.text[self.position]


def quoted(text: str) -> str:
    """An element as it stands between braces."""
    if not text or _NEEDS_QUOTES.search(text) or text.lower() == "null":
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return text


def _write(value: Sequence[object], dimensions: int, element: Write) -> str:
    if dimensions > 1 and value:
        return "{" + ",".join(_write(inner, dimensions - 1, element) for inner in value) + "}"  # type: ignore[arg-type]  # an array holds arrays
    return "{" + ",".join("NULL" if item is None else quoted(element(item)) for item in value) + "}"


def _array(type_: Type, find: Callable[[Type], TextCodec]) -> TextCodec:
    if not isinstance(type_, Array):
        raise UsageError(f"{type_} is no array")
    element, dimensions = find(type_.element), type_.dimensions
    return TextCodec(
        lambda text: _read(text, dimensions, element.read), lambda value: _write(value, dimensions, element.write)
    )


def _vector(type_: Type, find: Callable[[Type], TextCodec]) -> TextCodec:
    element = find(VECTORS[type_])
    return TextCodec(
        lambda text: tuple(element.read(word) for word in text.split()), lambda value: " ".join(map(str, value))
    )


CODECS: Mapping[str, Callable[[Type, Callable[[Type], TextCodec]], TextCodec]] = {
    "array": _array,
    **{type_.base: _vector for type_ in VECTORS},
}
