from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.adapter.catalog.durable import ROW_TYPE, CatalogRow, encode, is_durable, load, rows, updates, upgrades
from holdfast.adapter.catalog.errors import UnreadableCatalog
from holdfast.adapter.catalog.state import CatalogState
from holdfast.errors import UsageError
from tests.adapter.catalog.build import Talk

KEPT = sorted((Path(__file__).parent / "data").glob("catalog_*.json"))


def kept_rows(path: Path) -> list[CatalogRow]:
    found = json.loads(path.read_text())["rows"]
    return [
        (kind, key, json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")))
        for kind, key, value in found
    ]


def test_rows_are_three_texts() -> None:
    assert ROW_TYPE.schema.names == ["kind", "key", "value"]
    assert all(isinstance(part, str) for row in rows(CatalogState.initial()) for part in row)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: str(path.name))
def test_a_catalog_that_was_kept_is_read(path: Path) -> None:
    state = load(kept_rows(path))
    expected = json.loads(path.read_text())["columns"]
    found = {
        ".".join(state.path_of(item)): [[c.name, str(c.type), c.nullable, c.default] for c in item.columns]
        for item in state.items.values()
    }
    assert found == expected


def test_this_version_writes_the_newest_that_was_kept() -> None:
    held = kept_rows(KEPT[-1])
    state = load(held)
    assert sorted(rows(state)) == sorted(held)
    assert upgrades(held, state) == []


def test_rows_that_a_newer_version_writes_otherwise_are_replaced() -> None:
    held = rows(CatalogState.initial())
    older = [(kind, key, json.dumps(json.loads(value), indent=1)) for kind, key, value in held]
    found = upgrades(older, load(older))
    assert {row for row, diff in found if diff < 0} == set(older)
    assert {row for row, diff in found if diff > 0} == set(held)


def test_updates_are_the_rows_that_come_and_go() -> None:
    talk = Talk()
    before = talk.state
    decision = talk.run("CREATE TABLE t (a int)")
    found = dict.fromkeys(rows(before), 1)
    for row, diff in updates(decision.changes):
        found[row] = found.get(row, 0) + diff
    assert {row for row, count in found.items() if count} == set(rows(talk.state))
    assert set(found.values()) <= {0, 1}


def test_temporary_items_and_the_system_s_are_not_durable() -> None:
    talk = Talk("CREATE TEMPORARY TABLE t (a int)")
    item = talk.item("t")
    assert not is_durable(item)
    with pytest.raises(UsageError, match="not durable"):
        encode(item)
    assert load(rows(talk.state)) == talk.lasting()
    assert not any(key.startswith("s") for _, key, _ in rows(talk.state))


def test_an_item_may_be_younger_than_what_names_it() -> None:
    talk = Talk("CREATE TABLE t (a int); CREATE TYPE y AS (x int); ALTER TABLE t ADD COLUMN p y")
    talk.run("CREATE VIEW v AS SELECT (p).x FROM t")
    assert talk.item("y").id.number > talk.item("t").id.number
    assert load(reversed(rows(talk.state))) == talk.state


@pytest.mark.parametrize(
    "row",
    [
        ("nonsense", "u9", "{}"),
        ("schema", "u9", "{}"),
        ("schema", "u9", "not json"),
        ("schema", "u9", "[]"),
    ],
)
def test_rows_that_say_nothing_are_refused(row: CatalogRow) -> None:
    with pytest.raises(UnreadableCatalog, match="cannot be read"):
        load([*rows(CatalogState.initial()), row])


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "CREATE",
        "CREATE TYPE materialize.public.t AS (x integer)",
        "CREATE TABLE materialize.public.t (a x)",
    ],
)
def test_statements_that_make_no_such_item_are_refused(sql: str) -> None:
    talk = Talk("CREATE TABLE t (a int)")
    kind, key, value = encode(talk.item("t"))
    others = [row for row in rows(talk.state) if row[1] != key]
    with pytest.raises(UnreadableCatalog):
        load([*others, (kind, key, json.dumps({**json.loads(value), "sql": sql}))])
