"""Functions that return rows."""

from __future__ import annotations

from holdfast.plan.functions.function import Family

FAMILY = Family("Functions that return rows")
