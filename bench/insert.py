"""Durable INSERTs of one row: how long one takes, against persist's own append, and how many 64 connections do."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

import psycopg

from bench.append import ROW_TYPE, Floor, batch
from bench.measure import bar, report
from bench.serving import holdfast_serving, pgbench
from holdfast.persist import Location, Persist
from holdfast.repr.frontier import at

INSERTS = 400
WARMUPS = 50
ROUNDS = 5
SECONDS = 4


async def floor_of(folder: Path, connection: psycopg.Connection[tuple[object, ...]]) -> dict[str, list[float]]:
    """The floor of an append, and an INSERT, in turns."""
    async with await Persist.open_writer(Location.in_folder(folder / "store")) as persist:
        writer = await persist.create_or_load("rows", ROW_TYPE, key=["id"])
        await writer.compare_and_append(batch(0), at(0), at(1))
        floor = Floor(folder, b"x" * writer.state.batches[0].size)
    seconds: dict[str, list[float]] = {"floor: one synced file, one commit": [], "INSERT of one row": []}
    for number in range(1, WARMUPS + INSERTS):
        begin = time.perf_counter()
        floor.append(number)
        middle = time.perf_counter()
        connection.execute("INSERT INTO t VALUES (%s, 'row')", (number,))
        end = time.perf_counter()
        if number >= WARMUPS:
            seconds["floor: one synced file, one commit"].append(middle - begin)
            seconds["INSERT of one row"].append(end - middle)
    return seconds


def main() -> None:
    with (
        tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as folder,
        holdfast_serving(Path(folder) / "data") as ours,
    ):
        with psycopg.connect(ours.conninfo, autocommit=True) as connection:
            connection.execute("SET statement_timeout = 0")
            connection.execute("SELECT count(*) FROM generate_series(1, 10000000)")  # once it is answered, Spark is up
            connection.execute("CREATE TABLE t (a int, b text)")
            medians = report(asyncio.run(floor_of(Path(folder), connection)), "ms")
        ratio = medians["INSERT of one row"] / medians["floor: one synced file, one commit"]
        bar("INSERT / floor of an append", ratio, 4, at_least=False)
        script = Path(folder) / "insert.sql"
        script.write_text("\\set k random(1, 1000000)\nINSERT INTO t VALUES (:k, 'row');\n")
        rates: dict[int, list[float]] = {1: [], 64: []}
        for _ in range(ROUNDS):
            for clients in rates:
                flags = ("-M", "prepared", "-c", str(clients), "-j", "1", "-T", str(SECONDS))
                rates[clients].append(pgbench(ours, script, *flags))
        for clients, found in rates.items():
            print(f"{clients:>2} connections{'':<30} median {statistics.median(found):8.0f} inserts/s")
        bar("rate of 64 / of one", statistics.median(rates[64]) / statistics.median(rates[1]), 10, at_least=True)


if __name__ == "__main__":
    main()
