"""Lists of options: `(NAME [=] value, ...)`.

A name is several words, and a value may be a word too; without an equals sign
between them, the names in `_NAMES` say where the value begins.
"""

from __future__ import annotations

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.syntax.expression import BooleanLiteral, NullLiteral, StringLiteral
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.option import (
    Broker,
    Brokers,
    NetworkRule,
    NetworkRules,
    Option,
    OptionGroup,
    OptionValue,
    Phrase,
    SecretReference,
    ValueList,
)

_NAMES = frozenset(
    name
    for line in """
ACCESS KEY ID, AGGREGATE INPUT GROUP SIZE, ARITY, AS OF, ASSERT NOT NULL, ASSUME ROLE ARN, AUTO SCALING STRATEGY,
AVAILABILITY ZONE, AVAILABILITY ZONES, AVRO KEY FULLNAME, AVRO VALUE FULLNAME, AWS CONNECTION, AWS PRIVATELINK,
BATCH SIZE, BROKER, BROKERS, CARDINALITY, CATALOG TYPE, COMMIT INTERVAL, COMPRESSION TYPE, CREDENTIAL, DATABASE,
DEFAULT, DELIMITER, DISK, ENCODING, ENDPOINT, ESCAPE, EXCLUDE COLUMNS, EXPERIMENTAL ARRANGEMENT COMPRESSION, FILES,
FILTER PUSHDOWN, FORCE_NOT_NULL, FORCE_NULL, FORCE_QUOTE, FORMAT, FREEZE, GCP CONNECTION, GROUP ID PREFIX, HEADER,
HOST, HUMANIZED EXPRESSIONS, HYDRATION SIZE, HYDRATION TIME ESTIMATE, INTROSPECTION DEBUGGING, INTROSPECTION INTERVAL,
JOIN IMPLEMENTATIONS, KEY COMPATIBILITY LEVEL, KEYS, LINGER DURATION, MANAGED, MATCHING, MAX CARDINALITY,
MAX FILE SIZE, NAMESPACE, NODE IDENTIFIERS, NULL, NULL DEFAULTS, ON HYDRATION, ON TIMEOUT, PARTITION BY, PARTITIONS,
PASSWORD, PATTERN, PORT, PROGRESS, PROGRESS GROUP ID PREFIX, PROGRESS TOPIC, PROGRESS TOPIC REPLICATION FACTOR,
PUBLIC KEY 1, PUBLIC KEY 2, PUBLICATION, QUOTE, REDACTED, REFRESH, REGION, REGISTRY, REPLICATION FACTOR,
RETAIN HISTORY, RULES, SASL MECHANISMS, SASL PASSWORD, SASL USERNAME, SCALE FACTOR, SCHEDULE, SCHEMA NAME,
SECRET ACCESS KEY, SECURITY PROTOCOL, SEED, SERVICE ACCOUNT KEY, SERVICE NAME, SESSION TOKEN, SIZE, SNAPSHOT,
SNAPSHOT ROUNDS, SSH TUNNEL, SSL CERTIFICATE, SSL CERTIFICATE AUTHORITY, SSL KEY, SSL MODE, START OFFSET,
START TIMESTAMP, STRICT, TABLE, TEXT COLUMNS, TICK INTERVAL, TIMEOUT, TIMESTAMP INTERVAL, TIMING, TOPIC, TOPIC CONFIG,
TOPIC METADATA REFRESH INTERVAL, TOPIC PARTITION COUNT, TOPIC REPLICATION FACTOR, TRANSACTIONAL ID PREFIX,
TRANSACTIONAL SNAPSHOT, TYPES, UP TO, URL, USER, USERNAME, VALIDATE, VALUE COMPATIBILITY LEVEL, VALUE DECODING ERRORS,
VALUE SIZE, WAIT FOR, WAIT UNTIL READY, WAREHOUSE
""".strip().splitlines()
    for name in line.strip(" ,").split(", ")
)
_LONGEST = max(len(name.split()) for name in _NAMES)
_TYPE_OR_FUNCTION = 3
_ENDS = frozenset({",", ")", "]", ""})


