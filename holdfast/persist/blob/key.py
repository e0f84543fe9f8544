"""Keys: names of blobs that mean the same to a file system, S3, Spark and a shell.

A key is segments joined by `/`. A segment is ASCII letters, digits, `.`, `_`,
`-` and `=`, and starts with a letter or digit: so it is never `..`, and never
hidden from Spark, which skips files whose names start with `.` or `_`.
"""

from __future__ import annotations

import re

from holdfast.errors import UsageError

_SEGMENT = r"[A-Za-z0-9][A-Za-z0-9._=-]{0,199}"  # a file name has 255 bytes, a leftover's suffix takes 37
_KEY = re.compile(rf"{_SEGMENT}(?:/{_SEGMENT})*", re.ASCII)
_PREFIX = re.compile(rf"(?:{_SEGMENT}/)*(?:{_SEGMENT})?", re.ASCII)
_LEFTOVER = re.compile(r"(?P<key>.+)\.tmp-[0-9a-f]{32}", re.ASCII)
_MARK = ".tmp-"
_LONGEST = 700  # S3 takes 1024 bytes, and the store has a prefix of its own


def is_key(text: str) -> bool:
    return len(text) <= _LONGEST and _MARK not in text and _KEY.fullmatch(text) is not None


def check_key(text: str) -> None:
    if not is_key(text):
        raise UsageError(f"{text!r} is not a blob key")


def prefix_folder(prefix: str) -> str:
    """The folder that all keys starting with `prefix` are in: a key, or empty for all keys."""
    if len(prefix) > _LONGEST or _PREFIX.fullmatch(prefix) is None:
        raise UsageError(f"{prefix!r} is not a prefix of blob keys")
    return prefix.rpartition("/")[0]


def leftover_name(key: str, unique: str) -> str:
    """What a put of `key` calls its unfinished file. `unique` is 32 hexadecimal digits."""
    return f"{key}{_MARK}{unique}"


def is_leftover(text: str) -> bool:
    matched = _LEFTOVER.fullmatch(text)
    return matched is not None and is_key(matched["key"])
