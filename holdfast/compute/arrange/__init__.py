"""Arrangements: the updates of a collection in memory, found by the values of some of their columns."""

from holdfast.compute.arrange.arranged import Arranged
from holdfast.compute.arrange.narrow import Narrow

__all__ = ["Arranged", "Narrow"]
