"""Lists."""

from __future__ import annotations

from holdfast.plan.functions.function import Family

FAMILY = Family("Lists")
