from __future__ import annotations

from tests.adapter.session.conftest import database, session

__all__ = ["database", "session"]
