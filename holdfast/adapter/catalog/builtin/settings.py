"""Settings: the session's own, and those that a PostgreSQL is built with, which tools ask for and nobody can set."""

from __future__ import annotations

from holdfast.adapter.catalog.builtin.introspection import SettingEntry
from holdfast.adapter.catalog.builtin.shown import Shown

_PRESETS = (
    SettingEntry("block_size", "8192", "Bytes of a page of PostgreSQL's."),
    SettingEntry("data_checksums", "on", "Whether what is stored has checksums."),
    SettingEntry("default_table_access_method", "heap", "How tables are stored."),
    SettingEntry("default_tablespace", "", "Where tables are stored."),
    SettingEntry("is_superuser", "off", "Whether the session's role may do everything."),
    SettingEntry("lc_collate", "C", "How text is ordered."),
    SettingEntry("lc_ctype", "C", "How letters are told from others."),
    SettingEntry("max_index_keys", "32", "Columns of an index."),
    SettingEntry("max_function_args", "100", "Arguments of a function."),
    SettingEntry("server_encoding", "UTF8", "The encoding of the database."),
    SettingEntry("wal_level", "replica", "What PostgreSQL's log has in it."),
)


def all_settings(shown: Shown) -> list[SettingEntry]:
    """By name. What the session has is never what the server was built with."""
    own = {found.name.lower(): found for found in shown.introspection.settings}
    found = {preset.name: preset for preset in _PRESETS}
    found["is_superuser"] = SettingEntry(
        "is_superuser", "on" if shown.introspection.role.superuser else "off", found["is_superuser"].description
    )
    return sorted({**found, **own}.values(), key=lambda entry: entry.name)
