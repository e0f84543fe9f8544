"""The durable catalog: a row for each object, of its kind, its key and the rest of it as JSON.

Only what does not follow from an item's statement is kept beside it. The system's own objects and temporary items are
never durable. A field that a later version adds has a value for rows that were written without it; `upgrades` are the
rows that such a version writes otherwise.
"""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import pyarrow as pa

from holdfast.adapter.catalog.definition import CreateItem, undefined, with_definition
from holdfast.adapter.catalog.errors import UnreadableCatalog
from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.catalog.objects import (
    Comment,
    Database,
    DefaultGrant,
    Grant,
    Item,
    Object,
    Role,
    Schema,
    Setting,
)
from holdfast.adapter.catalog.state import CatalogState, Change
from holdfast.adapter.catalog.statement import settled, statement_of
from holdfast.adapter.catalog.whole import whole
from holdfast.errors import HoldfastError, UsageError
from holdfast.repr.ids import GlobalId
from holdfast.repr.row import RowType
from holdfast.sql.syntax.statement.create import CreateIndex, CreateMaterializedView, CreateView

log = logging.getLogger(__name__)

CatalogRow: TypeAlias = tuple[str, str, str]
Json: TypeAlias = dict[str, Any]  # what json.loads gives

ROW_TYPE = RowType(pa.schema([pa.field(name, pa.string(), nullable=False) for name in ("kind", "key", "value")]))


def is_durable(found: Object) -> bool:
    match found:
        case Item():
            return found.session is None
        case Role() | Database() | Schema():
            return not found.id.startswith("s")
    return True


def encode(found: Object) -> CatalogRow:
    """The row of an object that is durable."""
    if not is_durable(found):
        raise UsageError(f"{found} is not durable")
    kind, key, value = _encode(found)
    return kind, key, json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def updates(changes: Sequence[Change]) -> list[tuple[CatalogRow, int]]:
    """The rows that come (1) and go (-1) with the changes of the durable objects among them."""
    found: dict[CatalogRow, int] = defaultdict(int)
    for change in changes:
        if change.removed is not None and is_durable(change.removed):
            found[encode(change.removed)] -= 1
        if change.added is not None and is_durable(change.added):
            found[encode(change.added)] += 1
    return [(row, diff) for row, diff in found.items() if diff]


def rows(state: CatalogState) -> list[CatalogRow]:
    """All that is durable of a catalog."""
    return [encode(found) for found in state.objects() if is_durable(found)]


def upgrades(held: Iterable[CatalogRow], state: CatalogState) -> list[tuple[CatalogRow, int]]:
    """What makes the rows that `state` was loaded from those that this version would write."""
    old, new = set(held), set(rows(state))
    return [*((row, -1) for row in sorted(old - new)), *((row, 1) for row in sorted(new - old))]


def load(held: Iterable[CatalogRow]) -> CatalogState:
    """The catalog of these rows."""
    objects: list[Object] = []
    items: list[Item] = []
    for kind, key, value in held:
        try:
            found = _DECODE[kind](json.loads(value))
        except (KeyError, ValueError, TypeError, HoldfastError) as error:
            raise UnreadableCatalog(f"the catalog's row of {kind} {key} cannot be read: {error}") from error
        if isinstance(found, Item):
            items.append(found)
        else:
            objects.append(found)
    state = CatalogState.system().changed([Change(None, found) for found in objects])
    return _with_items(state, items)


# Objects to JSON and back


def _encode(found: Object) -> tuple[str, str, Json]:
    match found:
        case Role():
            return "role", found.id, _role(found)
        case Database():
            return "database", found.id, {**_named(found), "owner": found.owner, "grants": _grants(found.grants)}
        case Schema():
            value = {**_named(found), "owner": found.owner, "grants": _grants(found.grants)}
            return "schema", found.id, {**value, "database": found.database}
        case Item():
            value = {**_named(found), "owner": found.owner, "grants": _grants(found.grants)}
            return "item", str(found.id), {**value, "schema": found.schema, "kind": found.kind, "sql": found.sql}
        case DefaultGrant():
            about = {
                "creator": found.creator,
                "kind": found.kind,
                "grantee": found.grantee,
                "database": found.database,
                "schema": found.schema,
            }
            key = "/".join(each or "" for each in about.values())
            return "default_grant", key, {**about, "privileges": _letters(found.privileges)}
        case Comment():
            key = found.object if found.column is None else f"{found.object}/{found.column}"
            return "comment", key, {"object": found.object, "column": found.column, "text": found.text}
        case Setting():
            return "setting", found.name, {"name": found.name, "value": found.value}


