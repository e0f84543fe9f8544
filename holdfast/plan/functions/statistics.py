"""Statistical and ordered-set aggregates."""

from __future__ import annotations

from holdfast.plan.functions.function import Family

FAMILY = Family("Statistical and ordered-set aggregates")
