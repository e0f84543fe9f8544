"""What the arguments of functions are called, where PostgreSQL has names for them, and what they are if not given."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.plan.scalar import FALSE, TRUE, Constant
from holdfast.plan.types import FLOAT8, INT4, JSONB, TEXT

Names = tuple[str, ...]


def _names(*texts: str) -> tuple[Names, ...]:
    return tuple(tuple(text.split()) for text in texts)


_PATH = _names("target path vars silent")
_MEMBER = _names("from_json")
_PAIR = _names("key value")
_PATTERN = _names("string pattern", "string pattern flags")
_ZERO = Constant(0, INT4)

ARGUMENT_NAMES: Mapping[str, tuple[Names, ...]] = {
    "array_sort": _names("array descending", "array descending nulls_first"),
    **{f"jsonb_array_elements{suffix}": _MEMBER for suffix in ("", "_text")},
    **{f"jsonb_each{suffix}": _MEMBER for suffix in ("", "_text")},
    "jsonb_insert": _names("jsonb_in path replacement insert_after"),
    **{f"jsonb_object_agg{suffix}": _PAIR for suffix in ("", "_strict", "_unique", "_unique_strict")},
    **{
        f"jsonb_path_{what}{zoned}": _PATH
        for what in ("exists", "match", "query", "query_array", "query_first")
        for zoned in ("", "_tz")
    },
    "jsonb_set": _names("jsonb_in path replacement create_if_missing"),
    "jsonb_set_lax": _names("jsonb_in path replacement create_if_missing null_value_treatment"),
    "jsonb_strip_nulls": _names("target strip_in_arrays"),
    "make_date": _names("year month day"),
    "make_interval": _names("years months weeks days hours mins secs"),
    "make_time": _names("hour min sec"),
    "make_timestamp": _names("year month mday hour min sec"),
    "make_timestamptz": _names("year month mday hour min sec", "year month mday hour min sec timezone"),
    "parse_ident": _names("str strict"),
    "random": _names("min max"),
    "random_normal": _names("mean stddev"),
    "regexp_count": _names("string pattern", "string pattern start", "string pattern start flags"),
    "regexp_instr": _names(
        "string pattern",
        "string pattern start",
        "string pattern start N",
        "string pattern start N endoption",
        "string pattern start N endoption flags",
        "string pattern start N endoption flags subexpr",
    ),
    **{f"regexp_{what}": _PATTERN for what in ("like", "match", "matches", "split_to_array", "split_to_table")},
    "regexp_replace": _names(
        "string pattern replacement",
        "string pattern replacement flags",
        "string pattern replacement start",
        "string pattern replacement start N",
        "string pattern replacement start N flags",
    ),
    "regexp_substr": _names(
        "string pattern",
        "string pattern start",
        "string pattern start N",
        "string pattern start N flags",
        "string pattern start N flags subexpr",
    ),
    "string_agg": _names("value delimiter"),
    "uuidv7": _names("shift"),
}
"""By function, the names of the arguments of its overloads."""

DEFAULTS: Mapping[str, Mapping[str, Constant]] = {
    "jsonb_insert": {"insert_after": FALSE},
    **{
        name: {"vars": Constant("{}", JSONB), "silent": FALSE}
        for name in ARGUMENT_NAMES
        if name.startswith("jsonb_path_")
    },
    "jsonb_set": {"create_if_missing": TRUE},
    "jsonb_set_lax": {"create_if_missing": TRUE, "null_value_treatment": Constant("use_json_null", TEXT)},
    "jsonb_strip_nulls": {"strip_in_arrays": FALSE},
    "make_interval": {name: _ZERO for (names,) in (ARGUMENT_NAMES["make_interval"],) for name in names},
    "parse_ident": {"strict": TRUE},
    "random_normal": {"mean": Constant(0.0, FLOAT8), "stddev": Constant(1.0, FLOAT8)},
}
"""By function, the values of arguments that need not be given."""


def in_order(function: str, given: int, named: tuple[str, ...]) -> tuple[str | int, ...] | None:
    """Where the arguments of a call come from, in the order of the function's own; None if it has no such arguments.

    The call has `given` arguments without a name, and then others with names. A number is the place of an argument in
    the call, a name is that of an argument that has its default.
    """
    defaults = DEFAULTS.get(function, {})
    for names in ARGUMENT_NAMES.get(function, ()):
        rest = names[given:]
        if not set(named) <= set(rest):
            continue
        # Those at the end may be left out: there is an overload without them.
        last = max(rest.index(name) for name in named)
        rest = tuple(name for at, name in enumerate(rest) if at <= last or name not in defaults)
        if all(name in named or name in defaults for name in rest):
            return (*range(given), *(given + named.index(name) if name in named else name for name in rest))
    return None
