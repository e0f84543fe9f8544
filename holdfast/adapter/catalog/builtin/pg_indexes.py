"""`pg_catalog`: indexes, as PostgreSQL tells of them."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, Row, Shape
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.adapter.catalog.builtin.type_facts import collation_of
from holdfast.adapter.catalog.objects import Column, Item
from holdfast.sql.parser import parse_expression
from holdfast.sql.render.quote import dotted, identifier
from holdfast.sql.syntax.expression import Call
from holdfast.sql.syntax.expression import Column as Named

_INDEX = Shape(
    "indexrelid oid!, indrelid oid!, indnatts int2!, indnkeyatts int2!, indisunique bool!, "
    "indnullsnotdistinct bool!, indisprimary bool!, indisexclusion bool!, indimmediate bool!, "
    "indisclustered bool!, indisvalid bool!, indcheckxmin bool!, indisready bool!, indislive bool!, "
    "indisreplident bool!, indkey int2vector!, indcollation oidvector!, indclass oidvector!, "
    "indoption int2vector!, indexprs pg_node_tree, indpred pg_node_tree"
)


def index_columns(shown: Shown, item: Item) -> list[Column]:
    """The key of an index as columns: those of its relation by their names, others by what they are."""
    assert item.on is not None  # what an index is of
    of_relation = shown.state.item(item.on).columns
    found: list[Column] = []
    for part in item.key:
        name = "expr" if part.position is None else of_relation[part.position].name
        taken = {column.name for column in found}
        numbered = (f"{name}{number or ''}" for number in range(len(found) + 1))
        found.append(Column(next(each for each in numbered if each not in taken), part.type))
    return found


def key_texts(item: Item) -> Iterator[str]:
    """The expressions of the key. As PostgreSQL has it, all but columns and calls stand in parentheses."""
    for part in item.key:
        yield part.sql if isinstance(parse_expression(part.sql), Named | Call) else f"({part.sql})"


def index_statement(shown: Shown, item: Item) -> str:
    assert item.on is not None  # what an index is of
    on = shown.state.path_of(shown.state.item(item.on))[-2:]
    return f"CREATE INDEX {identifier(item.name)} ON {dotted(on)} USING arrangement ({', '.join(key_texts(item))})"


def _indexes(shown: Shown) -> Iterator[Row]:
    for item in shown.indexes_here:
        assert item.on is not None  # what an index is of
        expressions = [part.sql for part in item.key if part.position is None]
        yield _INDEX.row(
            indexrelid=item.oid,
            indrelid=shown.state.item(item.on).oid,
            indnatts=len(item.key),
            indnkeyatts=len(item.key),
            indimmediate=True,
            indisvalid=True,
            indisready=True,
            indislive=True,
            indkey=tuple(0 if part.position is None else part.position + 1 for part in item.key),
            indcollation=tuple(collation_of(part.type) for part in item.key),
            indclass=tuple(0 for _ in item.key),
            indoption=tuple(0 for _ in item.key),
            indexprs=", ".join(expressions) or None,
        )


RELATIONS: tuple[Builtin | BuiltinView, ...] = (
    Builtin(2610, "pg_catalog", "pg_index", _INDEX.columns, _indexes, keys=((0,),)),
)