def option_list(cursor: Cursor) -> tuple[Option, ...]:
    """`(option, ...)`, which may be empty."""
    if cursor.accept("(", ")"):
        return ()
    return cursor.parenthesized(lambda: option(cursor))


def with_options(cursor: Cursor) -> tuple[Option, ...]:
    """`WITH (option, ...)` if it stands here."""
    return option_list(cursor) if cursor.accept("WITH") else ()


def option(cursor: Cursor) -> Option:
    location = cursor.location
    name = option_name(cursor)
    equals = cursor.accept("=")
    if cursor.peek() in _ENDS:
        if equals:
            raise cursor.failure()
        return Option(name, location=location)
    return Option(name, _named_value(cursor, name), location=location)


def option_name(cursor: Cursor) -> str:
    words: list[str] = []
    known = 0
    while cursor.tokens.is_word(cursor.index + len(words)) and cursor.index + len(words) < cursor.end:
        words.append(cursor.peek(len(words)))
        if len(words) <= _LONGEST and " ".join(words) in _NAMES:
            known = len(words)
        if cursor.peek(len(words)) == "1" or cursor.peek(len(words)) == "2":
            numbered = [*words, cursor.peek(len(words))]
            if " ".join(numbered) in _NAMES:
                words, known = numbered, len(numbered)
                break
    if not words:
        raise cursor.failure()
    taken = words if cursor.peek(len(words)) == "=" or not known else words[:known]
    cursor.index += len(taken)
    return " ".join(taken)


def _named_value(cursor: Cursor, name: str) -> OptionValue:
    """The value of an option whose name may give it a grammar of its own."""
    match name:
        case "BROKERS":
            return _brokers(cursor)
        case "BROKER":
            return Brokers((_broker(cursor),))
        case "RULES":
            return NetworkRules(cursor.parenthesized(lambda: _rule(cursor)))
        case "REFRESH":
            return _refresh(cursor)
        case "PARTITION BY" if not _at_names(cursor):
            return cursor.expression()
        case "VALUE DECODING ERRORS":
            return _inline_errors(cursor)
        case "FORCE_QUOTE" | "FORCE_NULL" | "FORCE_NOT_NULL" if cursor.at_words("*"):
            return all_columns(cursor)
    return value(cursor)


def all_columns(cursor: Cursor) -> Phrase:
    location = cursor.location
    cursor.expect("*")
    return Phrase("*", location=location)


def _at_names(cursor: Cursor) -> bool:
    """Whether `(name, ...)` stands here and nothing follows it."""
    if cursor.peek() != "(":
        return False
    closing = cursor.tokens.closing(cursor.index, cursor.end)
    inside = range(cursor.index + 1, closing)
    only_names = all(cursor.tokens.is_word(index) or cursor.tokens.text(index) in ",." for index in inside)
    return only_names and (closing + 1 >= cursor.end or cursor.tokens.word(closing + 1) in _ENDS)


def value(cursor: Cursor) -> OptionValue:
    location = cursor.location
    if cursor.at_string():
        return StringLiteral(cursor.string(), location=location)
    if cursor.at_number():
        return cursor.number()
    if cursor.at_words("MAP", "["):
        return cursor.expression()
    match cursor.peek():
        case "TRUE" | "FALSE" as word:
            cursor.index += 1
            return BooleanLiteral(word == "TRUE", location=location)
        case "NULL":
            cursor.index += 1
            return NullLiteral(location=location)
        case "SECRET" if cursor.at_identifier(1):
            cursor.index += 1
            return SecretReference(cursor.name(), location=location)
        case "FOR":
            cursor.index += 1
            return Phrase("FOR", (value(cursor),), location=location)
        case "ON" if cursor.accept("ON", "REFRESH"):
            group = (OptionGroup(option_list(cursor)),) if cursor.at_words("(") else ()
            return Phrase("ON REFRESH", group, location=location)
        case "[":
            return _bracketed(cursor)
        case "(":
            return _parenthesized(cursor)
    if not cursor.done and cursor.tokens.classes[cursor.index] == _TYPE_OR_FUNCTION:
        return ObjectName((cursor.label(),), location=location)
    return cursor.name()


