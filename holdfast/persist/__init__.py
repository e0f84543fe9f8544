"""Persist: named collections, made and kept definite by durable storage.

For every time in advance of a collection's `since` and not of its `upper`, all
reads give the same multiset of rows, across crashes, compaction, concurrent
writers and versions of this program. Metadata is rows in a SQL database, data
is Parquet in a blob store, and a commit is one SQL transaction.
"""

from holdfast.persist.instance import Persist
from holdfast.persist.location import Location
from holdfast.persist.read import Changes, ReadHandle
from holdfast.persist.settings import PersistSettings
from holdfast.persist.shard import UpperMismatch
from holdfast.persist.write import Append, MultiWriteHandle, Staged, WriteHandle

__all__ = [
    "Append",
    "Changes",
    "Location",
    "MultiWriteHandle",
    "Persist",
    "PersistSettings",
    "ReadHandle",
    "Staged",
    "UpperMismatch",
    "WriteHandle",
]
