"""What a codec of text is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

Read: TypeAlias = Callable[[str], Any]  # a value of the type that the codec is for
Write: TypeAlias = Callable[[Any], str]  # as above


@dataclass(frozen=True, slots=True)
class TextCodec:
    read: Read
    write: Write
