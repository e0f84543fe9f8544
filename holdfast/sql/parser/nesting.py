"""How deep a statement can nest, bounded from its tokens alone.

PostgreSQL's library follows its tree by recursion in C, where too deep a tree
ends the process. So the bound comes first. Every level of the tree has a token
of its own: an operator, a keyword or a bracket. Those add up, except where
what they belong to stands side by side: between commas, AND and OR, joins and
set operations, and the parts of CASE.
"""

from __future__ import annotations

from holdfast.sql.errors import StatementTooComplex
from holdfast.sql.parser.source import Source
from holdfast.sql.parser.tokens import CLOSING, OPENING, Kind

MAX_DEPTH = 1000
"""The greatest bound accepted. The library takes some 400 bytes of stack a level, and threads may have 512 KiB."""

_CASE, _END = Kind.CASE, Kind.END_P
_SIDE_BY_SIDE = frozenset({Kind.ASCII_44, Kind.AND, Kind.OR, Kind.WHEN, Kind.THEN, Kind.ELSE})
# Side by side in the text, but each one a level of the tree.
_CHAINED = frozenset({Kind.UNION, Kind.INTERSECT, Kind.EXCEPT, Kind.JOIN})
_LEAVES = frozenset(
    {Kind.IDENT, Kind.UIDENT, Kind.FCONST, Kind.SCONST, Kind.USCONST, Kind.BCONST, Kind.XCONST, Kind.ICONST, Kind.PARAM}
)


def check_nesting(source: Source, start: int, end: int) -> None:
    """Refuse a statement, tokens `start` to `end`, whose bound passes `MAX_DEPTH`."""
    if end - start <= MAX_DEPTH:
        return
    kinds = source.tokens.kinds
    # Of each open bracket, what was seen before it: levels of the deepest part, of this part, and chained ones.
    around: list[tuple[int, int, int]] = []
    deepest = current = chained = 0
    for index in range(start, end):
        kind = kinds[index]
        if kind in _LEAVES:
            continue
        if kind in _SIDE_BY_SIDE:
            current = 0
        elif kind in _CHAINED:
            chained, current = chained + 1, 0
        elif kind in OPENING or kind == _CASE:
            around.append((deepest, current, chained))
            deepest = current = chained = 0
        elif (kind in CLOSING or kind == _END) and around:
            inside = deepest + chained + 1
            deepest, current, chained = around.pop()
            current += inside
        else:
            current += 1
        deepest = max(deepest, current)
        if deepest + chained > MAX_DEPTH or len(around) > MAX_DEPTH:
            raise StatementTooComplex(MAX_DEPTH, source.position(source.tokens.starts[index]))
