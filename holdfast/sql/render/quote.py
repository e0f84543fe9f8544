"""Names and strings as SQL writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PLAIN = re.compile(r"[a-z_][a-z0-9_$]*")

_WORDS = """
all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean both case
cast char character check coalesce collate collation column concurrently constraint create cross current_catalog
current_date current_role current_schema current_time current_timestamp current_user dec decimal default
deferrable desc distinct do else end except exists extract false fetch float for foreign freeze from full grant
greatest group grouping having ilike in initially inner inout int integer intersect interval into is isnull join
json json_array json_arrayagg json_exists json_object json_objectagg json_query json_scalar json_serialize
json_table json_value lateral leading least left like limit localtime localtimestamp merge_action national
natural nchar none normalize not notnull null nullif numeric offset on only or order out outer overlaps overlay
placing position precision primary real references returning right row select session_user setof similar
smallint some substring symmetric system_user table tablesample then time timestamp to trailing treat trim true
union unique user using values varchar variadic verbose when where window with xmlattributes xmlconcat
xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable
"""

KEYWORDS = frozenset(_WORDS.split())
"""PostgreSQL's keywords that cannot name everything without quotes: all but those it calls unreserved."""

OURS = frozenset({"ignore", "list", "map", "mutually", "of", "options", "respect"})
"""Words that our additions to queries begin with."""


def identifier(name: str) -> str:
    """A name, in quotes where it needs them."""
    if _PLAIN.fullmatch(name) and name not in KEYWORDS and name not in OURS:
        return name
    return quoted(name)


def quoted(name: str) -> str:
    """A name in quotes."""
    return '"' + name.replace('"', '""') + '"'


def dotted(parts: Iterable[str]) -> str:
    return ".".join(map(identifier, parts))


def names(listed: Iterable[str]) -> str:
    """Names with commas between them."""
    return ", ".join(map(identifier, listed))


def string(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
