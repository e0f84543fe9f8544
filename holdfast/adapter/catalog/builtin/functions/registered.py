"""Objects by name: `'orders'::regclass`, `to_regtype('int')`, and the names that values of these types show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeAlias

from holdfast.adapter.catalog.builtin.functions.visible import Found, Visible
from holdfast.adapter.catalog.builtin.routines import routines
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.adapter.catalog.builtin.system_types import OF_KIND, SYSTEM_TYPES, TYPE_FUNCTIONS
from holdfast.adapter.catalog.builtin.user_functions import functions
from holdfast.errors import QueryError
from holdfast.plan.errors import (
    AmbiguousFunctionAtRunTime,
    InvalidName,
    InvalidTextRepresentation,
    UndefinedFunctionAtRunTime,
    UndefinedObjectAtRunTime,
    UndefinedSchemaAtRunTime,
    UndefinedTableAtRunTime,
)
from holdfast.plan.functions.type_names import format_type
from holdfast.plan.text.numbers import is_oid, read_oid
from holdfast.sql.errors import SyntaxFailure
from holdfast.sql.parser import parse_type_name
from holdfast.sql.render.quote import identifier
from holdfast.sql.typenames import type_of

Read: TypeAlias = Callable[[str], int]
Write: TypeAlias = Callable[[int], str]

_FUNCTION_AMBIGUOUS = 'more than one function named "{}"'


def parts_of(text: str) -> tuple[str, ...]:
    """The parts of a name as SQL writes it: in lower case, unless in quotes."""
    parts: list[str] = []
    rest = text.strip()
    while True:
        if rest.startswith('"'):
            part, rest = _quoted(rest)
        else:
            end = next((place for place, letter in enumerate(rest) if letter in '."' or letter.isspace()), len(rest))
            part, rest = rest[:end].lower(), rest[end:]
        rest = rest.lstrip()
        if not part or (rest and not rest.startswith(".")):
            raise InvalidName("invalid name syntax")
        parts.append(part)
        if not rest:
            return tuple(parts)
        rest = rest[1:].lstrip()


def _quoted(rest: str) -> tuple[str, str]:
    end = 1
    while True:
        end = rest.find('"', end)
        if end < 0:
            raise InvalidName("invalid name syntax")
        if rest[end : end + 2] != '""':
            return rest[1:end].replace('""', '"'), rest[end + 1 :]
        end += 2


def _numbered(read: Read) -> Read:
    """Names; or oids as they are, of which `-` is zero."""

    def found(text: str) -> int:
        if is_oid(text):
            return 0 if text == "-" else read_oid(text)
        return read(text)

    return found


def _looked_up(found: Found, parts: tuple[str, ...], database: str) -> int | None:
    if len(parts) == 3 and parts[0] == database:
        parts = parts[1:]
    if len(parts) == 1:
        return found.by_name.get(parts[0])
    return found.by_schema.get((parts[0], parts[1])) if len(parts) == 2 else None


def relation_oid(visible: Visible, shown: Shown) -> Read:
    found, database = visible.relations, shown.introspection.database

    def read(text: str) -> int:
        oid = _looked_up(found, parts_of(text), database)
        if oid is None:
            raise UndefinedTableAtRunTime(f'relation "{text}" does not exist')
        return oid

    return _numbered(read)


def type_oid(visible: Visible, shown: Shown) -> Read:
    """Any way in which SQL writes a type, with its modifiers, which are left out."""
    names, oid_of, found = visible.names, shown.type_oid, visible.types

    def read(text: str) -> int:
        try:
            return oid_of(type_of(parse_type_name(text), names))
        except SyntaxFailure:
            raise InvalidName(f'invalid type name "{text}"') from None
        except QueryError:
            oid = found.by_name.get(text)
            if oid is None:
                raise UndefinedObjectAtRunTime(f'type "{text}" does not exist') from None
            return oid

    return _numbered(read)


def function_oid(visible: Visible, shown: Shown) -> Read:
    found, database = visible.functions, shown.introspection.database
    many: dict[str, int] = {}
    for _, name in found.names.values():
        many[name] = many.get(name, 0) + 1

    def read(text: str) -> int:
        parts = parts_of(text)
        oid = _looked_up(found, parts, database)
        if oid is None:
            raise UndefinedFunctionAtRunTime(f'function "{text}" does not exist')
        if many[parts[-1]] > 1:
            raise AmbiguousFunctionAtRunTime(_FUNCTION_AMBIGUOUS.format(text))
        return oid

    return _numbered(read)


def procedure_oid(visible: Visible, shown: Shown) -> Read:
    """`name(types)`."""
    by_signature = {signature: oid for oid, signature in _signatures_shown(shown).items()}
    type_ = type_oid(visible, shown)

    def read(text: str) -> int:
        name, bracket, rest = text.partition("(")
        if not bracket or not rest.rstrip().endswith(")"):
            raise InvalidTextRepresentation("expected a left parenthesis")
        inside = rest.rstrip()[:-1].strip()
        types = [_written(type_(part.strip())) for part in inside.split(",")] if inside else []
        oid = by_signature.get(f"{parts_of(name)[-1]}({','.join(map(str, types))})")
        if oid is None:
            raise UndefinedFunctionAtRunTime(f'function "{text}" does not exist')
        return oid

    return _numbered(read)


def _written(oid: int) -> str:
    return "cstring" if oid == OF_KIND["cstring"] else str(format_type(oid, None))


@cache
def _signatures() -> Mapping[int, str]:
    """Of functions that can be called, and of those that read values from text."""
    called = {
        found.oid: f"{identifier(found.name)}({','.join(str(format_type(oid, None)) for oid in found.argument_oids)})"
        for found in routines()
    }
    whole = {found.functions[0] for found in SYSTEM_TYPES if found.element_oid or found.modifier_functions[0]}
    reads = {
        TYPE_FUNCTIONS[found.functions[0]]: found.functions[0]
        + ("(cstring,oid,integer)" if found.functions[0] in whole else "(cstring)")
        for found in SYSTEM_TYPES
    }
    return {**reads, **called}


def _signatures_shown(shown: Shown) -> Mapping[int, str]:
    """Those of the functions of users, too."""
    own = {
        found.item.oid: f"{identifier(found.item.name)}({','.join(map(str, found.arguments))})"
        for found in functions(shown, here=True)
    }
    return {**_signatures(), **own}


def schema_oid(_: Visible, shown: Shown) -> Read:
    oids = {schema.name: schema.oid for schema in shown.schemas_here}

    def read(text: str) -> int:
        parts = parts_of(text)
        if len(parts) > 1:
            raise InvalidName("invalid name syntax")
        if parts[0] not in oids:
            raise UndefinedSchemaAtRunTime(f'schema "{parts[0]}" does not exist')
        return oids[parts[0]]

    return _numbered(read)


def role_oid(_: Visible, shown: Shown) -> Read:
    oids = {role.name: role.oid for role in shown.state.roles.values()}

    def read(text: str) -> int:
        parts = parts_of(text)
        if len(parts) > 1:
            raise InvalidName("invalid name syntax")
        if parts[0] not in oids:
            raise UndefinedObjectAtRunTime(f'role "{parts[0]}" does not exist')
        return oids[parts[0]]

    return _numbered(read)


def _named(found: Found) -> Write:
    """The name, with its schema where the search path would not find it. An oid that nothing has is a number."""
    names = {
        oid: identifier(name) if found.is_visible(oid) else f"{identifier(schema)}.{identifier(name)}"
        for oid, (schema, name) in found.names.items()
    }
    return lambda oid: names.get(oid) or (str(oid) if oid else "-")


def relation_name(visible: Visible, _: Shown) -> Write:
    return _named(visible.relations)


def type_name(visible: Visible, shown: Shown) -> Write:
    formatted = formatted_type(visible, shown)

    def write(oid: int) -> str:
        name = formatted(oid, None)
        return str(oid) if name is None or name == "???" else name

    return write


def function_name(visible: Visible, _: Shown) -> Write:
    return _named(visible.functions)


def procedure_name(_: Visible, shown: Shown) -> Write:
    signatures = _signatures_shown(shown)
    return lambda oid: signatures.get(oid) or (str(oid) if oid else "-")


def schema_name(_: Visible, shown: Shown) -> Write:
    names = {schema.oid: identifier(schema.name) for schema in shown.schemas_here}
    return lambda oid: names.get(oid) or (str(oid) if oid else "-")


def role_name(_: Visible, shown: Shown) -> Write:
    names = {role.oid: identifier(role.name) for role in shown.state.roles.values()}
    return lambda oid: names.get(oid) or (str(oid) if oid else "-")


def formatted_type(visible: Visible, _: Shown) -> Callable[[int | None, int | None], str | None]:
    """As `format_type` has it, users' types included."""
    found = visible.types
    own = {
        oid: identifier(name) if found.is_visible(oid) else f"{identifier(schema)}.{identifier(name)}"
        for oid, (schema, name) in found.names.items()
        if format_type(oid, None) == "???"
    }

    def formatted(oid: int | None, modifier: int | None) -> str | None:
        return own[oid] if oid in own else format_type(oid, modifier)

    return formatted
