"""Bytes that clients send as text: UTF-8, without zero bytes."""

from __future__ import annotations

from holdfast.plan.errors import CharacterNotInRepertoire


def text_of_utf8(data: bytes) -> str:
    zero = data.find(0)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        at = error.start if zero < 0 else min(error.start, zero)
        raise invalid_bytes(data[at : at + _length(data[at])], "UTF8") from None
    if zero >= 0:
        raise invalid_bytes(b"\0", "UTF8")
    return text


def invalid_bytes(data: bytes, character_set: str) -> CharacterNotInRepertoire:
    return CharacterNotInRepertoire(f'invalid byte sequence for encoding "{character_set}": {shown_bytes(data)}')


def shown_bytes(data: bytes) -> str:
    return " ".join(f"0x{byte:02x}" for byte in data)


def _length(lead: int) -> int:
    """How many bytes a character has that starts so."""
    return 2 if lead & 0xE0 == 0xC0 else 3 if lead & 0xF0 == 0xE0 else 4 if lead & 0xF8 == 0xF0 else 1
