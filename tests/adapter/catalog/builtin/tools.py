"""The queries that tools send, as they send them: one file for each tool, whose first line says where they come from.

A query begins with a line `-- name: ...`, perhaps followed by one with its parameters, `-- with: a | b`. The oids of
objects, which differ from server to server, stand in braces by the names of the objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.adapter.catalog.build import Talk
from tests.adapter.catalog.builtin.ask import Asking

FOLDER = Path(__file__).parent / "queries"
_NAME = re.compile(r"^-- name: (.*)$", re.MULTILINE)
_WITH = "-- with: "

SETUP = (
    "CREATE TABLE orders (id int NOT NULL, amount numeric(10,2) DEFAULT 0, note varchar(20), tags text[])",
    "CREATE VIEW big AS SELECT id, amount FROM orders WHERE amount > 100",
    "CREATE SCHEMA other",
    "CREATE TABLE other.t (a int)",
    "COMMENT ON TABLE orders IS 'all orders'",
    "COMMENT ON COLUMN orders.id IS 'key'",
    "GRANT SELECT ON orders TO PUBLIC",
    "CREATE ROLE reader",
    "CREATE TYPE pair AS (a int, b text)",
)
"""What the catalog has in it that tools are asked about. PostgreSQL runs it too."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One query of a tool."""

    tool: str
    name: str
    sql: str
    parameters: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.tool}: {self.name}"


def sent_by(tool: str) -> Iterator[Sent]:
    parts = _NAME.split((FOLDER / f"{tool}.sql").read_text())[1:]
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        sql, parameters = text.strip(), ()
        if sql.startswith(_WITH):
            line, _, sql = sql.partition("\n")
            parameters = tuple(line.removeprefix(_WITH).split(" | "))
        yield Sent(tool, name, sql, parameters)


TOOLS = tuple(sorted(path.stem for path in FOLDER.glob("*.sql")))
ALL = tuple(query for tool in TOOLS for query in sent_by(tool))
BY_NAME: Mapping[tuple[str, str], Sent] = {(query.tool, query.name): query for query in ALL}


class Shop:
    """The catalog of `SETUP`, and someone who asks what tools ask."""

    def __init__(self) -> None:
        self.talk = Talk(*SETUP)
        self.asking = Asking(self.talk)
        state = self.talk.state
        database, schema = state.database_named("materialize"), state.schema_named("materialize", "public")
        assert database is not None
        assert schema is not None
        self.oids = {
            "database": database.oid,
            "public": schema.oid,
            **{name: self.talk.item(name).oid for name in ("orders", "big", "pair")},
        }

    def filled(self, text: str) -> str:
        for name, oid in self.oids.items():
            text = text.replace(f"{{{name}}}", str(oid))
        return text

    def answer(self, query: Sent) -> list[tuple[object, ...]]:
        parameters = [self.filled(parameter) for parameter in query.parameters]
        return list(self.asking.answer(self.filled(query.sql), *parameters))
