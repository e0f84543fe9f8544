"""The registry as users read it: signatures with a line about each, in a terminal and as a page of the reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from holdfast.plan.functions.function import (
    Aggregate,
    Any,
    ColumnsByConstant,
    Family,
    Function,
    Pattern,
    TableFunction,
    WindowFunction,
)
from holdfast.plan.functions.registry import FAMILIES
from holdfast.plan.functions.system import display_of
from holdfast.plan.types import INT4, INT4RANGE, TEXT, Range, Type, array_of, list_of, map_of, record_of

FEW = 4
"""Overloads of one shape that a page still has one by one."""

Member = Function | Aggregate | WindowFunction | TableFunction

STAND_INS: Mapping[Any, Type] = {
    Any.ANY: TEXT,
    Any.ELEMENT: INT4,
    Any.ARRAY: array_of(INT4),
    Any.NONARRAY: INT4,
    Any.COMPATIBLE: INT4,
    Any.COMPATIBLE_ARRAY: array_of(INT4),
    Any.COMPATIBLE_NONARRAY: INT4,
    Any.RANGE: INT4RANGE,
    Any.LIST: list_of(INT4),
    Any.LIST_ELEMENT: INT4,
    Any.MAP: map_of(INT4),
    Any.MAP_VALUE: INT4,
    Any.RECORD: record_of(("a",), (INT4,)),
}
"""A type of each kind, to ask a function for its result with."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One overload. `name` is the one it is listed by, which may be an alias; `types` are those of its arguments."""

    family: str
    name: str
    types: tuple[str, ...]
    call: str
    result: str
    doc: str

    @property
    def shape(self) -> tuple[str, ...]:
        """The signature with `x` for the type of all its arguments, if they have one, and of its result if it is the
        same."""
        if len(set(self.types)) != 1:
            return (self.call, "→", self.result)
        arguments = ["x"] * len(self.types)
        call = _written(self.name, arguments)
        return (call, "→", "x" if self.result == self.types[0] != "boolean" else self.result)


def entries(families: Iterable[Family] = FAMILIES) -> Iterator[Entry]:
    """Everything that a query can call or write between its values, in the registry's order."""
    for family in families:
        others: dict[str, list[str]] = {}
        for alias, name in family.aliases.items():
            others.setdefault(name, []).append(alias)
        for member in _members(family):
            for name in (member.name, *others.get(member.name, ())):
                types = tuple(_shown(argument) for argument in member.arguments)
                yield Entry(family.title, name, types, _call(name, member), _result(member), member.doc)


def _members(family: Family) -> Iterator[Member]:
    """Names that are words, or symbols: what only syntax calls has other names."""
    members: tuple[tuple[Member, ...], ...] = (
        family.operators,
        family.functions,
        family.aggregates,
        family.windows,
        family.tables,
    )
    for member in chain.from_iterable(members):
        if member.name.isidentifier() or not any(character.isalnum() or character == " " for character in member.name):
            yield member


def _shown(pattern: Pattern) -> str:
    return pattern.value if isinstance(pattern, Any) else display_of(pattern)


def _call(name: str, member: Member) -> str:
    arguments = [_shown(argument) for argument in member.arguments]
    if isinstance(member, WindowFunction):
        needed = len(arguments) - member.optional
        shown = ", ".join(arguments[:needed]) + "".join(f"[, {argument}]" for argument in arguments[needed:])
        return f"{name}({shown}) OVER (...)"
    if isinstance(member, Aggregate) and member.direct:
        direct, ordered = ", ".join(arguments[: member.direct]), ", ".join(arguments[member.direct :])
        return f"{name}({direct}) WITHIN GROUP (ORDER BY {ordered})"
    return _written(name, [*arguments, "..."] if member.variadic else arguments)


def _written(name: str, arguments: Sequence[str]) -> str:
    if name.isidentifier():
        return f"{name}({', '.join(arguments)})"
    return f"{arguments[0]} {name} {arguments[1]}" if len(arguments) == 2 else f"{name} {arguments[0]}"


def _result(member: Member) -> str:
    types = tuple(STAND_INS[a] if isinstance(a, Any) else a for a in member.arguments)
    if not isinstance(member, WindowFunction) and member.variadic:
        types += types[-1:]
    if isinstance(member, TableFunction):
        if isinstance(member.columns, ColumnsByConstant):
            return "rows (column1, ...)"
        columns = member.columns(types) if callable(member.columns) else member.columns
        return f"rows ({', '.join(columns.names)})"
    if not callable(member.result):
        return _shown(member.result)
    return kind_of(member.result(types), member.arguments)


def kind_of(result: Type, arguments: Sequence[Pattern]) -> str:
    """The name of the kind that a stand-in stands for."""
    kinds = [argument for argument in arguments if isinstance(argument, Any)]
    if result in (INT4, array_of(INT4)) or isinstance(result, Range):
        for kind in kinds:
            if STAND_INS[kind] == result:
                return kind.value
        if kinds and result == array_of(INT4):
            return Any.ARRAY.value
        if kinds and result == INT4:
            return Any.ELEMENT.value
    return display_of(result)


def matching(word: str | None, family: str | None) -> list[Entry]:
    """Those whose name has the word in it, of the families whose title has the other."""
    return [
        entry
        for entry in entries()
        if (word is None or word.lower() in entry.name) and (family is None or family.lower() in entry.family.lower())
    ]


def text(listed: Sequence[Entry]) -> str:
    """For a terminal."""
    lines: list[str] = []
    title = None
    for entry in listed:
        if entry.family != title:
            title = entry.family
            lines += ([""] if lines else []) + [title, "-" * len(title)]
        call = f"{entry.call} → {entry.result}"
        lines.append(f"{call:<60}  {entry.doc}".rstrip())
    return "\n".join(lines)


_HEAD = """# Functions and operators

What a query can call, by family. `holdfast functions` prints the same; this page is made by
`holdfast functions --markdown`. The names of kinds (`anyelement`, `anyarray`...) are PostgreSQL's. What differs from
PostgreSQL is in [differences](differences.md)."""


def markdown(listed: Sequence[Entry]) -> str:
    """A page: the overloads of a name that have one description share a line."""
    parts = [_HEAD]
    rows: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in listed:
        rows.setdefault((entry.family, entry.name, entry.doc), []).append(entry)
    title = None
    for (family, _, doc), overloads in rows.items():
        if family != title:
            title = family
            parts.append(f"\n## {title}\n\n| call | |\n| --- | --- |")
        calls = "<br>".join(_gathered(overloads)).replace("|", r"\|")
        parts.append(f"| {calls} | {doc.replace('|', chr(92) + '|')} |")
    return "\n".join(parts) + "\n"


def _gathered(overloads: Sequence[Entry]) -> list[str]:
    """Signatures; those that are the same but for one type as one, with the types named after it."""
    alike: dict[tuple[str, ...], list[Entry]] = {}
    for entry in overloads:
        alike.setdefault(entry.shape, []).append(entry)
    found = []
    for shape, entries_ in alike.items():
        if len(entries_) < FEW:
            found += [f"`{entry.call} → {entry.result}`" for entry in entries_]
        else:
            types = ", ".join(entry.types[0] for entry in entries_)
            found.append(f"`{' '.join(shape)}` for x of {types}")
    return found
