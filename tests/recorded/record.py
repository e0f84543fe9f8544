"""`make record`: ask a real PostgreSQL for every expression of `cases.py`, and keep its answers.

What PostgreSQL does not have (functions and types of ours alone) is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import psycopg

from tests.postgres import running_postgres
from tests.recorded.cases import signatures
from tests.recorded.many_rows import groups

ANSWERS = Path(__file__).parent / "answers"
# Text compares by its bytes and has the case and the classes of characters that Unicode gives it.
_DATABASE = """CREATE DATABASE holdfast TEMPLATE template0 ENCODING 'UTF8'
    LOCALE_PROVIDER builtin BUILTIN_LOCALE 'PG_UNICODE_FAST' LOCALE 'C.UTF-8'"""
# Series between extremes never end; what takes longer than this is not recorded.
_OPTIONS = "-c timezone=UTC -c statement_timeout=500"
_CANCELED = "57014"
_MISSING = ("42883", "42704", "42725", "42846", "0A000", "42601")


Recorded = dict[str, str | None]


def record(connection: psycopg.Connection[tuple[object, ...]], expressions: Sequence[str]) -> list[Recorded]:
    """The answers, or none where PostgreSQL has no such thing at all."""
    found = [answer(connection, expression) for expression in expressions]
    found = [one for one in found if one.get("error") != _CANCELED]
    return [] if all(one.get("error") in _MISSING for one in found) else found


def answer(connection: psycopg.Connection[tuple[object, ...]], expression: str) -> Recorded:
    try:
        result = connection.execute(f"SELECT pg_typeof({expression})::text, {expression}").pgresult
    except psycopg.Error as error:
        return {"sql": expression, "error": error.sqlstate}
    assert result is not None
    type_, value = result.get_value(0, 0), result.get_value(0, 1)
    assert type_ is not None
    return {"sql": expression, "type": type_.decode(), "text": None if value is None else value.decode()}


def file_of(family: str) -> Path:
    return ANSWERS / f"{re.sub('[^a-z]+', '_', family.lower()).strip('_')}.jsonl"


def main() -> None:
    ANSWERS.mkdir(exist_ok=True)
    answers: dict[Path, list[str]] = {}
    with running_postgres() as server:
        with psycopg.connect(server.url, autocommit=True) as first:
            first.execute(_DATABASE)
        connection = psycopg.connect(server.url, autocommit=True, dbname="holdfast", options=_OPTIONS)
        asked = [(signature.family, signature.expressions()) for signature in signatures()]
        asked += [(group.family, list(group.expressions)) for group in groups()]
        for family, expressions in asked:
            lines = answers.setdefault(file_of(family), [])
            lines += [json.dumps(one, ensure_ascii=False) for one in record(connection, expressions)]
    for stale in ANSWERS.glob("*.jsonl"):
        stale.unlink()
    for path, lines in answers.items():
        if lines:
            path.write_text("".join(f"{line}\n" for line in dict.fromkeys(lines)))


if __name__ == "__main__":
    main()
