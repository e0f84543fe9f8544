"""Holdfast: a streaming SQL database with exact, consistent answers over changing data.

`holdfast.open` opens a database in this process; `holdfast.embedded` has the rest. `holdfast serve` starts a server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.embedded import Database, Result, open, open_async

__all__ = ["Database", "Result", "open", "open_async"]


def __getattr__(name: str) -> Any:  # what these are, is said above
    # Every module of ours imports this package, also in Spark's executors. Only who opens a database needs all of it.
    if name in __all__:
        from holdfast import embedded

        return getattr(embedded, name)
    raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
