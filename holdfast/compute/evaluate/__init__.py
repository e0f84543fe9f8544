"""Plans evaluated in this process, over rows in memory, exactly as they mean.

Constants and plain reads are answered so, without Spark (`can_evaluate`). For all else it is the reference that
rewrites and what Spark is told are compared with.
"""

from holdfast.compute.evaluate.choose import can_evaluate
from holdfast.compute.evaluate.query import evaluate
from holdfast.compute.evaluate.relations import rows

__all__ = ["can_evaluate", "evaluate", "rows"]
