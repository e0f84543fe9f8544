"""The options of COPY: what they are, and which go together.

The checks are PostgreSQL's, in its order and with its messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from holdfast.adapter.errors import InvalidOption
from holdfast.adapter.results import CopyFormat
from holdfast.errors import HoldfastError
from holdfast.sql.errors import InvalidColumnReference, NotSupported, WrongSyntax
from holdfast.sql.syntax.expression import BooleanLiteral, IntegerLiteral, NullLiteral, NumericLiteral, StringLiteral
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.option import Option, Phrase, ValueList

Direction: TypeAlias = Literal["from", "to"]
Columns: TypeAlias = tuple[str, ...] | Literal["*"]

_Check: TypeAlias = tuple[bool, type[NotSupported | InvalidOption], str]
"""Whether something is wrong, and what is said then."""

_FORMATS: tuple[CopyFormat, ...] = ("text", "csv", "binary", "parquet")
_NOT_DELIMITERS = "\\.abcdefghijklmnopqrstuvwxyz0123456789"
"""Characters that mean something after a backslash."""


@dataclass(frozen=True, slots=True)
class CopyOptions:
    """How the data are laid out. `null` is what stands for a null; `delimiter`, `quote` and `escape` are one byte."""

    format: CopyFormat = "text"
    delimiter: str = "\t"
    null: str = "\\N"
    quote: str = '"'
    escape: str = '"'
    header: bool | Literal["match"] = False
    force_quote: Columns = ()
    force_not_null: Columns = ()
    force_null: Columns = ()

    def forced(self, kind: Literal["force_quote", "force_not_null", "force_null"], names: Sequence[str]) -> list[bool]:
        """Which of the columns an option of this kind speaks of. One that is not among them is an error."""
        wanted: Columns = getattr(self, kind)
        if wanted == "*":
            return [True] * len(names)
        for name in wanted:
            if name not in names:
                raise InvalidColumnReference(f'{kind.upper()} column "{name}" not referenced by COPY')
        return [name in wanted for name in names]


def copy_options(options: Sequence[Option], direction: Direction) -> CopyOptions:
    given: dict[str, Option] = {}
    for option in options:
        name = option.name.lower().replace(" ", "_")
        if name not in _READERS:
            raise WrongSyntax(f'option "{name}" not recognized', option.location)
        if name in given:
            raise WrongSyntax("conflicting or redundant options", option.location)
        given[name] = option
    values = {name: _READERS[name](option, direction) for name, option in given.items()}
    return _checked(values, direction)


def _text(option: Option) -> str:
    match option.value:
        case StringLiteral(value=text) | NumericLiteral(text=text):
            return text
        case IntegerLiteral(value=number):
            return str(number)
        case BooleanLiteral(value=truth):
            return "true" if truth else "false"
        case NullLiteral():
            return "null"
        case ObjectName(parts=parts):
            return ".".join(parts)
        case ValueList():
            raise WrongSyntax(f"{option.name.lower()} requires a parameter", option.location)
    raise WrongSyntax(f"{option.name.lower()} requires a parameter", option.location)


def _format(option: Option, _: Direction) -> CopyFormat:
    text = _text(option)
    found = next((each for each in _FORMATS if each == text.lower()), None)
    if found is None:
        raise InvalidOption(f'COPY format "{text}" not recognized', option.location)
    return found


def _string(option: Option, _: Direction) -> str:
    return _text(option)


def _truth(option: Option) -> bool | None:
    if option.value is None:
        return True
    return {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}.get(_text(option).lower())


def _header(option: Option, direction: Direction) -> bool | Literal["match"]:
    found = _truth(option)
    if found is not None:
        return found
    if _text(option).lower() != "match":
        raise WrongSyntax('header requires a Boolean value or "match"', option.location)
    if direction == "to":
        raise NotSupported('cannot use "match" with HEADER in COPY TO', option.location)
    return "match"


def _columns(option: Option, _: Direction) -> Columns:
    match option.value:
        case ValueList(items=items):
            return tuple(".".join(item.parts) if isinstance(item, ObjectName) else "" for item in items)
        case Phrase(words="*"):
            return "*"
    raise InvalidOption(f'argument to option "{option.name.lower()}" must be a list of column names', option.location)


def _encoding(option: Option, _: Direction) -> str:
    name = _text(option)
    if name.lower().replace("-", "").replace("_", "") not in ("utf8", "unicode"):
        raise NotSupported(f'COPY with encoding "{name}" is not supported', option.location)
    return name


def _freeze(option: Option, _: Direction) -> bool:
    found = _truth(option)
    if found is None:
        raise WrongSyntax("freeze requires a Boolean value", option.location)
    if found:
        raise NotSupported("COPY FREEZE is not supported", option.location)
    return found


def _default(option: Option, _: Direction) -> str:
    raise NotSupported("COPY DEFAULT is not supported", option.location)


_READERS: Mapping[str, Callable[[Option, Direction], object]] = {
    "format": _format,
    "delimiter": _string,
    "null": _string,
    "quote": _string,
    "escape": _string,
    "header": _header,
    "force_quote": _columns,
    "force_not_null": _columns,
    "force_null": _columns,
    "encoding": _encoding,
    "freeze": _freeze,
    "default": _default,
}


def _checked(values: Mapping[str, object], direction: Direction) -> CopyOptions:
    found = CopyOptions(**{name: value for name, value in values.items() if name not in ("encoding", "freeze")})  # type: ignore[arg-type]  # each as its reader makes it
    if found.format in ("binary", "parquet"):
        _check_plain(found.format, values)
        return found
    found = _with_defaults(found, values)
    for error in _wrong(found, values, direction):
        raise error
    return found


def _check_plain(format_: CopyFormat, values: Mapping[str, object]) -> None:
    for name, error in (("delimiter", WrongSyntax), ("null", WrongSyntax), ("header", NotSupported)):
        if values.get(name):
            raise error(f"cannot specify {name.upper()} in {format_.upper()} mode")
    for name in ("quote", "escape", "force_quote", "force_not_null", "force_null"):
        if name in values:
            raise NotSupported(f"COPY {name.upper()} requires CSV mode")


def _with_defaults(found: CopyOptions, values: Mapping[str, object]) -> CopyOptions:
    csv = found.format == "csv"
    return CopyOptions(
        found.format,
        found.delimiter if "delimiter" in values else "," if csv else "\t",
        found.null if "null" in values else "" if csv else "\\N",
        found.quote,
        found.escape if "escape" in values else found.quote,
        found.header,
        found.force_quote,
        found.force_not_null,
        found.force_null,
    )


def _wrong(found: CopyOptions, values: Mapping[str, object], direction: Direction) -> list[HoldfastError]:
    """What is wrong with the options of a format of text, first things first."""
    csv = found.format == "csv"
    in_null = "must not appear in the NULL specification"
    checks: tuple[_Check, ...] = (
        (not _one_byte(found.delimiter), NotSupported, "COPY delimiter must be a single one-byte character"),
        (found.delimiter in "\r\n", InvalidOption, "COPY delimiter cannot be newline or carriage return"),
        (_breaks(found.null), InvalidOption, "COPY null representation cannot use newline or carriage return"),
        (
            not csv and found.delimiter in _NOT_DELIMITERS,
            InvalidOption,
            f'COPY delimiter cannot be "{found.delimiter}"',
        ),
        (not csv and "quote" in values, NotSupported, "COPY QUOTE requires CSV mode"),
        (csv and not _one_byte(found.quote), NotSupported, "COPY quote must be a single one-byte character"),
        (csv and found.delimiter == found.quote, InvalidOption, "COPY delimiter and quote must be different"),
        (not csv and "escape" in values, NotSupported, "COPY ESCAPE requires CSV mode"),
        (csv and not _one_byte(found.escape), NotSupported, "COPY escape must be a single one-byte character"),
        *_wrong_columns("force_quote", "from", NotSupported, csv, values, direction),
        *_wrong_columns("force_not_null", "to", InvalidOption, csv, values, direction),
        *_wrong_columns("force_null", "to", InvalidOption, csv, values, direction),
        (found.delimiter in found.null, InvalidOption, f"COPY delimiter character {in_null}"),
        (csv and found.quote in found.null, InvalidOption, f"CSV quote character {in_null}"),
    )
    return [error(message) for wrong, error, message in checks if wrong]


def _wrong_columns(
    name: str,
    never: Direction,
    error: type[NotSupported | InvalidOption],
    csv: bool,
    values: Mapping[str, object],
    direction: Direction,
) -> tuple[_Check, ...]:
    """Of an option that lists columns, which makes sense in one direction."""
    shown = name.upper()
    return (
        (not csv and name in values, NotSupported, f"COPY {shown} requires CSV mode"),
        (name in values and direction == never, error, f"COPY {shown} cannot be used with COPY {never.upper()}"),
    )


def _one_byte(text: str) -> bool:
    return len(text.encode()) == 1


def _breaks(text: str) -> bool:
    return "\r" in text or "\n" in text
