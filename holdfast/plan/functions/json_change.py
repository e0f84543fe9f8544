"""JSON made from JSON: joined, with parts taken away, put in or replaced, and laid out for reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from holdfast.plan.errors import InvalidParameterValue, InvalidTextRepresentation, NullValueNotAllowed
from holdfast.plan.functions.function import Family, Function
from holdfast.plan.functions.json import TEXTS, path_index
from holdfast.plan.json_value import Json, is_scalar, json_object, parse, write
from holdfast.plan.types import BOOL, INT4, JSONB, TEXT, Type

Path: TypeAlias = Sequence[str | None]
Change: TypeAlias = Callable[[Json, str, int], Json]
"""What becomes of a container at the last step of a path, which is at that position, from 1."""


def _joined(left: str, right: str) -> str:
    first, second = parse(left), parse(right)
    if isinstance(first, dict) and isinstance(second, dict):
        return write(json_object([*first.items(), *second.items()]))
    return write([*_listed(first), *_listed(second)])


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


# Taken away


def _container(value: str, doing: str) -> Json:
    parsed = parse(value)
    if is_scalar(parsed):
        raise InvalidParameterValue(f"cannot {doing} scalar")
    return parsed


def _without_keys(value: str, keys: Path) -> str:
    parsed = _container(value, "delete from")
    unwanted = set(keys)
    if isinstance(parsed, dict):
        return write({key: member for key, member in parsed.items() if key not in unwanted})
    return write([item for item in parsed if not (isinstance(item, str) and item in unwanted)])


def _without_key(value: str, key: str) -> str:
    return _without_keys(value, (key,))


def _without_element(value: str, index: int) -> str:
    parsed = _container(value, "delete from")
    if isinstance(parsed, dict):
        raise InvalidParameterValue("cannot delete from object using integer index")
    return write(_cut(parsed, index))


def _cut(items: list[Json], index: int) -> list[Json]:
    place = index + len(items) if index < 0 else index
    return [*items[:place], *items[place + 1 :]] if 0 <= place < len(items) else items


def _without_path(value: str, path: Path) -> str:
    parsed = _container(value, "delete path in")
    return write(_changed(parsed, path, _delete)) if path and parsed else value


def _delete(container: Json, step: str, position: int) -> Json:
    if isinstance(container, dict):
        return {key: member for key, member in container.items() if key != step}
    return _cut(container, _index(step, position))


def _without_nulls(value: str, also_in_arrays: bool = False) -> str:
    return write(_stripped(parse(value), also_in_arrays))


def _stripped(value: Json, also_in_arrays: bool) -> Json:
    if isinstance(value, dict):
        return {key: _stripped(member, also_in_arrays) for key, member in value.items() if member is not None}
    if isinstance(value, list):
        return [_stripped(item, also_in_arrays) for item in value if item is not None or not also_in_arrays]
    return value


# Put in


def _changed(value: Json, path: Path, change: Change, position: int = 1) -> Json:
    """The value with what is at the end of a path changed; unchanged where the path leads nowhere."""
    step = path[position - 1]
    if step is None:
        raise NullValueNotAllowed(f"path element at position {position} is null")
    if is_scalar(value):
        return value
    if position == len(path):
        return change(value, step, position)
    if isinstance(value, dict):
        if step not in value:
            return value
        return value | {step: _changed(value[step], path, change, position + 1)}
    place = _index(step, position)
    place += len(value) if place < 0 else 0
    if not 0 <= place < len(value):
        return value
    return [*value[:place], _changed(value[place], path, change, position + 1), *value[place + 1 :]]


def _index(step: str, position: int) -> int:
    found = path_index(step)
    if found is None:
        raise InvalidTextRepresentation(f'path element at position {position} is not an integer: "{step}"')
    return found


def _set(value: str, path: Path, new: str, create: bool = True) -> str:
    parsed = _container(value, "set path in")
    member = parse(new)

    def change(container: Json, step: str, position: int) -> Json:
        if isinstance(container, dict):
            return json_object({**container, step: member}.items()) if create or step in container else container
        index = _index(step, position)
        place = index + len(container) if index < 0 else index
        if 0 <= place < len(container):
            return [*container[:place], member, *container[place + 1 :]]
        if not create:
            return container
        return [member, *container] if place < 0 else [*container, member]

    return write(_changed(parsed, path, change)) if path and (parsed or create) else value


_TREATMENTS = ("delete_key", "return_target", "use_json_null", "raise_exception")


def _set_lax(
    value: str | None,
    path: Path | None,
    new: str | None,
    create: bool | None = True,
    treatment: str | None = _TREATMENTS[2],
) -> str | None:
    if value is None or path is None or create is None:
        return None
    if treatment is None or (new is None and treatment not in _TREATMENTS):
        *others, last = (f'"{name}"' for name in _TREATMENTS)
        raise InvalidParameterValue(f"null_value_treatment must be {', '.join(others)}, or {last}")
    if new is not None:
        return _set(value, path, new, create)
    match treatment:
        case "raise_exception":
            error = NullValueNotAllowed("JSON value must not be null")
            error.detail = 'Exception was raised because null_value_treatment is "raise_exception".'
            error.hint = (
                "To avoid, either change the null_value_treatment argument or ensure that an SQL NULL is not passed."
            )
            raise error
        case "delete_key":
            return _without_path(value, path)
        case "return_target":
            return value
    return _set(value, path, "null", create)


def _insert(value: str, path: Path, new: str, after: bool = False) -> str:
    parsed = _container(value, "set path in")
    member = parse(new)

    def change(container: Json, step: str, position: int) -> Json:
        if isinstance(container, dict):
            if step in container:
                error = InvalidParameterValue("cannot replace existing key")
                error.hint = "Try using the function jsonb_set to replace key value."
                raise error
            return json_object({**container, step: member}.items())
        index = _index(step, position)
        place = index + len(container) if index < 0 else index
        if place < 0:
            return [member, *container]
        place = min(place + after, len(container))
        return [*container[:place], member, *container[place:]]

    return write(_changed(parsed, path, change)) if path else value


# Laid out


def _pretty(value: str) -> str:
    return "\n".join(_lines(parse(value), ""))


def _lines(value: Json, indent: str) -> list[str]:
    """The lines of a value. The first stands after what comes before it, and so is not indented."""
    if is_scalar(value):
        return [write(value)]
    inner = indent + "    "
    parts = list(value.items()) if isinstance(value, dict) else [(None, item) for item in value]
    first, last = "{}" if isinstance(value, dict) else "[]"
    lines = [first]
    for number, (key, part) in enumerate(parts, start=1):
        shown = _lines(part, inner)
        shown[0] = f"{inner}{'' if key is None else f'{write(key)}: '}{shown[0]}"
        if number < len(parts):
            shown[-1] += ","
        lines += shown
    return [*lines, indent + last]


def _deleting(arguments: tuple[Type, ...], python: Callable[..., str], doc: str) -> tuple[Function, Function]:
    return (
        Function("-", arguments, JSONB, python, fails=True, infix=True, doc=doc),
        Function("jsonb_delete", arguments, JSONB, python, fails=True, doc=doc),
    )


_DELETING = (
    _deleting((JSONB, TEXT), _without_key, "Without a key, or a string."),
    _deleting((JSONB, INT4), _without_element, "Without the element at a place."),
    _deleting((JSONB, TEXTS), _without_keys, "Without these keys, or strings."),
)

_SET, _SET_LAX, _INSERT = (
    "With another value at a path, which is made if need be.",
    "The same, where a null for the new value is treated as asked for.",
    "With another value before, or after, the place at a path.",
)

FAMILY = Family(
    "JSON from JSON",
    functions=(
        *(function for _, function in _DELETING),
        Function("jsonb_concat", (JSONB, JSONB), JSONB, _joined, doc="Two objects or arrays as one."),
        Function(
            "jsonb_delete_path", (JSONB, TEXTS), JSONB, _without_path, fails=True, doc="Without what is at a path."
        ),
        Function("jsonb_strip_nulls", (JSONB,), JSONB, _without_nulls, doc="Without members that are null."),
        Function(
            "jsonb_strip_nulls",
            (JSONB, BOOL),
            JSONB,
            _without_nulls,
            doc="Without members that are null, and if so asked without elements that are.",
        ),
        Function("jsonb_set", (JSONB, TEXTS, JSONB), JSONB, _set, fails=True, doc=_SET),
        Function("jsonb_set", (JSONB, TEXTS, JSONB, BOOL), JSONB, _set, fails=True, doc=_SET),
        *(
            Function(
                "jsonb_set_lax",
                (JSONB, TEXTS, JSONB, BOOL, TEXT)[:count],
                JSONB,
                _set_lax,
                strict=False,
                makes_null=True,
                fails=True,
                doc=_SET_LAX,
            )
            for count in (3, 4, 5)
        ),
        Function("jsonb_insert", (JSONB, TEXTS, JSONB), JSONB, _insert, fails=True, doc=_INSERT),
        Function("jsonb_insert", (JSONB, TEXTS, JSONB, BOOL), JSONB, _insert, fails=True, doc=_INSERT),
        Function("jsonb_pretty", (JSONB,), TEXT, _pretty, doc="Over several lines, indented."),
    ),
    operators=(
        *(operator for operator, _ in _DELETING),
        Function("||", (JSONB, JSONB), JSONB, _joined, infix=True, doc="Two objects or arrays as one."),
        Function("#-", (JSONB, TEXTS), JSONB, _without_path, fails=True, infix=True, doc="Without what is at a path."),
    ),
)
