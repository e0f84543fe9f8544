"""Patterns of SIMILAR TO as regular expressions."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.plan.errors import InvalidEscapeCharacter, InvalidEscapeSequence

_MEANINGS: Mapping[str, str] = {
    "%": ".*",
    "_": ".",
    "(": "(?:",
    "\\": "\\\\",
    ".": "\\.",
    "^": "\\^",
    "$": "\\$",
}
# What is before the first separator matches as little as it can, what is between the two is the group.
_SEPARATORS = ("){1,1}?(", "){1,1}(?:")


def regex_of_similar(pattern: str, escape: str = "\\") -> str:
    """An escape and a double quote separate the part of a text that `substring` returns."""
    if len(escape) > 1:
        error = InvalidEscapeSequence("invalid escape string")
        error.hint = "Escape string must be empty or one character."
        raise error
    found: list[str] = []
    separators, depth, escaped, opening = 0, 0, False, False
    for character in pattern:
        if escaped:
            escaped, opening = False, False
            if character == '"' and depth == 0:
                if separators == len(_SEPARATORS):
                    raise InvalidEscapeCharacter(
                        "SQL regular expression may not contain more than two escape-double-quote separators"
                    )
                found.append(_SEPARATORS[separators])
                separators += 1
            else:
                found.append(f"\\{character}")
        elif character == escape:
            escaped = True
        elif depth > 0:
            # A bracket that closes stands for itself at the start, also after a circumflex.
            depth += (character == "[") - (character == "]" and not opening)
            opening = opening and character == "^" and found[-1] == "["
            found.append("\\\\" if character == "\\" else character)
        else:
            depth, opening = int(character == "["), character == "["
            found.append(_MEANINGS.get(character, character))
    return f"^(?:{''.join(found)})$"
