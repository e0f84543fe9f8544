"""LIKE, SIMILAR TO and regular expressions."""

from __future__ import annotations

from holdfast.plan.functions.function import Family

FAMILY = Family("LIKE, SIMILAR TO and regular expressions")
