"""How objects are written: the queries of views, the signatures of functions, comments."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from holdfast.adapter.catalog.builtin.functions.registered import formatted_type, relation_oid
from holdfast.adapter.catalog.builtin.functions.visible import Visible
from holdfast.adapter.catalog.builtin.mz_objects import definition_of
from holdfast.adapter.catalog.builtin.pg_indexes import index_statement, key_texts
from holdfast.adapter.catalog.builtin.pg_notes import (
    CLASS,
    DATABASE,
    NAMESPACE,
    OPERATOR,
    PROC,
    ROLE,
    TYPE,
    descriptions,
    shared_descriptions,
)
from holdfast.adapter.catalog.builtin.routines import Routine, routines
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.adapter.catalog.builtin.user_functions import ShownFunction
from holdfast.adapter.catalog.builtin.user_functions import functions as user_functions
from holdfast.sql.render.quote import identifier

_RELATIONS = {
    "pg_class": CLASS,
    "pg_namespace": NAMESPACE,
    "pg_type": TYPE,
    "pg_proc": PROC,
    "pg_operator": OPERATOR,
    "pg_database": DATABASE,
    "pg_authid": ROLE,
    "pg_roles": ROLE,
}


def viewdef(visible: Visible, shown: Shown) -> Callable[..., str | None]:
    """Null for a relation that is no view, as PostgreSQL has it."""
    read = relation_oid(visible, shown)
    queries = {
        found.oid: definition for found in shown.relations_here if (definition := definition_of(found)) is not None
    }

    def of(relation: int | str, _pretty: object = None) -> str | None:
        return queries.get(read(relation) if isinstance(relation, str) else relation)

    return of


def indexdef(_: Visible, shown: Shown) -> Callable[..., str | None]:
    """The statement that would make an index, or one of the expressions of its key, which count from 1."""
    statements = {item.oid: index_statement(shown, item) for item in shown.indexes_here}
    keys = {item.oid: tuple(key_texts(item)) for item in shown.indexes_here}

    def of(index: int, column: int = 0, _pretty: object = None) -> str | None:
        if index not in statements or not column:
            return statements.get(index)
        return keys[index][column - 1] if column <= len(keys[index]) else ""

    return of


def userbyid(_: Visible, shown: Shown) -> Callable[[int], str]:
    names = {role.oid: role.name for role in shown.state.roles.values()}
    return lambda oid: names.get(oid, f"unknown (OID={oid})")


def obj_description(_: Visible, shown: Shown) -> Callable[..., str | None]:
    by_place = {(oid, relation): text for oid, relation, column, text in descriptions(shown) if column == 0}
    by_oid = {oid: text for (oid, _), text in by_place.items()}

    def of(oid: int, relation: str | None = None) -> str | None:
        if relation is None:
            return by_oid.get(oid)
        return by_place.get((oid, _RELATIONS.get(relation, 0)))

    return of


def col_description(_: Visible, shown: Shown) -> Callable[[int, int], str | None]:
    texts = {(oid, column): text for oid, _, column, text in descriptions(shown) if column}
    return lambda oid, column: texts.get((oid, column))


def shobj_description(_: Visible, shown: Shown) -> Callable[[int, str], str | None]:
    texts = {(oid, relation): text for oid, relation, text in shared_descriptions(shown)}
    return lambda oid, relation: texts.get((oid, _RELATIONS.get(relation, 0)))


@cache
def _by_oid() -> dict[int, Routine]:
    return {found.oid: found for found in routines()}


def _own(shown: Shown) -> dict[int, ShownFunction]:
    """Those of users, by oid."""
    return {found.item.oid: found for found in user_functions(shown, here=True)}


def function_arguments(visible: Visible, shown: Shown) -> Callable[[int], str | None]:
    formatted, functions, own = formatted_type(visible, shown), _by_oid(), _own(shown)

    def of(oid: int) -> str | None:
        found = functions.get(oid)
        if found is None:
            return None if oid not in own else own[oid].arguments_text(lambda each: str(formatted(each, None)))
        types = [str(formatted(each, None)) for each in found.argument_oids]
        if found.variadic_oid:
            types[-1] = f"VARIADIC {types[-1]}"
        return ", ".join(types)

    return of


def function_result(visible: Visible, shown: Shown) -> Callable[[int], str | None]:
    formatted, functions, own = formatted_type(visible, shown), _by_oid(), _own(shown)

    def of(oid: int) -> str | None:
        found = functions.get(oid)
        if found is None:
            return None if oid not in own else str(formatted(own[oid].result_oid, None))
        if found.columns:
            return f"TABLE({', '.join(f'{name} {formatted(each, None)}' for name, each in found.columns)})"
        return ("SETOF " if found.returns_set else "") + str(formatted(found.result_oid, None))

    return of


def functiondef(visible: Visible, shown: Shown) -> Callable[[int], str | None]:
    arguments, result = function_arguments(visible, shown), function_result(visible, shown)
    functions, own = _by_oid(), _own(shown)

    def of(oid: int) -> str | None:
        found = functions.get(oid)
        if found is None:
            return None if oid not in own else _in_python(own[oid], shown, str(arguments(oid)), str(result(oid)))
        head = f"CREATE OR REPLACE FUNCTION pg_catalog.{found.name}({arguments(oid)})"
        return f"{head}\n RETURNS {result(oid)}\n LANGUAGE internal\nAS $function${found.name}$function$\n"

    return of


def _in_python(found: ShownFunction, shown: Shown, arguments: str, result: str) -> str:
    schema = identifier(shown.state.schemas[found.item.schema].name)
    head = f"CREATE OR REPLACE FUNCTION {schema}.{identifier(found.item.name)}({arguments})"
    promise = "IMMUTABLE STRICT" if found.strict else "IMMUTABLE"
    return f"{head}\n RETURNS {result}\n LANGUAGE python\n {promise}\nAS $function${found.python.body}$function$\n"


def serial_sequence(visible: Visible, shown: Shown) -> Callable[[str, str], None]:
    """There are no sequences; a table that is not there is an error all the same."""
    read = relation_oid(visible, shown)

    def of(table: str, _column: str) -> None:
        read(table)

    return of


def describe_object(visible: Visible, shown: Shown) -> Callable[[int, int, int], str | None]:
    names = {oid: name for oid, (_, name) in visible.relations.names.items()}
    kinds = {found.oid: found.kind.replace("-", " ") for found in shown.relations_here}
    kinds |= {item.oid: "index" for item in shown.indexes_here}

    def of(relation: int, oid: int, column: int) -> str | None:
        if relation != CLASS or oid not in names:
            return None
        shown_as = f"{kinds.get(oid, 'composite type')} {names[oid]}"
        return f"column {column} of {shown_as}" if column else shown_as

    return of
