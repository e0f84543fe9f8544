"""The relations of the system as a page of the reference."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.adapter.catalog.builtin.registry import BUILTINS, columns_of
from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView, is_empty

_HEAD = """# Relations of the system

Every database shows them. They are read like any other relation, also together with tables. This page is made by
`make reference`.

`pg_catalog` and `information_schema` have PostgreSQL's columns (of version 18), so that its tools find what they look
for: psql, pgjdbc, psycopg, asyncpg, SQLAlchemy, Django, Rails, Npgsql, DBeaver, Metabase, Grafana and dbt are tested.
`mz_catalog`, `mz_internal` and `mz_introspection` have Materialize's; those of `mz_internal` that are called
`mz_dataflow_...` are our own, and say [what views do](../maintained-views.md#seeing-what-a-view-does). `pg_catalog` is
about the session's database, `mz_catalog` about all. What is in `mz_catalog` needs no schema before its name, and is
not listed by tools that list what needs none.
The texts of statements are shown to superusers, and to the role that runs them."""

_SCHEMAS = ("mz_catalog", "mz_internal", "mz_introspection", "pg_catalog", "information_schema")


def markdown() -> str:
    parts = [_HEAD]
    for schema in _SCHEMAS:
        found = sorted((each for each in BUILTINS.values() if each.schema == schema), key=lambda each: each.name)
        with_rows = [each for each in found if isinstance(each, BuiltinView) or not is_empty(each)]
        parts += [f"\n## {schema}\n\n| relation | columns |\n| --- | --- |", *map(_row, with_rows)]
        absent = [f"`{each.name}`" for each in found if each not in with_rows]
        if absent:
            parts.append(f"\nAlways empty, since we do not have what they are about: {', '.join(absent)}.")
    return "\n".join(parts) + "\n"


def _row(relation: Builtin | BuiltinView) -> str:
    return f"| `{relation.name}` | {', '.join(_columns(relation))} |"


def _columns(relation: Builtin | BuiltinView) -> Iterator[str]:
    for column in columns_of(relation):
        yield f"{column.name} {column.type}".replace("|", r"\|")
