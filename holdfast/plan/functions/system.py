"""The session and the system."""

from __future__ import annotations

from holdfast.plan.functions.function import Family

FAMILY = Family("The session and the system")
