"""Which expressions are recorded: every function, operator and cast of the registry, on edges of its argument types.

A signature has more combinations of edges than anyone waits for, so a fixed sample of them is taken; which one
depends on the signature alone. Kinds of types stand for a few types each.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from holdfast.plan.functions.function import Any, Cast, Function, Pattern
from holdfast.plan.functions.registry import FAMILIES as ALL_FAMILIES
from holdfast.plan.types import BASES
from tests.recorded.edges import EDGES, PATH_FUNCTIONS, edges_of

SAMPLE = 24
"""Expressions of one signature without nulls."""
NULLS = 3
"""Expressions of one signature for each argument that is null. The others may be such that they fail."""

_KINDS: dict[Any, tuple[str, ...]] = {
    Any.ANY: ("int4", "text"),
    Any.ELEMENT: ("int4", "text"),
    Any.NONARRAY: ("int4", "text"),
    Any.COMPATIBLE: ("int4", "text"),
    Any.COMPATIBLE_NONARRAY: ("int4",),
    Any.ARRAY: ("_int4", "_text"),
    Any.COMPATIBLE_ARRAY: ("_int4", "_text"),
    Any.RANGE: ("int4range", "numrange"),
}
_ELEMENT = {"int4": "_int4", "text": "_text"}


@dataclass(frozen=True, slots=True)
class Signature:
    family: str
    name: str
    bases: tuple[str, ...]
    kind: str

    @property
    def shown(self) -> str:
        return f"{self.kind} {self.name}({', '.join(self.bases)})"

    def rows(self) -> list[tuple[str | None, ...]]:
        """Texts of arguments: a sample of the edges, and for each argument rows in which it is null."""
        seed = int.from_bytes(hashlib.sha256(self.shown.encode()).digest()[:8])
        chooser = random.Random(seed)  # a sample that is always the same
        pools = [edges_of(self.name, self.bases, place) for place in range(len(self.bases))]
        if prod(map(len, pools)) <= SAMPLE:
            found: list[tuple[str | None, ...]] = list(product(*pools))
        else:
            found = [tuple(chooser.choice(pool) for pool in pools) for _ in range(SAMPLE)]
        for place in (*range(len(self.bases)),) * NULLS:
            row: list[str | None] = [chooser.choice(pool) for pool in pools]
            row[place] = None
            found.append(tuple(row))
        return list(dict.fromkeys(found))

    def literals(self, row: Sequence[str | None]) -> list[str]:
        """The arguments as SQL has them. A path has no type: in PostgreSQL it is one of its own, here it is text."""
        return [
            ("null" if text is None else quoted(text))
            + ("" if place == 1 and self.name in PATH_FUNCTIONS else f"::{written(base)}")
            for place, (text, base) in enumerate(zip(row, self.bases, strict=True))
        ]

    def call(self, arguments: Sequence[str]) -> str:
        if self.kind == "cast":
            return f"({arguments[0]})::{written(self.name)}"
        if self.kind == "operator" and len(arguments) == 2:
            return f"({arguments[0]} {self.name} {arguments[1]})"
        if self.kind == "operator":
            return f"({self.name} {arguments[0]})"
        return f"{self.name}({', '.join(arguments)})"

    def expressions(self) -> list[str]:
        return [self.call(self.literals(row)) for row in self.rows()]


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def written(base: str) -> str:
    """A base type as SQL has it. `char` alone would be another type."""
    if base.startswith("_"):
        return f"{written(base[1:])}[]"
    return {"char": '"char"', "bpchar": "bpchar"}.get(base, base)


FAMILIES = tuple(family for family in ALL_FAMILIES if family.title not in ("The catalog", "The server"))
"""Those whose answers follow from their arguments, whatever the database."""


def signatures() -> list[Signature]:
    found: dict[Signature, None] = {}
    for family in FAMILIES:
        for function in family.functions:
            if function.stability == "immutable" and function.python is not None and not _is_syntax(function.name):
                found |= dict.fromkeys(_signatures(family.title, function, "function"))
        for operator in family.operators:
            found |= dict.fromkeys(_signatures(family.title, operator, "operator"))
        for cast in family.casts:
            if signature := _cast_signature(family.title, cast):
                found[signature] = None
    return list(found)


def _is_syntax(name: str) -> bool:
    """Functions that only syntax can call: SQL has no name for them."""
    return name in {"not", "is_null", "is_not_null", "array", "row", "greatest", "least"} or name.startswith(
        ("is_", "cast")
    )


def _signatures(family: str, function: Function, kind: str) -> Iterator[Signature]:
    for bases in instances(function.arguments):
        if all(base in EDGES for base in bases):
            yield Signature(family, function.name, bases, kind)


def instances(patterns: Sequence[Pattern]) -> Iterator[tuple[str, ...]]:
    kinds = [pattern for pattern in patterns if isinstance(pattern, Any)]
    if not kinds:
        yield tuple(pattern.base for pattern in patterns if not isinstance(pattern, Any))
        return
    for choice in ("int4", "text") if any(kind in _KINDS for kind in kinds) else ():
        bases = []
        for pattern in patterns:
            if not isinstance(pattern, Any):
                bases.append(pattern.base)
            elif pattern is Any.RANGE:
                bases.append("int4range" if choice == "int4" else "numrange")
            elif pattern in (Any.ARRAY, Any.COMPATIBLE_ARRAY):
                bases.append(_ELEMENT[choice])
            else:
                bases.append(choice if pattern in _KINDS else "")
        yield tuple(bases)


def _cast_signature(family: str, cast: Cast) -> Signature | None:
    known = cast.source in EDGES and (cast.target in EDGES or cast.target in BASES)
    return Signature(family, cast.target, (cast.source,), "cast") if known and cast.source != cast.target else None
