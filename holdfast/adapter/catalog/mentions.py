"""The relations, types and functions that a statement mentions, and the same statement with other names for them.

A name of one part may be that of a common table of the query around it: then it is no relation of the catalog.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from holdfast.sql.syntax.expression import Call, Column, Star
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.query import FromItem, Query, RecursiveTable, Table, With, WithMutuallyRecursive
from holdfast.sql.syntax.types import NamedType

Tree = TypeVar("Tree", bound=Node)


Same = TypeVar("Same")


def _same(found: Same) -> Same:
    return found


@dataclass(frozen=True, slots=True)
class Renaming:
    """What becomes of the mentions of a statement. Each may be left as it is."""

    table: Callable[[Table], FromItem] = _same
    type: Callable[[NamedType], NamedType] = _same
    column: Callable[[Column | Star], Column | Star] = _same
    call: Callable[[Call], Call] = _same


def renamed(tree: Tree, renaming: Renaming) -> Tree:
    found: Tree = _node(tree, renaming, frozenset())
    return found


def nodes(tree: Node) -> Iterator[Node]:
    """The tree and all in it."""
    waiting: list[object] = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, tuple):
            waiting.extend(part)
        elif isinstance(part, Node):
            yield part
            waiting.extend(getattr(part, name) for name in _parts(type(part)))


def placeless(tree: Tree) -> Tree:
    """The tree without places: they are those of a text that no longer is at hand."""
    found: Tree = _placeless(tree)
    return found


def _placeless(part: Any) -> Any:  # a field of a node: a node, a tuple, a value
    if isinstance(part, tuple):
        return tuple([_placeless(each) for each in part])
    if not isinstance(part, Node):
        return part
    inner = {name: _placeless(getattr(part, name)) for name in _parts(type(part))}
    return replace(part, **inner, location=0)


_PARTS: dict[type, tuple[str, ...]] = {}
"""The fields of a class of nodes that may have nodes in them, once asked for."""


def _parts(kind: type) -> tuple[str, ...]:
    if kind not in _PARTS:
        _PARTS[kind] = tuple(each.name for each in fields(kind) if each.name != "location")
    return _PARTS[kind]


def _any(part: Any, renaming: Renaming, local: frozenset[str]) -> Any:  # a field of a node: a node, a tuple, a value
    if isinstance(part, Node):
        return _node(part, renaming, local)
    if isinstance(part, tuple):
        made = tuple([_any(each, renaming, local) for each in part])
        return part if all(new is old for new, old in zip(made, part, strict=True)) else made
    return part


def _node(node: Any, renaming: Renaming, local: frozenset[str]) -> Any:  # of the class that it was given
    match node:
        case Table():
            common = len(node.name.parts) == 1 and node.name.parts[0] in local
            return node if common else renaming.table(node)
        case NamedType():
            return renaming.type(node)
        case Column() | Star():
            return renaming.column(node)
        case Call():
            return renaming.call(_with_parts(node, renaming, local))
        case Query() if node.common is not None:
            inner = local | {table.name for table in node.common.tables}
            made = _with_parts(replace(node, common=None), renaming, inner)
            return replace(made, common=_common(node.common, renaming, local))
    return _with_parts(node, renaming, local)


def _with_parts(node: Any, renaming: Renaming, local: frozenset[str]) -> Any:  # of the class that it was given
    changed: dict[str, Any] = {}
    for name in _parts(type(node)):
        old = getattr(node, name)
        new = _any(old, renaming, local)
        if new is not old:
            changed[name] = new
    return replace(node, **changed) if changed else node


def _common(
    common: With | WithMutuallyRecursive, renaming: Renaming, local: frozenset[str]
) -> With | WithMutuallyRecursive:
    """A table of WITH sees those before it, and itself if it may recur; mutually, it sees all."""
    if isinstance(common, WithMutuallyRecursive):
        inner = local | {table.name for table in common.tables}
        recursive: tuple[RecursiveTable, ...] = _any(common.tables, renaming, inner)
        return replace(common, tables=recursive)
    tables = []
    for table in common.tables:
        tables.append(_node(table, renaming, local | {table.name} if common.recursive else local))
        local |= {table.name}
    return replace(common, tables=tuple(tables))
