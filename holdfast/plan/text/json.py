"""Text of jsonb: any JSON in, canonical text out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from holdfast.plan.errors import DataError, InvalidTextRepresentation, NumericValueOutOfRange, UntranslatableCharacter
from holdfast.plan.json_value import Json, check_depth, json_object, number_of_text, write
from holdfast.plan.text.contract import TextCodec
from holdfast.plan.types import Type


def read_json(text: str) -> Json:
    """The value of a JSON text. Raises `InvalidTextRepresentation`, with what was wrong as detail."""
    check_depth(text)
    try:
        value = _decoder.decode(text)
    except json.JSONDecodeError:
        raise _explained(text) from None
    except _NotJson:
        raise _explained(text) from None
    except ValueError:
        # Python's limit of digits for whole numbers is about ours.
        raise NumericValueOutOfRange("value overflows numeric format") from None
    # Only an escape makes one of these; most texts have none.
    if "\\u" in text:
        _check_characters(text, write(value))
    return value


def canonical(text: str) -> str:
    return write(read_json(text))


class _NotJson(Exception):
    pass


def _refuse(_constant: str) -> float:
    raise _NotJson


_decoder = json.JSONDecoder(
    parse_float=number_of_text, parse_constant=_refuse, object_pairs_hook=json_object
)  # whole numbers are read as int

_SURROGATE = re.compile("[\ud800-\udfff]")
_NULL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def _check_characters(text: str, written: str) -> None:
    if _SURROGATE.search(written):
        raise _explained(text)
    if _NULL.search(text):
        error = UntranslatableCharacter("unsupported Unicode escape sequence")
        error.detail = "\\u0000 cannot be converted to text."
        raise error


_TOKEN = re.compile(r'"|[{}\[\]:,.+]|-?(?:[\w.+]|(?<=[eE])-|[^\x00-\x7f])+|.', re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?\Z", re.ASCII)
_SPACE = " \t\n\r"


def _explained(text: str) -> DataError:
    """Why the text is no JSON, in PostgreSQL's words."""
    error = InvalidTextRepresentation("invalid input syntax for type json")
    try:
        position = _skip_value(text, 0)
        token, _ = _token(text, position)
        error.detail = f'Expected end of input, but found "{token}".'
    except _Wrong as wrong:
        error.detail = wrong.detail
    return error


class _Wrong(Exception):
    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


def _token(text: str, position: int) -> tuple[str, int]:
    """The next token, and where it ends."""
    while position < len(text) and text[position] in _SPACE:
        position += 1
    if position == len(text):
        raise _Wrong("The input string ended unexpectedly.")
    if text[position] == '"':
        end = _skip_string(text, position)
        return text[position:end], end
    found = _TOKEN.match(text, position)
    assert found is not None
    token = found.group()
    if token in "{}[]:," or token in ("true", "false", "null") or _NUMBER.match(token):
        return token, found.end()
    raise _Wrong(f'Token "{token}" is invalid.')


def _skip_string(text: str, start: int) -> int:
    position = start + 1
    high = False
    while position < len(text):
        character = text[position]
        if character == "\\":
            escape = text[position + 1 : position + 2]
            if escape == "u":
                digits = text[position + 2 : position + 6]
                if not re.fullmatch(r"[0-9a-fA-F]{4}", digits):
                    raise _Wrong('"\\u" must be followed by four hexadecimal digits.')
                code = int(digits, 16)
                if high != (0xDC00 <= code <= 0xDFFF):
                    raise _Wrong("Unicode low surrogate must follow a high surrogate.")
                high = 0xD800 <= code <= 0xDBFF
                position += 6
                continue
            if escape and escape not in '"\\/bfnrt':
                raise _Wrong(f'Escape sequence "\\{escape}" is invalid.')
            position += 1
        if high:
            raise _Wrong("Unicode low surrogate must follow a high surrogate.")
        if character == '"':
            return position + 1
        if character < " ":
            raise _Wrong(f"Character with value 0x{ord(character):02x} must be escaped.")
        position += 1
    raise _Wrong(f'Token "{text[start:]}" is invalid.')


def _skip_value(text: str, position: int) -> int:
    token, position = _token(text, position)
    if token == "{":
        return _skip_members(text, position)
    if token == "[":
        return _skip_elements(text, position)
    if token in "}]:,":
        raise _Wrong(f'Expected JSON value, but found "{token}".')
    return position


def _skip_members(text: str, position: int) -> int:
    token, end = _token(text, position)
    if token == "}":
        return end
    expected = 'string or "}"'
    while True:
        token, position = _token(text, position)
        if not token.startswith('"'):
            raise _Wrong(f'Expected {expected}, but found "{token}".')
        token, position = _token(text, position)
        if token != ":":
            raise _Wrong(f'Expected ":", but found "{token}".')
        position = _skip_value(text, position)
        token, position = _token(text, position)
        if token == "}":
            return position
        if token != ",":
            raise _Wrong(f'Expected "," or "}}", but found "{token}".')
        expected = "string"


def _skip_elements(text: str, position: int) -> int:
    token, end = _token(text, position)
    if token == "]":
        return end
    while True:
        position = _skip_value(text, position)
        token, position = _token(text, position)
        if token == "]":
            return position
        if token != ",":
            raise _Wrong(f'Expected "," or "]", but found "{token}".')


def _same(text: str) -> str:
    return text


def _codec(_type: Type, _find: Callable[[Type], TextCodec]) -> TextCodec:
    return TextCodec(canonical, _same)


CODECS: Mapping[str, Callable[[Type, Callable[[Type], TextCodec]], TextCodec]] = {"jsonb": _codec}
