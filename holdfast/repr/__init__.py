"""What the layers say to each other: times, frontiers, ids, row types, update batches.

Nothing here does I/O, knows Spark, or reads SQL text. Every value is immutable.
"""

from holdfast.repr.antichain import Antichain, PartialTime
from holdfast.repr.consolidate import DiffOverflowError, advance_by, as_of, consolidate
from holdfast.repr.frontier import EMPTY, MAX_TIME, MIN_TIME, MINIMUM, Frontier, Timestamp, after, at, timestamp
from holdfast.repr.ids import GlobalId, IdKind, ShardId
from holdfast.repr.partitioned import (
    Offset,
    Partition,
    PartitionedOffset,
    PartitionRange,
    message_time,
    offset_of,
    topic_frontier,
)
from holdfast.repr.row import DIFF, TIME, RowType, RowTypeError
from holdfast.repr.update import UpdateBatch

__all__ = [
    "DIFF",
    "EMPTY",
    "MAX_TIME",
    "MINIMUM",
    "MIN_TIME",
    "TIME",
    "Antichain",
    "DiffOverflowError",
    "Frontier",
    "GlobalId",
    "IdKind",
    "Offset",
    "PartialTime",
    "Partition",
    "PartitionRange",
    "PartitionedOffset",
    "RowType",
    "RowTypeError",
    "ShardId",
    "Timestamp",
    "UpdateBatch",
    "advance_by",
    "after",
    "as_of",
    "at",
    "consolidate",
    "message_time",
    "offset_of",
    "timestamp",
    "topic_frontier",
]
