"""VERIFY: what is maintained, compared with the same computed from scratch.

Of a materialized view, the contents that are kept are compared with the answer to its query, at one time. Of an index,
what is found by each of the keys is compared with the rows of its relation that have the key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence

from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.privileges import require_select
from holdfast.adapter.results import Piece, Row, Rows
from holdfast.adapter.session.lookup import can_look_up
from holdfast.adapter.session.queries import Reading, compiled_query, pieces, reading, time_wanted
from holdfast.adapter.session.state import SessionState
from holdfast.plan.text.codec import write_of
from holdfast.plan.types import INT8, TEXT, record_of
from holdfast.sql import OutputColumn
from holdfast.sql.errors import NotSupported
from holdfast.sql.parser import parse_query
from holdfast.sql.render.query import SQL
from holdfast.sql.render.quote import dotted
from holdfast.sql.syntax.statement.inspect import Verify
from holdfast.sql.syntax.statement.kind import Kind

COLUMNS = (OutputColumn("problem", TEXT), OutputColumn("row", TEXT), OutputColumn("count", INT8))
"""A row that is `missing` from what is maintained, or one that is `extra`, and how many of it."""


async def verify(state: SessionState, syntax: Verify) -> Rows:
    """The rows that differ: none where all is right."""
    is_view = syntax.kind is Kind.MATERIALIZED_VIEW
    item = state.names.item(syntax.name, "materialized-view" if is_view else "index")
    relation = item if item.on is None else state.catalog.item(item.on)
    require_select(state.catalog, state.role, [relation.id])
    wanted = await time_wanted(state, syntax.as_of)
    path = state.catalog.path_of(relation)
    columns = () if is_view else _key_columns(item, relation)
    text = difference(relation, path) if is_view else f"SELECT * FROM {dotted(path)}"
    chosen = await reading(state, await compiled_query(state, text, parse_query(text)), wanted)
    found = pieces(state, chosen, ()) if is_view else _misplaced(state, relation, columns, chosen)
    return Rows(COLUMNS, found, "VERIFY")


# Materialized views


def difference(view: Item, path: tuple[str, ...]) -> str:
    """The query for the rows that one side has more often than the other. Each side is read once."""
    assert view.query is not None  # what a view is
    columns = ", ".join(f"c{number}" for number, _ in enumerate(view.columns, start=1))
    named = f" ({columns})" if columns else ""
    groups = f" GROUP BY {columns}" if columns else ""
    return (
        f"WITH kept{named} AS (SELECT * FROM {dotted(path)}), scratch{named} AS ({SQL.query(view.query)}), "
        "sides AS (SELECT *, 1 AS side FROM scratch UNION ALL SELECT *, -1 AS side FROM kept) "
        "SELECT CASE WHEN sum(side) > 0 THEN 'missing' ELSE 'extra' END AS problem, "
        f"CAST(ROW ({columns}) AS text) AS row, abs(sum(side)) AS count FROM sides{groups} HAVING sum(side) <> 0 "
        "ORDER BY 1 DESC, 2"
    )


# Indexes


async def _misplaced(
    state: SessionState, relation: Item, columns: tuple[int, ...], chosen: Reading
) -> AsyncIterator[Piece]:
    tables = state.shared.ledger.tables
    by_key: dict[tuple[object, ...], Counter[Row]] = {}
    with tables.hold([relation.id], chosen.as_of):
        async for piece in pieces(state, chosen, ()):
            for row in piece.rows():
                by_key.setdefault(tuple(row[column] for column in columns), Counter())[row] += 1
        differing: Counter[tuple[str, Row]] = Counter()
        for key, rows in by_key.items():
            found = None if None in key else await tables.lookup(relation.id, columns, key, chosen.as_of)
            if found is not None:
                held = Counter(found)
                differing.update({("missing", row): count for row, count in (rows - held).items()})
                differing.update({("extra", row): count for row, count in (held - rows).items()})
    yield Piece(tuple(column.type for column in COLUMNS), _shown(differing, relation))


def _key_columns(index: Item, relation: Item) -> tuple[int, ...]:
    columns = tuple(part.position for part in index.key if part.position is not None)
    kept = relation.kind != "view" and len(columns) == len(index.key)
    if not kept or not all(can_look_up(part.type) for part in index.key):
        raise NotSupported("VERIFY INDEX is only supported where rows of tables or materialized views are found by it")
    return columns


def _shown(differing: Counter[tuple[str, Row]], relation: Item) -> Sequence[Row]:
    names, types = zip(*((column.name, column.type) for column in relation.columns), strict=True)
    write = write_of(record_of(names, types))
    return [(problem, write(row), count) for (problem, row), count in differing.items()]
