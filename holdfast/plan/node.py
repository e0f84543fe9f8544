"""Nodes of plans: immutable and hash-consed.

Two nodes that say the same are the same object. So comparing and hashing cost nothing, however large what
stands below, and a subplan that occurs twice is found by its identity.

A class of nodes is a `Node` with `@dataclass(frozen=True, eq=False)`. Its fields are hashable, sequences tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import wraps
from typing import Any, ClassVar, TypeVar
from weakref import WeakValueDictionary


class NodeMeta(type):
    """Calling a class of nodes returns the one node with these fields."""

    _nodes: ClassVar[WeakValueDictionary[tuple[object, ...], Any]] = WeakValueDictionary()
    _arity: int | None = None

    def __call__(
        cls, *arguments: Any, **named: Any
    ) -> Any:  # a node of this class, as type checkers know by themselves
        if cls.__dict__.get("_arity") is None:
            cls._arity = len(fields(cls))  # type: ignore[arg-type]  # every class of nodes is a dataclass
        if named or len(arguments) != cls._arity:
            arguments = _completed(cls, arguments, named)
        key = (cls, *cls.identity(arguments))  # type: ignore[attr-defined]  # of every class of nodes
        found = NodeMeta._nodes.get(key)
        if found is None:
            found = type.__call__(cls, *arguments)
            NodeMeta._nodes[key] = found
        return found


def _completed(cls: type, arguments: tuple[object, ...], named: Mapping[str, object]) -> tuple[object, ...]:
    """All fields in order, from those given in order, by name, or not at all."""
    values = list(arguments)
    rest = fields(cls)[len(arguments) :]
    for field in rest:
        if field.name in named:
            values.append(named[field.name])
        elif field.default is not MISSING:
            values.append(field.default)
        else:
            raise TypeError(f"{cls.__name__} needs {field.name}")
    if len(named) > sum(field.name in named for field in rest):
        raise TypeError(f"{cls.__name__} has no such fields: {sorted(named)}")
    return tuple(values)


class Node(metaclass=NodeMeta):
    @classmethod
    def identity(cls, arguments: tuple[Any, ...]) -> tuple[object, ...]:
        """What tells a node with these fields from others of its class. They are equal if all fields are."""
        return arguments

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]  # as above


Of = TypeVar("Of")
Answer = TypeVar("Answer")


def remembered(function: Callable[[Of], Answer]) -> Callable[[Of], Answer]:
    """A function of a node that is worked out once: the node keeps the answer for as long as it lives."""
    name = f"_{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def answer(node: Of) -> Answer:
        kept = node.__dict__
        if name not in kept:
            kept[name] = function(node)
        found: Answer = kept[name]
        return found

    return answer
