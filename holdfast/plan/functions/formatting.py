"""to_char and to_timestamp."""

from __future__ import annotations

from holdfast.plan.functions.function import Family

FAMILY = Family("to_char and to_timestamp")
