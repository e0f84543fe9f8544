"""The relations of the system: `pg_catalog`, `information_schema`, `mz_catalog`, `mz_internal`,
`mz_introspection`.

They are planned like any others. Their rows are made by Python from an `Introspection`, or by queries over each other.
"""

from holdfast.adapter.catalog.builtin.contents import Contents
from holdfast.adapter.catalog.builtin.introspection import (
    ActivityEntry,
    DataflowEntry,
    Introspection,
    SessionEntry,
    SettingEntry,
    SubscriptionEntry,
)
from holdfast.adapter.catalog.builtin.registry import BUILTINS, find
from holdfast.adapter.catalog.builtin.relation import Builtin, BuiltinView
from holdfast.adapter.catalog.builtin.show import show_query

__all__ = [
    "BUILTINS",
    "ActivityEntry",
    "Builtin",
    "BuiltinView",
    "Contents",
    "DataflowEntry",
    "Introspection",
    "SessionEntry",
    "SettingEntry",
    "SubscriptionEntry",
    "find",
    "show_query",
]
