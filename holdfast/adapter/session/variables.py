"""The variables of a session: what SET sets and SHOW shows.

A variable has a value for the session and perhaps one for the transaction. What was set in a transaction that is rolled
back was never set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.errors import InvalidVariableValue, ReadOnlyVariable, UnknownVariable
from holdfast.plan.errors import DataError
from holdfast.plan.text.codec import read_of
from holdfast.plan.types import INTERVAL, Interval
from holdfast.sql.render.quote import identifier

_MICROS_PER_DAY = 86_400_000_000
_BOOLEANS = {"on": "on", "true": "on", "yes": "on", "1": "on", "off": "off", "false": "off", "no": "off", "0": "off"}
_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
ISOLATION_LEVELS = (
    "read uncommitted",
    "read committed",
    "repeatable read",
    "serializable",
    "strong session serializable",
    "strict serializable",
)
CODE_LIMIT = "python_function_timeout"
_BOUNDED = "bounded staleness "


@dataclass(frozen=True, slots=True)
class Variable:
    """`check` returns the value as it is kept, or raises. `reported`: the client is told whenever it changes.

    `of_system`: it is the same for all, and set by ALTER SYSTEM alone.
    """

    name: str
    default: str
    description: str
    check: Callable[[str, str], str]
    reported: bool = False
    of_system: bool = False


def _text(_: str, value: str) -> str:
    return value


def _invalid(name: str, value: str, hint: str | None = None) -> InvalidVariableValue:
    error = InvalidVariableValue(f'invalid value for parameter "{name}": "{value}"')
    error.hint = hint
    return error


def _boolean(name: str, value: str) -> str:
    kept = _BOOLEANS.get(value.lower())
    if kept is None:
        error = InvalidVariableValue(f'parameter "{name}" requires a Boolean value')
        error.detail = f"It was given {value!r}."
        raise error
    return kept


def _integer(name: str, value: str) -> str:
    try:
        return str(int(value))
    except ValueError:
        raise _invalid(name, value) from None


def _one_of(*values: str) -> Callable[[str, str], str]:
    def check(name: str, value: str) -> str:
        found = next((each for each in values if each.lower() == value.lower()), None)
        if found is None:
            raise _invalid(name, value, f"Available values: {', '.join(values)}.")
        return found

    return check


def _fixed(*values: str) -> Callable[[str, str], str]:
    """Of which there is only the first value, however it is written."""

    def check(name: str, value: str) -> str:
        if value.lower() not in {each.lower() for each in values}:
            raise _invalid(name, value, f"Available values: {values[0]}.")
        return values[0]

    return check


def _encoding(name: str, value: str) -> str:
    """Of a name only letters and digits count, as PostgreSQL has it: asyncpg writes `'utf-8'`, quotes and all."""
    if "".join(filter(str.isalnum, value)).lower() not in ("utf8", "unicode"):
        raise _invalid(name, value, "Available values: UTF8.")
    return "UTF8"


def _read_only(name: str, _: str) -> str:
    raise ReadOnlyVariable(name)


def seconds(value: str) -> float:
    """A duration as variables have it: a number of milliseconds, a number with a unit, or an interval."""
    stripped = value.strip()
    number = stripped.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = stripped[len(number) :].strip()
    try:
        return float(number) * _UNITS[unit or "ms"]
    except (ValueError, KeyError):
        interval: Interval = read_of(INTERVAL)(stripped)
        return (interval.days + interval.months * 30) * _MICROS_PER_DAY / 1e6 + interval.micros / 1e6


def _duration(name: str, value: str) -> str:
    try:
        found = seconds(value)
    except DataError:
        raise _invalid(name, value) from None
    if found < 0:
        raise _invalid(name, value, "It cannot be negative.")
    return _written(found)


def _written(found: float) -> str:
    """In the largest unit of which it is a whole number, as PostgreSQL shows durations."""
    if not found:
        return "0"
    millis = round(found * 1000)
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000)):
        if millis % size == 0:
            return f"{millis // size} {unit}"
    return f"{millis} ms"


def staleness(isolation: str) -> float | None:
    """The seconds of `bounded staleness <duration>`, None for other levels."""
    return seconds(isolation.removeprefix(_BOUNDED)) if isolation.startswith(_BOUNDED) else None


def _isolation(name: str, value: str) -> str:
    wanted = " ".join(value.lower().split())
    if wanted.startswith(_BOUNDED):
        try:
            bound = staleness(wanted)
        except DataError:
            raise _invalid(name, value) from None
        if not bound or bound < 0:
            raise _invalid(name, value, "The bound must be greater than zero.")
        return wanted
    if wanted not in ISOLATION_LEVELS:
        raise _invalid(name, value, f"Available values: {', '.join(ISOLATION_LEVELS)}, bounded staleness <duration>.")
    return "serializable" if wanted in ISOLATION_LEVELS[:4] else wanted


def _timezone(name: str, value: str) -> str:
    if value.lower() not in ("utc", "default", "+00:00", "gmt", "etc/utc", "z", "0"):
        raise _invalid(name, value, "The session's time zone is UTC; use AT TIME ZONE in queries.")
    return "UTC"


def _search_path(_: str, value: str) -> str:
    return value


_VARIABLES = (
    Variable("application_name", "", "The name of the client's program.", _text, reported=True),
    Variable("auto_route_catalog_queries", "on", "Whether catalog queries are answered by the server.", _boolean),
    Variable("bytea_output", "hex", "How bytea is written.", _fixed("hex")),
    Variable("client_encoding", "UTF8", "The client's character set.", _encoding, reported=True),
    Variable(
        "client_min_messages",
        "notice",
        "The least severity of messages that the client is sent.",
        _one_of("debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error", "info"),
    ),
    Variable("cluster", "quickstart", "The cluster that answers queries.", _text),
    Variable("cluster_replica", "", "The replica that answers queries.", _text),
    Variable("database", "materialize", "The current database.", _text, reported=True),
    Variable(
        "datestyle",
        "ISO, MDY",
        "How dates are written.",
        _fixed("ISO, MDY", "iso", "ISO,MDY", "iso, mdy"),
        reported=True,
    ),
    Variable("default_transaction_isolation", "strict serializable", "The isolation of new transactions.", _isolation),
    Variable("default_transaction_read_only", "off", "Whether new transactions only read.", _boolean, reported=True),
    Variable("emit_timestamp_notice", "off", "Whether each query tells the time it read at.", _boolean),
    Variable("enable_rbac_checks", "on", "Whether privileges are checked.", _boolean, of_system=True),
    Variable("extra_float_digits", "1", "Digits of floats; they are always exact.", _integer),
    Variable(
        "idle_in_transaction_session_timeout",
        "2 min",
        "How long a transaction may wait for its next statement; 0 is for ever.",
        _duration,
    ),
    Variable("in_hot_standby", "off", "Always off.", _read_only, reported=True),
    Variable("integer_datetimes", "on", "Always on.", _fixed("on", "true"), reported=True),
    Variable("intervalstyle", "postgres", "How intervals are written.", _fixed("postgres"), reported=True),
    Variable("jit", "off", "Accepted for clients that set it.", _boolean),
    Variable("lock_timeout", "0", "Accepted for clients that set it; nothing waits for locks.", _duration),
    Variable("max_identifier_length", "63", "Bytes of a name.", _read_only),
    Variable("max_query_result_size", "1073741824", "Bytes of a result at most.", _integer),
    Variable(
        CODE_LIMIT,
        "1 min",
        "How long a call of a Python function may take that keeps a view up to date; 0 is for ever.",
        _duration,
        of_system=True,
    ),
    Variable("real_time_recency", "off", "Whether reads wait for what sources have upstream.", _boolean),
    Variable("real_time_recency_timeout", "10 s", "How long they wait at most.", _duration),
    Variable("row_security", "on", "Accepted for clients that set it.", _boolean),
    Variable(
        "search_path", "public", "The schemas in which names without one are looked up.", _search_path, reported=True
    ),
    Variable("server_encoding", "UTF8", "The server's character set.", _read_only, reported=True),
    Variable("server_version", "17.0", "The PostgreSQL whose dialect this is.", _read_only, reported=True),
    Variable("server_version_num", "170000", "The same as a number.", _read_only),
    Variable("sql_safe_updates", "off", "Whether UPDATE and DELETE need a WHERE.", _boolean),
    Variable(
        "standard_conforming_strings",
        "on",
        "Whether backslashes in '...' are plain.",
        _fixed("on", "true"),
        reported=True,
    ),
    Variable("statement_timeout", "1 min", "How long a statement may run; 0 is for ever.", _duration),
    Variable("timezone", "UTC", "The session's time zone.", _timezone, reported=True),
    Variable("transaction_isolation", "strict serializable", "The isolation of transactions.", _isolation),
    Variable("transaction_read_only", "off", "Whether the transaction only reads.", _boolean),
)
VARIABLES: Mapping[str, Variable] = {variable.name: variable for variable in _VARIABLES}

_ALIASES = {"time zone": "timezone", "names": "client_encoding", "schema": "search_path"}
_SHOWN = {"timezone": "TimeZone", "datestyle": "DateStyle", "intervalstyle": "IntervalStyle"}
"""How clients know them."""


def code_limit(catalog: CatalogState) -> float | None:
    """How many seconds a call of a user's function may take that keeps a view up to date; None: any number."""
    return seconds(catalog.parameter(CODE_LIMIT) or VARIABLES[CODE_LIMIT].default) or None


