"""Plans as Spark SQL."""

from holdfast.compute.render.query import Binding, Loop, SparkQuery, render
from holdfast.compute.render.relations import input_name

__all__ = ["Binding", "Loop", "SparkQuery", "input_name", "render"]
