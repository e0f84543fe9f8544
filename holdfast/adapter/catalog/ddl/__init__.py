"""Statements that change the catalog: what each comes to, given the catalog as it is."""

from holdfast.adapter.catalog.ddl.decide import decide, session_ended
from holdfast.adapter.catalog.ddl.drop import ITEM_KINDS
from holdfast.adapter.catalog.decision import Decision

__all__ = ["ITEM_KINDS", "Decision", "decide", "session_ended"]
