"""Arrangements: the updates of a collection in memory, found by the values of some of their columns."""

from holdfast.compute.arrange.arranged import Arranged

__all__ = ["Arranged"]
