"""Lines whose fields Arrow tells apart exactly as PostgreSQL does: the common case, many lines at once.

Arrow splits lines at any end of a line, passes over a mark of byte order, fills up empty lines, knows no backslashes,
and takes quotes only around whole fields. Bytes in which any of this would matter are not for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from holdfast.adapter.copy.fields import without_escapes
from holdfast.adapter.copy.layout import END_MARK, Ending, Layout
from holdfast.plan.errors import CharacterNotInRepertoire
from holdfast.plan.utf8 import text_of_utf8

Texts: TypeAlias = Any  # an array of Arrow's strings; pyarrow has no types
_Positions: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]

_BACKSLASH = ord("\\")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Plain:
    """Whole lines: a column of texts for each field. `lines` counts those in quotes as well; `length` is in bytes."""

    columns: Sequence[Texts]
    lines: int
    length: int


def plain_lines(data: bytes, layout: Layout, ending: Ending, width: int, counted: bytes) -> Plain | None:
    """The whole lines at the start of the data, each of `width` fields, or None if they are not plain.

    `counted` is what counts as the end of a line between quotes, in the first line.
    """
    if (
        not width
        or data.startswith(_BYTE_ORDER_MARK)
        or b"\0" in data
        or (layout.csv and layout.quote != layout.escape)
    ):
        return None
    return _csv(data, layout, ending, width, counted) if layout.csv else _text(data, layout, ending, width)


def _text(data: bytes, layout: Layout, ending: Ending, width: int) -> Plain | None:
    end = _last_unescaped(data, ending)
    block = _uniform(data[:end], ending)
    if not block or _has_empty_line(block, width):
        return None
    backslashes = block.count(b"\\")
    if backslashes and any(found in block for found in (END_MARK, b"\\\n", b"\\" + layout.delimiter)):
        return None
    columns = _parsed(block, layout, width, quoted=False, breaks=False)
    if columns is None:
        return None
    in_nulls = sum(column.null_count for column in columns) * layout.null.count(b"\\")
    if backslashes > in_nulls:
        try:
            columns = [_unescaped(column) for column in columns]
        except CharacterNotInRepertoire:
            return None
    return Plain(columns, len(columns[0]), end)


def _last_unescaped(data: bytes, ending: Ending) -> int:
    """Where the last line ends that does."""
    end = len(data)
    while (at := data.rfind(ending, 0, end)) >= 0:
        before = at
        while before and data[before - 1] == _BACKSLASH:
            before -= 1
        if (at - before) % 2 == 0:
            return at + len(ending)
        end = at
    return 0


def _uniform(block: bytes, ending: Ending) -> bytes | None:
    """The lines with newlines after each, or None if some end otherwise."""
    returns = block.count(b"\r")
    if ending == b"\n":
        return None if returns else block
    if ending == b"\r":
        return None if b"\n" in block else block.replace(b"\r", b"\n")
    lines = block.count(b"\r\n")
    return block.replace(b"\r\n", b"\n") if returns == lines == block.count(b"\n") else None


def _has_empty_line(block: bytes, width: int) -> bool:
    return width > 1 and (block.startswith(b"\n") or b"\n\n" in block)


def _csv(data: bytes, layout: Layout, ending: Ending, width: int, counted: bytes) -> Plain | None:
    if layout.quote not in data:
        return _unquoted(data, layout, ending, width)
    content = np.frombuffer(data, np.uint8)
    quotes = np.flatnonzero(content == layout.quote[0])
    breaks = np.flatnonzero(content == ending[-1])
    outside = breaks[np.searchsorted(quotes, breaks) % 2 == 0]
    if not len(outside):
        return None
    end = int(outside[-1]) + 1
    quotes = quotes[: np.searchsorted(quotes, end)]
    if not (_around_fields(content, quotes, end, layout, ending) and _ends_alike(content[:end], quotes, ending)):
        return None
    if width > 1 and (outside[0] < len(ending) or (np.diff(outside) == len(ending)).any()):
        return None
    first = int(outside[0])
    later = b"\n" if ending == b"\n" else b"\r"
    inside = _count_inside(content[:first], counted, quotes) + _count_inside(content[:end], later, quotes)
    inside -= _count_inside(content[:first], later, quotes)
    broken = len(breaks[: np.searchsorted(breaks, end)]) > len(outside) or inside > 0
    columns = _parsed(data[:end], layout, width, quoted=True, breaks=broken)
    return None if columns is None else Plain(columns, len(columns[0]) + inside, end)


def _count_inside(content: Any, wanted: bytes, quotes: _Positions) -> int:
    """How often a byte stands between quotes."""
    positions = np.flatnonzero(content == wanted[0])
    return len(positions) - len(_outside(positions, quotes))


def _unquoted(data: bytes, layout: Layout, ending: Ending, width: int) -> Plain | None:
    end = data.rfind(ending) + len(ending)
    block = _uniform(data[: end if end >= len(ending) else 0], ending)
    if not block or _has_empty_line(block, width):
        return None
    columns = _parsed(block, layout, width, quoted=False, breaks=False)
    return None if columns is None else Plain(columns, len(columns[0]), end)


def _around_fields(content: Any, quotes: _Positions, end: int, layout: Layout, ending: Ending) -> bool:
    """Whether quotes stand around whole fields, and twice where a field has one."""
    opening, closing = quotes[::2], quotes[1::2]
    bounds = np.zeros(256, bool)
    bounds[[layout.delimiter[0], layout.quote[0], *ending]] = True
    starts = (opening == 0) | bounds[content[opening - 1]]
    stops = (closing + 1 >= end) | bounds[content[np.minimum(closing + 1, end - 1)]]
    return bool(starts.all() and stops.all())


def _ends_alike(content: Any, quotes: _Positions, ending: Ending) -> bool:
    """Whether all lines end as the first does."""
    returns = _outside(np.flatnonzero(content == ord("\r")), quotes)
    newlines = _outside(np.flatnonzero(content == ord("\n")), quotes)
    match ending:
        case b"\n":
            return not len(returns)
        case b"\r":
            return not len(newlines)
        case b"\r\n":
            return len(returns) == len(newlines) and bool((returns + 1 == newlines).all())


def _outside(positions: _Positions, quotes: _Positions) -> _Positions:
    found: _Positions = positions[np.searchsorted(quotes, positions) % 2 == 0]
    return found


def _parsed(block: bytes, layout: Layout, width: int, *, quoted: bool, breaks: bool) -> list[Texts] | None:
    names = [str(index) for index in range(width)]
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(block),
            arrow_csv.ReadOptions(column_names=names, block_size=len(block) + 1),
            arrow_csv.ParseOptions(
                delimiter=layout.delimiter.decode(),
                quote_char=layout.quote.decode() if quoted else False,
                double_quote=quoted,
                escape_char=False,
                newlines_in_values=breaks,
                ignore_empty_lines=False,
            ),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                null_values=[layout.null.decode()],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None  # what is wrong, and whether anything is, others know better
    return [column.chunk(0) if column.num_chunks == 1 else column.combine_chunks() for column in table.columns]


def _unescaped(column: Texts) -> Texts:
    """A column in the text format, with what its backslashes stand for."""
    marked = pc.match_substring(column, "\\").fill_null(False)
    if not pc.any(marked).as_py():
        return column
    texts = column.filter(marked).to_pylist()
    meant = pa.array([text_of_utf8(without_escapes(text.encode())) for text in texts], pa.string())
    return pc.replace_with_mask(column, marked, meant)
