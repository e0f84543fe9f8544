"""What a PostgreSQL says of itself, and how it writes what others ask of it: sizes, encodings, words of SQL."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from holdfast.plan.functions.function import Family, Function, ResultColumns, TableFunction
from holdfast.plan.types import BOOL, INT4, INT8, NAME, NUMERIC, TEXT, Type

_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")
_FEW_BYTES, _MANY = 10 * 1024, 20 * 1024 - 1

_ENCODINGS = (
    *("SQL_ASCII", "EUC_JP", "EUC_CN", "EUC_KR", "EUC_TW", "EUC_JIS_2004", "UTF8", "MULE_INTERNAL", "LATIN1"),
    *("LATIN2", "LATIN3", "LATIN4", "LATIN5", "LATIN6", "LATIN7", "LATIN8", "LATIN9", "LATIN10", "WIN1256"),
    *("WIN1258", "WIN866", "WIN874", "KOI8R", "WIN1251", "WIN1252", "ISO_8859_5", "ISO_8859_6", "ISO_8859_7"),
    *("ISO_8859_8", "WIN1250", "WIN1253", "WIN1254", "WIN1255", "WIN1257", "KOI8U", "SJIS", "BIG5", "GBK", "UHC"),
    *("GB18030", "JOHAB", "SHIFT_JIS_2004"),
)
"""In PostgreSQL's order: a number stands for each."""


def _halved(size: int) -> int:
    """Half of it, rounded away from zero."""
    return (abs(size) + 1) // 2 * (1 if size >= 0 else -1)


def size_pretty(size: int) -> str:
    """Up to 10 kB in bytes, then in the unit of which there are less than 10240; twice as many halves on the way."""
    if abs(size) < _FEW_BYTES:
        return f"{size} bytes"
    # One bit more is kept than is shown, to round by. PostgreSQL drops the others, towards zero.
    size = _shifted(size, 9)
    for unit in _UNITS[1:-1]:
        if abs(size) < _MANY:
            return f"{_halved(size)} {unit}"
        size = _shifted(size, 10)
    return f"{_halved(size)} {_UNITS[-1]}"


def _shifted(size: int, bits: int) -> int:
    return (abs(size) >> bits) * (1 if size >= 0 else -1)


def _numeric_size_pretty(size: Decimal) -> str:
    if abs(size) < _FEW_BYTES:
        return f"{size.normalize():f} bytes"
    return size_pretty(int(size))


def _encoding(number: int) -> str:
    return _ENCODINGS[number] if 0 <= number < len(_ENCODINGS) else ""


def _encoding_number(name: str) -> int:
    plain = "".join(character for character in name.upper() if character.isalnum())
    known = {"".join(letter for letter in each if letter.isalnum()): place for place, each in enumerate(_ENCODINGS)}
    return known.get(plain, -1)


def _said(name: str, type_: Type, value: object, text: str, doc: str) -> Function:
    return Function(name, (), type_, lambda: value, text, doc=doc)


_KEYWORDS = {
    "R": (
        "all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create "
        "current_catalog current_date current_role current_time current_timestamp current_user default deferrable "
        "desc distinct do else end except false fetch for foreign from grant group having in initially intersect "
        "into lateral leading limit localtime localtimestamp not null offset on only or order placing primary "
        "references returning select session_user some symmetric system_user table then to trailing true union "
        "unique user using variadic when where window with"
    ),
    "T": (
        "authorization binary collation concurrently cross current_schema freeze full ilike inner is isnull join left "
        "like natural notnull outer overlaps right similar tablesample verbose"
    ),
    "C": (
        "between bigint bit boolean char character coalesce dec decimal exists extract float greatest grouping inout "
        "int integer interval least national nchar none normalize nullif numeric out overlay position precision real "
        "row setof smallint substring time timestamp treat trim values varchar"
    ),
    "U": (
        "abort alter begin by cascade close cluster columns comment commit connection copy cursor database day "
        "deallocate declare delete discard drop envelope execute explain filter following format function hour "
        "index insert isolation key level list map materialized minute month mutually no of options over owner "
        "partition preceding prepare privileges progress range read recursive refresh rename replace reset restrict "
        "retain role rollback rows schema second secret sequence session set show sink snapshot source start "
        "subscribe temporary text ties transaction type unbounded update validate view within without write year zone"
    ),
}
_CATEGORIES = {
    "R": "reserved",
    "T": "reserved (can be function or type name)",
    "C": "unreserved (cannot be function or type name)",
    "U": "unreserved",
}


def _keywords() -> Iterator[tuple[str, str, bool, str, str]]:
    words = sorted((word, kind) for kind, listed in _KEYWORDS.items() for word in listed.split())
    for word, kind in words:
        yield word, kind, kind in "UT", _CATEGORIES[kind], "can be bare label"


FAMILY = Family(
    "The server",
    functions=(
        Function("pg_size_pretty", (INT8,), TEXT, size_pretty, doc="A number of bytes, in the unit that suits it."),
        Function(
            "pg_size_pretty",
            (NUMERIC,),
            TEXT,
            _numeric_size_pretty,
            doc="A number of bytes, in the unit that suits it.",
        ),
        Function("pg_encoding_to_char", (INT4,), NAME, _encoding, doc="The name of an encoding."),
        Function("pg_char_to_encoding", (NAME,), INT4, _encoding_number, doc="The number of an encoding, or -1."),
        _said("getdatabaseencoding", NAME, "UTF8", "'UTF8'", "The encoding of the database."),
        _said("pg_jit_available", BOOL, False, "false", "Whether expressions are compiled by PostgreSQL's compiler."),
        _said("inet_server_addr", TEXT, None, "CAST(NULL AS STRING)", "The address of the server: not told."),
        _said("inet_server_port", INT4, None, "CAST(NULL AS INT)", "The port of the server: not told."),
        _said("inet_client_addr", TEXT, None, "CAST(NULL AS STRING)", "The address of the client: not told."),
        _said("inet_client_port", INT4, None, "CAST(NULL AS INT)", "The port of the client: not told."),
    ),
    tables=(
        TableFunction(
            "pg_get_keywords",
            (),
            ResultColumns(
                ("word", "catcode", "barelabel", "catdesc", "baredesc"),
                (TEXT, TEXT, BOOL, TEXT, TEXT),
                (False,) * 5,
            ),
            _keywords,
            doc="Words of SQL, and where they can be names.",
        ),
        TableFunction(
            "pg_available_extensions",
            (),
            ResultColumns(("name", "default_version", "comment"), (NAME, TEXT, TEXT), (False,) * 3),
            lambda: (),
            doc="Extensions that could be added: none.",
        ),
    ),
)
