"""INSERT of literals, read without PostgreSQL's grammar.

`INSERT INTO name (names) VALUES (literals), ...` is a regular language, and programs that load rows write little else.
One pattern takes the rows apart; what stands before them, the same in one text after the other, is for the grammar to
read, once. So is whatever is out of the ordinary, an error above all: here it is just not such a text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Groups that may fail after some characters are repeated in atomic groups: before Python 3.11.5 a possessive repeat
# goes on from where the last try of its group has failed.
_SPACE = r"[ \t\n\r\f\v]*+"
_NAME = r'(?:[a-z_][a-z0-9_$]*+|"[^"]++")'
_NAMES = rf"\({_SPACE}{_NAME}{_SPACE}(?>(?:,{_SPACE}{_NAME}{_SPACE})*)\)"
_EXPONENT = r"(?>(?:e[+-]?[0-9]++)?)"
_TYPE = "::(?:date|timestamptz|timestamp|time|interval|bytea|uuid|jsonb?|text)(?![a-z0-9_$])"
"""As drivers write what has no literal of its own."""
_LITERAL = (
    rf"'[^']*+(?:''[^']*+)*+'(?>(?:{_TYPE})?)|-?[0-9]++\.?[0-9]*+{_EXPONENT}|-?\.[0-9]++{_EXPONENT}|true|false|null"
)
_FLAGS = re.ASCII | re.IGNORECASE  # without ASCII, the long s and the sign of Kelvin would be letters of words

_HEAD = re.compile(
    rf"({_SPACE}insert[ \t\n\r\f\v]++into(?![a-z0-9_$]){_SPACE}{_NAME}(?>(?:\.{_NAME})*)"
    rf"{_SPACE}(?>(?:{_NAMES}{_SPACE})?)values{_SPACE})\({_SPACE}(?=['\-.0-9tfn])",
    _FLAGS,
)
"""What stands before the rows, if the first of them begins as literals do."""

_CLOSED = ")"
_CELL = re.compile(
    rf"({_LITERAL}){_SPACE}(?:,{_SPACE}|(\)){_SPACE}(?:,{_SPACE}\({_SPACE}|;?{_SPACE}\Z))|(?s:.++)",
    _FLAGS,
)
"""A literal, and what leads from it to the next one: inside of a row, or out of one, which is told.

Or all that is left, where there is no literal: so that none is looked for any further, and each character is seen once.
"""

_LONGEST_HEAD = 4_000
"""Characters before the rows, which others remember."""


@dataclass(frozen=True, slots=True)
class Literals:
    """The text before the rows, and the literals of each column as they are written.

    `place` is that of the first, as the grammar has it: that of a cast is where its `::` stands.
    """

    head: str
    place: int
    columns: tuple[list[str], ...]


def literals(text: str) -> Literals | None:
    """The literals of such an INSERT; None if `text` is anything else."""
    head = _HEAD.match(text)
    if head is None or head.end() > _LONGEST_HEAD:
        return None
    # By turns what is between two cells, which is nothing, a literal, and whether its row ends there.
    parts = _CELL.split(text[head.end() :])
    written, ends = parts[1::3], parts[2::3]
    if None in written or _CLOSED not in ends:
        return None
    width = ends.index(_CLOSED) + 1
    if ends != [*[None] * (width - 1), _CLOSED] * (len(ends) // width):
        return None
    cast = 0 if written[0][-1] == "'" else max(written[0].rfind("::"), 0)
    return Literals(head[1], head.end() + cast, tuple([written[place::width] for place in range(width)]))
