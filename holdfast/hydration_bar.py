"""A bar at a terminal, while a materialized view that was just made gets its first rows."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TextIO

import psycopg

Row = tuple[Any, ...]  # texts and nulls

_WIDTH = 32
_PAUSE = 0.1

_STATUS = """\
SELECT s.hydrated, s.rows_done, s.rows_total, d.error
FROM mz_internal.mz_hydration_statuses s
JOIN mz_internal.mz_dataflow_statuses d ON d.object_id = s.object_id
JOIN mz_catalog.mz_materialized_views v ON v.id = s.object_id
WHERE v.oid = CAST(CAST(%s AS regclass) AS oid)"""


def follow(
    connection: psycopg.Connection[Row], name: str, out: TextIO, pause: Callable[[float], None] = time.sleep
) -> None:
    """Show how far the view of this name is until it has rows, is gone, or there is trouble; or until Ctrl-C.

    The view itself goes on whatever happens here.
    """
    shown = False
    try:
        while (said := _said(connection, name)) is not None:
            out.write(f"\r{said}\x1b[K")
            out.flush()
            shown = True
            pause(_PAUSE)
    except KeyboardInterrupt:
        out.write("\n")
        out.write(f"{name} goes on in the background.\n")
        return
    if shown:
        out.write("\r\x1b[K")


def _said(connection: psycopg.Connection[Row], name: str) -> str | None:
    """The line to show; None if there is nothing to wait for."""
    try:
        found = connection.execute(_STATUS, (name,)).fetchone()
    except psycopg.Error:
        # Someone has dropped it, or the server is gone: the next statement will tell.
        return None
    if found is None or found[0] in (True, "t"):
        return None
    _, done, total, error = found
    if error is not None:
        return f"{name}: {error}"
    return f"{name} {bar(None if done is None else int(done), None if total is None else int(total))}"


def bar(done: int | None, total: int | None) -> str:
    """`[######..........]  37 %  of 120,000 rows`. Without marks in it, if nothing is known."""
    share = 0.0 if not done or not total else min(done / total, 1.0)
    full = int(share * _WIDTH)
    known = "  ? %" if done is None else f"{int(100 * share):3d} %"
    rows = "" if total is None else f"  of {total:,} rows"
    return f"[{'#' * full}{'.' * (_WIDTH - full)}] {known}{rows}"
