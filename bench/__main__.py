"""`make bench`: every benchmark, each in a process of its own, so that none warms or burdens the next."""

from __future__ import annotations

import subprocess
import sys

BENCHES = (
    "consolidate",
    "arrange",
    "append",
    "advance",
    "snapshot_memory",
    "stage",
    "scan",
    "plan",
    "tpch",
    "point",
    "insert",
    "literals",
    "copy_from",
    "tables_tpch",
    "start",
    "views",
    "views_tpch",
    "idle_views",
    "reads",
    "compilations",
    "busy_point",
)


def main() -> None:
    chosen = sys.argv[1:] or BENCHES
    for name in chosen:
        print(f"== {name}", flush=True)
        subprocess.run([sys.executable, "-m", f"bench.{name}"], check=True)
        print(flush=True)


if __name__ == "__main__":
    main()
