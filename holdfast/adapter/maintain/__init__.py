"""Maintained views: tables whose writers are dataflows."""

from holdfast.adapter.maintain.maintainer import Maintainer

__all__ = ["Maintainer"]
