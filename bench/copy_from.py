"""COPY FROM of a million rows of about 100 bytes, against PostgreSQL's."""

from __future__ import annotations

import tempfile
from pathlib import Path

import psycopg

from bench.measure import bar, interleaved, report
from bench.serving import Serving, holdfast_serving, postgres_serving

ROWS = 1_000_000
REPEATS = 5
_CHUNK = 1 << 20


def lines() -> bytes:
    padding = "x" * 60
    return "".join(f"{i}\tcustomer {i}\t{i * 0.5}\t2024-01-01 00:00:00\t{padding}\n" for i in range(ROWS)).encode()


def main() -> None:
    data = memoryview(lines())
    with (
        tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as folder,
        holdfast_serving(Path(folder) / "data") as ours,
        postgres_serving() as theirs,
    ):

        def copy(serving: Serving) -> None:
            with psycopg.connect(serving.conninfo, autocommit=True) as connection:
                connection.execute("DROP TABLE IF EXISTS t")
                connection.execute("CREATE TABLE t (id int, name text, amount float8, at timestamp, note text)")
                with connection.cursor() as cursor, cursor.copy("COPY t FROM STDIN") as into:
                    for start in range(0, len(data), _CHUNK):
                        into.write(data[start : start + _CHUNK])

        work = {"ours": lambda: copy(ours), "PostgreSQL": lambda: copy(theirs)}
        medians = report(interleaved(work, REPEATS))
    print(f"{len(data) / ROWS:.0f} bytes a row")
    bar("rate of COPY FROM / PostgreSQL's", medians["PostgreSQL"] / medians["ours"], 0.5, at_least=True)


if __name__ == "__main__":
    main()
