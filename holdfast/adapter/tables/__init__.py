"""Tables: their contents in memory, in persist and for Spark; holds on them; how much of their history is kept."""

from holdfast.adapter.tables.commit import InsertedRows, RowShape, TableChange, Write
from holdfast.adapter.tables.hold import Hold
from holdfast.adapter.tables.index import Part, key_of
from holdfast.adapter.tables.keys import can_look_up
from holdfast.adapter.tables.settings import TableSettings
from holdfast.adapter.tables.tables import Tables

__all__ = [
    "Hold",
    "InsertedRows",
    "Part",
    "RowShape",
    "TableChange",
    "TableSettings",
    "Tables",
    "Write",
    "can_look_up",
    "key_of",
]