def variable(name: str) -> Variable:
    found = VARIABLES.get(_ALIASES.get(name.lower(), name.lower()))
    if found is None:
        raise UnknownVariable(name)
    return found


def checked(name: str, values: Sequence[str]) -> tuple[str, str]:
    """The variable that `name` means, and its value as it is kept."""
    found = variable(name)
    listed = found.name in ("search_path", "datestyle")
    if len(values) > 1 and not listed:
        raise InvalidVariableValue(f"SET {found.name} takes only one argument")
    names = map(identifier, values) if found.name == "search_path" else values
    return found.name, found.check(found.name, ", ".join(names))


def reported_name(name: str) -> str:
    return _SHOWN.get(name, name)


class Variables:
    """The values. `begin` and `end` bracket a transaction. `version` is another whenever a value might be."""

    def __init__(self, defaults: Mapping[str, str]) -> None:
        """`defaults` are those of the role and of the connection: what RESET goes back to."""
        self._defaults = {name: each.default for name, each in VARIABLES.items()}
        for name, value in defaults.items():
            found = variable(name)
            self._defaults[found.name] = found.check(found.name, value)
        self.version = 0
        self._values = dict(self._defaults)
        self._local: dict[str, str] = {}
        self._before: dict[str, str] | None = None
        self._told = {name: self._values[name] for name in self._reported()}
        self._told_version = 0

    @staticmethod
    def _reported() -> Iterable[str]:
        return (name for name, each in VARIABLES.items() if each.reported)

    def __getitem__(self, name: str) -> str:
        return self._local[name] if name in self._local else self._values[name]

    def flag(self, name: str) -> bool:
        return self[name] == "on"

    def seconds(self, name: str) -> float | None:
        """A duration, None where it is 0: without end."""
        return seconds(self[name]) or None

    def show(self) -> list[tuple[str, str, str]]:
        return [(reported_name(name), self[name], each.description) for name, each in VARIABLES.items()]

    def set(self, name: str, values: Sequence[str], *, local: bool = False) -> None:
        """Without values it becomes the default."""
        self.version += 1
        found = variable(name)
        if found.of_system:
            raise ReadOnlyVariable(found.name)
        kept = checked(name, values)[1] if values else self._defaults[found.name]
        if local:
            self._local[found.name] = kept
        else:
            self._local.pop(found.name, None)
            self._values[found.name] = kept

    def reset_all(self) -> None:
        self.version += 1
        keep = ("database", "transaction_isolation", "transaction_read_only")
        self._values = {name: self._values[name] if name in keep else value for name, value in self._defaults.items()}
        self._local.clear()

    def begin(self) -> None:
        self._before = dict(self._values)

    def end(self, *, committed: bool) -> None:
        if self._local or (not committed and self._before != self._values):
            self.version += 1
        if not committed and self._before is not None:
            self._values = self._before
        self._before = None
        self._local.clear()

    def reported(self) -> list[tuple[str, str]]:
        """All that a client is told of when it connects."""
        return [(reported_name(name), self[name]) for name in self._reported()]

    def drain_changed(self) -> list[tuple[str, str]]:
        """What a client is to be told of since the last call."""
        if self._told_version == self.version:
            return []
        self._told_version = self.version
        changed = [(name, self[name]) for name in self._told if self._told[name] != self[name]]
        self._told |= changed
        return [(reported_name(name), value) for name, value in changed]

    @property
    def search_path(self) -> tuple[str, ...]:
        return _identifiers(self["search_path"])


@lru_cache(maxsize=1024)
def _identifiers(text: str) -> tuple[str, ...]:
    """The names of a list of them, unquoted. The same list is one object, since the log of activity holds it often."""
    return tuple(_each_identifier(text))


def _each_identifier(text: str) -> Iterable[str]:
    position, length = 0, len(text)
    while position < length:
        if text[position] in " ,\t\n":
            position += 1
        elif text[position] == '"':
            end = position + 1
            while end < length and (text[end] != '"' or text[end + 1 : end + 2] == '"'):
                end += 2 if text[end] == '"' else 1
            yield text[position + 1 : end].replace('""', '"')
            position = end + 1
        else:
            end = position
            while end < length and text[end] != ",":
                end += 1
            yield text[position:end].strip().lower()
            position = end