def _bracketed(cursor: Cursor) -> ValueList:
    location = cursor.location
    cursor.expect("[")
    items = () if cursor.peek() == "]" else cursor.separated(lambda: value(cursor))
    cursor.expect("]")
    return ValueList(items, brackets=True, location=location)


def _parenthesized(cursor: Cursor) -> ValueList | OptionGroup:
    """Options when the first item has a name and a value, else values."""
    location = cursor.location
    if cursor.accept("(", ")"):
        return ValueList((), location=location)
    if cursor.at_words("(", "MAP", "[") or _at_secrets(cursor):
        return ValueList(cursor.parenthesized(lambda: value(cursor)), location=location)
    ahead = 1
    while cursor.index + ahead < cursor.end and cursor.tokens.is_word(cursor.index + ahead):
        ahead += 1
    if (ahead > 1 and cursor.peek(ahead) not in (",", ")", ".")) or ahead > 2:
        return OptionGroup(option_list(cursor), location=location)
    return ValueList(cursor.parenthesized(lambda: value(cursor)), location=location)


def _at_secrets(cursor: Cursor) -> bool:
    """Whether a list stands here that begins with a secret, and not with an option of that name and its value."""
    if not cursor.at_words("(", "SECRET") or not cursor.at_identifier(2):
        return False
    end = 3
    while cursor.peek(end) == ".":
        end += 2
    return cursor.peek(end) in _ENDS


def _brokers(cursor: Cursor) -> Brokers:
    location = cursor.location
    if cursor.accept("["):
        items = cursor.separated(lambda: _broker(cursor))
        cursor.expect("]")
        return Brokers(items, location=location)
    return Brokers(cursor.parenthesized(lambda: _broker(cursor)), location=location)


def _broker(cursor: Cursor) -> Broker:
    location = cursor.location
    matching = cursor.accept("MATCHING")
    address = cursor.string()
    if not cursor.accept("USING"):
        return Broker(address, matching, location=location)
    kind = cursor.expect_any("SSH TUNNEL", "AWS PRIVATELINK")
    tunnel = cursor.name()
    options = option_list(cursor) if cursor.at_words("(") else ()
    return Broker(address, matching, kind, tunnel, options, location=location)


def _rule(cursor: Cursor) -> NetworkRule:
    location = cursor.location
    return NetworkRule(cursor.identifier(), option_list(cursor), location=location)


def _refresh(cursor: Cursor) -> Phrase:
    """ON COMMIT, AT CREATION, AT time, or EVERY interval [ALIGNED TO time]."""
    location = cursor.location
    if fixed := cursor.accept_any("ON COMMIT", "AT CREATION"):
        return Phrase(fixed, location=location)
    if cursor.accept("AT"):
        return Phrase("AT", (cursor.expression(),), location=location)
    cursor.expect("EVERY")
    interval = StringLiteral(cursor.string(), location=cursor.location)
    if cursor.accept("ALIGNED", "TO"):
        return Phrase("EVERY", (interval, cursor.expression()), location=location)
    return Phrase("EVERY", (interval,), location=location)


def _inline_errors(cursor: Cursor) -> OptionValue:
    """INLINE [AS name], in parentheses or not."""
    location = cursor.location
    opened = cursor.accept("(")
    cursor.expect("INLINE")
    arguments = (cursor.name(),) if cursor.accept("AS") else ()
    if opened:
        cursor.expect(")")
    return Phrase("INLINE", arguments, location=location)
