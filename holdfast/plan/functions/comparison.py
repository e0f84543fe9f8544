"""Comparison of values of every type, and boolean logic that is a call."""

from __future__ import annotations

from holdfast.plan.functions.function import Family

FAMILY = Family("Comparison of values of every type, and boolean logic that is a call")
