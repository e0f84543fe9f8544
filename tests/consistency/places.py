"""Where a server's metadata is: a file beside its data, or a database of PostgreSQL's."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import psycopg

from tests.postgres import PostgresServer

_NUMBERS = count(1)


def in_a_file() -> Sequence[str]:
    """The flags that say so."""
    return ()


def in_postgres(postgres: PostgresServer) -> Sequence[str]:
    """The flags of a server whose store is new."""
    name = f"consistency_{next(_NUMBERS)}"
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return "--metadata", postgres.url.replace("/postgres?", f"/{name}?")