def _named(found: Role | Database | Schema | Item) -> Json:
    return {"id": str(found.id), "oid": found.oid, "name": found.name}


def _letters(privileges: frozenset[str]) -> str:
    return "".join(sorted(privileges))


def _grants(grants: tuple[Grant, ...]) -> list[Json]:
    return [{"grantee": g.grantee, "grantor": g.grantor, "privileges": _letters(g.privileges)} for g in grants]


def _role(role: Role) -> Json:
    return {
        **_named(role),
        "superuser": role.superuser,
        "login": role.login,
        "inherit": role.inherit,
        "system_privileges": _letters(role.system_privileges),
        "verifier": role.verifier,
        "parameters": [list(pair) for pair in role.parameters],
        "member_of": sorted(role.member_of),
    }


def _grants_of(value: Json) -> tuple[Grant, ...]:
    return tuple(Grant(g["grantee"], g["grantor"], frozenset(g["privileges"])) for g in value["grants"])


def _read_role(value: Json) -> Role:
    return Role(
        value["id"],
        value["oid"],
        value["name"],
        superuser=value["superuser"],
        login=value["login"],
        inherit=value["inherit"],
        system_privileges=frozenset(value["system_privileges"]),
        verifier=value["verifier"],
        parameters=tuple((name, set_to) for name, set_to in value["parameters"]),
        member_of=frozenset(value["member_of"]),
    )


def _read_database(value: Json) -> Database:
    return Database(value["id"], value["oid"], value["name"], value["owner"], _grants_of(value))


def _read_schema(value: Json) -> Schema:
    return Schema(value["id"], value["oid"], value["name"], value["database"], value["owner"], _grants_of(value))


def _read_item(value: Json) -> Item:
    """What follows from its statement is still to come."""
    return Item(
        GlobalId.parse(value["id"]),
        value["oid"],
        value["name"],
        value["schema"],
        value["kind"],
        value["sql"],
        value["owner"],
        grants=_grants_of(value),
    )


def _read_default_grant(value: Json) -> DefaultGrant:
    return DefaultGrant(
        value["creator"],
        value["kind"],
        value["grantee"],
        frozenset(value["privileges"]),
        value["database"],
        value["schema"],
    )


def _read_comment(value: Json) -> Comment:
    return Comment(value["object"], value["column"], value["text"])


def _read_setting(value: Json) -> Setting:
    return Setting(value["name"], value["value"])


_DECODE: Mapping[str, Callable[[Json], Object]] = {
    "role": _read_role,
    "database": _read_database,
    "schema": _read_schema,
    "item": _read_item,
    "default_grant": _read_default_grant,
    "comment": _read_comment,
    "setting": _read_setting,
}

# Items from their statements


@dataclass(frozen=True, slots=True)
class _Parsed:
    item: Item
    statement: CreateItem


def _with_items(state: CatalogState, items: Sequence[Item]) -> CatalogState:
    """The items, each after those that its statement mentions."""
    named = state.changed([Change(None, item) for item in items])
    names = SessionNames(named, "", ())
    waiting: dict[GlobalId, _Parsed] = {}
    for item in items:
        statement = statement_of(item)
        waiting[item.id] = _Parsed(replace(item, uses=whole(statement, names).uses), statement)
    while waiting:
        ready = [parsed for parsed in waiting.values() if not any(used in waiting for used in parsed.item.uses)]
        if not ready:
            raise UnreadableCatalog(f"the catalog's items {', '.join(map(str, waiting))} name each other")
        names = SessionNames(state, "", ())
        state = state.changed([Change(None, _defined(parsed, names)) for parsed in ready])
        for parsed in ready:
            del waiting[parsed.item.id]
    return state


def _defined(parsed: _Parsed, names: SessionNames) -> Item:
    """The item with what follows from its statement. A view that cannot be planned is broken, and nothing else is."""
    item, statement = parsed.item, parsed.statement
    try:
        return settled(item, statement, names)
    except Exception as error:
        if not isinstance(statement, CreateView | CreateMaterializedView | CreateIndex):
            raise UnreadableCatalog(f"{item.kind} {item.id} cannot be planned: {error}") from error
        foreseen = isinstance(error, HoldfastError)
        reason = str(error) if foreseen else f"{type(error).__name__}: {error}"
        extra = {"item": str(item.id), "kind": item.kind, "reason": reason}
        log.error("item of the catalog cannot be planned", extra=extra, exc_info=None if foreseen else error)
        return with_definition(replace(item, broken=reason), undefined(statement, names))
