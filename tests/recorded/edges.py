"""Values of every type that functions are tried on: the usual, the extremes, and null."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

EDGES: Mapping[str, tuple[str, ...]] = {
    "bool": ("true", "false"),
    "int2": ("0", "1", "-1", "7", "32767", "-32768"),
    "int4": ("0", "1", "-1", "3", "42", "2147483647", "-2147483648"),
    "int8": ("0", "1", "-1", "5", "9223372036854775807", "-9223372036854775808"),
    "float4": ("0", "-0", "1.5", "-2.5", "0.1", "1e10", "NaN", "Infinity", "-Infinity"),
    "float8": ("0", "-0", "1.5", "-2.5", "0.5", "1e-7", "123456.789", "1e300", "NaN", "Infinity", "-Infinity"),
    "numeric": ("0", "1", "-1.5", "2.5", "0.001", "123456789.987654", "-99999999999999.5", "1e15"),
    "text": (
        "",
        "a",
        "abc",
        "Hello World",
        "ÄÖü ß",
        "  pad  ",
        "a,b,,c",
        "%_\\x",
        "😀e\u0301",
        "12",
        "ABC abc",
        "aXbXc",
    ),
    "varchar": ("", "abc", "Hello World "),
    "bpchar": ("", "abc", "abc  "),
    "name": ("", "abc", "pg_catalog"),
    "char": ("a", ""),
    "bytea": ("\\x", "\\x00ff", "abc", "\\x48656c6c6f"),
    "date": ("1970-01-01", "2000-02-29", "2024-12-31", "1999-01-08", "0044-03-15 BC", "9999-12-31", "1600-03-01"),
    "time": ("00:00:00", "12:34:56.789012", "23:59:59.999999", "24:00:00"),
    "timestamp": (
        "1970-01-01 00:00:00",
        "2000-02-29 12:34:56.789012",
        "2024-12-31 23:59:59.999999",
        "1999-01-08 04:05:06",
        "0044-03-15 10:00:00 BC",
        "9999-12-31 00:00:00",
    ),
    "timestamptz": (
        "1970-01-01 00:00:00+00",
        "2000-02-29 12:34:56.789012+00",
        "2024-03-31 02:30:00+01",
        "1999-01-08 04:05:06-08",
        "2024-10-27 01:30:00+00",
    ),
    "interval": (
        "0",
        "1 day",
        "1 month",
        "-1 year 2 mons 3 days 04:05:06.7",
        "25:00:00",
        "100 days -3 hours",
        "0.000001 seconds",
        "14 months",
    ),
    "jsonb": (
        "null",
        "1",
        '"a"',
        "true",
        "[]",
        "{}",
        '[1, "a", null, {"b": 2}]',
        '{"a": 1, "b": {"c": [1, 2, 3]}, "d": null}',
        "1.50",
        "[[1, 2], [3]]",
    ),
    "uuid": ("00000000-0000-0000-0000-000000000000", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    "oid": ("0", "1", "4294967295"),
    "_int4": ("{}", "{1}", "{1,2,3}", "{1,NULL,3}", "{3,1,2,1}"),
    "_text": ("{}", "{a}", "{a,b,NULL}", '{"a b",",",""}'),
    "_int8": ("{1,2}",),
    "_float8": ("{1.5,NaN}", "{0.25,0.5}"),
    "_numeric": ("{1.5,2}",),
    "int4range": ("empty", "[1,5)", "[3,10]", "(,4)", "[2,)", "(,)"),
    "int8range": ("empty", "[1,5)", "(,4)"),
    "numrange": ("empty", "[1.5,2.5)", "(1,2]", "(,)"),
    "daterange": ("empty", "[2020-01-01,2020-02-01)", "[2020-01-15,)"),
    "tsrange": ("empty", "[2020-01-01,2020-02-01)", "(,2020-01-15 12:00]"),
    "tstzrange": ("[2020-01-01 00:00+00,2020-02-01 00:00+00)", "empty"),
}
"""By base type, as texts that the type reads."""


_UNITS = (
    "year",
    "month",
    "day",
    "hour",
    "minute",
    "second",
    "week",
    "quarter",
    "decade",
    "century",
    "millennium",
    "milliseconds",
    "microseconds",
    "isoyear",
    "dow",
    "doy",
    "isodow",
    "epoch",
    "julian",
    "YEAR",
    "Month",
    "timezone",
)
_ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "+02:00", "-05", "EST", "utc", "Nowhere/Else")
_REGEXES = (
    "a",
    "^a.c$",
    "[a-z]+",
    "(b|c)+",
    "\\d+",
    "\\w",
    "\\s+",
    "o{2}",
    "(.)(.)",
    "(?i)ABC",
    "a*",
    "[[:alpha:]]+",
    "x?",
    "l+?",
    "\\mW",
    "(",
    "[",
    "(a)\\1",
    "^$",
    ".*",
    "ß|Ü",
)
_FLAGS = ("", "g", "i", "gi", "x", "n", "z")
_LIKES = ("%", "_", "a%", "%c", "%b%", "_b_", "a\\%", "abc", "ABC", "%\\", "", "%ö%", "Hello%", "__", "%_%")
_ENCODINGS = ("hex", "base64", "escape", "HEX")
_CHARACTER_SETS = ("UTF8", "utf-8", "LATIN1", "WIN1252", "SQL_ASCII")
_DATE_FORMATS = (
    "YYYY-MM-DD HH24:MI:SS.US",
    "Day, DD Month YYYY",
    "FMDay FMDD FMMon",
    "HH12:MI AM",
    "IYYY-IW-ID",
    "J Q WW D DDD",
    'YYYYth "quoted"',
    "CC YY Y,YYY",
    "MS US SSSS",
    "TZ OF",
    "",
)
_NUMBER_FORMATS = ("999", "0000", "9,999.99", "FM999.009", "S99", "99V9", "9.99EEEE", "RN", "PR999", "L999", "MI99", "")
_PATHS = ("{}", "{a}", "{b,c}", "{b,c,0}", "{0}", "{-1}", "{3,b}", "{x}", "{0,1}")

_JSON_PATHS = (
    "$",
    "$.a",
    "$.b.c[*]",
    "$.b.c[last]",
    "strict $.x",
    "$[*]",
    "$[0] ? (@ == 1)",
    "$.** ? (@ > 1)",
    "$.a == 1",
    "$.b.type()",
    "$.a + 2",
    "$.b.c.size()",
    "$x",
    "$.",
    "exists($.d)",
)
PATH_FUNCTIONS = (
    "@?",
    "@@",
    "jsonb_path_exists",
    "jsonb_path_match",
    "jsonb_path_query",
    "jsonb_path_query_array",
    "jsonb_path_query_first",
)

MEANT: Mapping[tuple[str, str, int], tuple[str, ...]] = {
    **{(name, "", 0): _UNITS for name in ("date_trunc", "date_part", "extract")},
    ("timezone", "", 0): _ZONES,
    **{(name, "", 1): _JSON_PATHS for name in PATH_FUNCTIONS},
    ("date_trunc", "", 2): _ZONES,
    **{(name, "", 1): _REGEXES for name in ("~", "~*", "!~", "!~*", "textregexeq", "textregexne")},
    **{
        (f"regexp_{name}", "", 1): _REGEXES
        for name in (
            "match",
            "matches",
            "replace",
            "split_to_array",
            "split_to_table",
            "count",
            "instr",
            "substr",
            "like",
        )
    },
    **{(f"regexp_{name}", "", 2): _FLAGS for name in ("match", "matches", "split_to_array", "split_to_table", "like")},
    ("regexp_replace", "", 2): ("", "x", "[\\1]", "\\&\\&", "\\\\", "$1"),
    ("regexp_replace", "", 3): _FLAGS,
    **{(name, "", 1): _LIKES for name in ("~~", "!~~", "~~*", "!~~*", "like", "notlike")},
    ("like_escape", "", 1): ("", "\\", "x", "%", "ab"),
    **{(name, "", 1): _ENCODINGS for name in ("encode", "decode")},
    **{(name, "", 1): _CHARACTER_SETS for name in ("convert_from", "convert_to", "convert", "length")},
    **{("to_char", base, 1): _DATE_FORMATS for base in ("timestamp", "timestamptz", "interval")},
    **{("to_char", base, 1): _NUMBER_FORMATS for base in ("int4", "int8", "float4", "float8", "numeric")},
    **{
        (name, "", 1): _PATHS
        for name in (
            "#>",
            "#>>",
            "#-",
            "jsonb_set",
            "jsonb_insert",
            "jsonb_set_lax",
            "jsonb_extract_path",
            "jsonb_delete_path",
        )
    },
    **{(name, "jsonb", 1): ("a", "b", "d", "x") for name in ("->", "->>", "?", "-")},
    **{(name, "", 1): ("NFC", "NFD", "NFKC", "nfkd") for name in ("normalize", "is_normalized")},
}
"""Texts with a meaning for an argument, by function, type of its first argument (or any) and place."""


def edges_of(name: str, bases: Sequence[str], place: int) -> tuple[str, ...]:
    """What one argument of a function is tried on: values that mean something there, and some that do not."""
    meant: tuple[str, ...] = ()
    if bases[place] in ("text", "name", "_text"):
        meant = MEANT.get((name, bases[0], place)) or MEANT.get((name, "", place), ())
        meant = tuple(text for text in meant if text.startswith("{") is (bases[place] == "_text"))
    return (*meant, *EDGES[bases[place]][: 3 if meant else None])
