"""Functions that users made, as the relations of the system show them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from holdfast.adapter.catalog.builtin.relation import Builtin, Row, columns
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.adapter.catalog.objects import Item
from holdfast.plan.python_function import PythonFunction
from holdfast.plan.types import Type

PYTHON = 15_999
"""The oid of the language that they are written in."""

TypeText = Callable[[int], str]
"""From the oid of a type to its name."""


@dataclass(frozen=True, slots=True)
class ShownFunction:
    """`names` are what its arguments were called, empty for one that was not."""

    item: Item
    python: PythonFunction
    strict: bool
    arguments: tuple[Type, ...]
    argument_oids: tuple[int, ...]
    result_oid: int

    @property
    def names(self) -> tuple[str, ...]:
        named = enumerate(self.python.parameters, start=1)
        return tuple("" if name == f"arg{place}" else name for place, name in named)

    def arguments_text(self, type_text: TypeText) -> str:
        """`a integer, text`."""
        pairs = zip(self.names, self.argument_oids, strict=True)
        return ", ".join(f"{name} {type_text(oid)}".strip() for name, oid in pairs)


def functions(shown: Shown, *, here: bool) -> Iterator[ShownFunction]:
    """All of them, or those of the session's database."""
    for item in shown.items:
        if item.function is None or (here and not shown.is_here(shown.state.schemas[item.schema])):
            continue
        python, taken = item.function.python, item.function.arguments
        assert isinstance(python, PythonFunction)  # there is no other language
        arguments = tuple(type_ for type_ in taken if isinstance(type_, Type))
        oids = tuple(shown.type_oid(type_) for type_ in arguments)
        yield ShownFunction(item, python, item.function.strict, arguments, oids, shown.type_oid(python.result))


def routine_rows(shown: Shown) -> Iterator[dict[str, object]]:
    """What `pg_proc` has of them, by column."""
    for found in functions(shown, here=True):
        named = any(found.names)
        yield {
            "oid": found.item.oid,
            "proname": found.item.name,
            "pronamespace": shown.state.schemas[found.item.schema].oid,
            "proowner": shown.role_oid(found.item.owner),
            "prolang": PYTHON,
            "procost": 100.0,
            "prokind": "f",
            "proisstrict": found.strict,
            "provolatile": "i",
            "proparallel": "s",
            "pronargs": len(found.argument_oids),
            "prorettype": found.result_oid,
            "proargtypes": found.argument_oids,
            "proargnames": found.names if named else None,
            "prosrc": found.python.body,
        }


def function_rows(shown: Shown) -> Iterator[Row]:
    """What `mz_functions` has of them."""
    ids = {item.oid: str(item.id) for item in shown.types}
    for found in functions(shown, here=False):
        arguments = tuple(ids.get(oid, f"s{oid}") for oid in found.argument_oids)
        result, item = ids.get(found.result_oid, f"s{found.result_oid}"), found.item
        yield str(item.id), item.oid, item.schema, item.name, arguments, None, result, False, item.owner


def _shown(shown: Shown) -> Iterator[Row]:
    for found in functions(shown, here=False):
        types = dict(zip(found.argument_oids, map(str, found.arguments), strict=True))
        arguments = found.arguments_text(types.__getitem__)
        yield str(found.item.id), found.item.schema, found.item.name, arguments, str(found.python.result), "python"


RELATIONS: tuple[Builtin, ...] = (
    Builtin(
        17411,
        "mz_internal",
        "mz_show_functions",
        columns("id text!, schema_id text!, name text!, arguments text!, result text!, language text!"),
        _shown,
    ),
)
