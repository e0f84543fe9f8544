"""Coercion: giving an expression the type that its place asks for, as PostgreSQL does.

A cast is implicit (anywhere), by assignment (into a column), or explicit (only where written). Literals without a type
are read as the type that is wanted of them, here and now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from holdfast.errors import UsageError
from holdfast.plan.errors import DataError
from holdfast.plan.functions.conversion import from_text, of_fields, of_items, python_of, relabel, to_text
from holdfast.plan.functions.function import CastContext, Function, Types
from holdfast.plan.functions.numeric_types import numeric_of
from holdfast.plan.functions.numeric_types import of as numeric_type_of
from holdfast.plan.functions.registry import CASTS
from holdfast.plan.scalar import Call, Constant, Parameter, Scalar
from holdfast.plan.text import read_of
from holdfast.plan.text.numbers import is_oid
from holdfast.plan.types import (
    BOOL,
    NUMERIC,
    REGISTERED,
    TEXT,
    UNKNOWN,
    Array,
    IntervalOf,
    List,
    Numeric,
    Record,
    Type,
    record_of,
)
from holdfast.sql.errors import CannotCoerce, DatatypeMismatch, SemanticError
from holdfast.sql.modifiers import bare, has_modifier, merged, undeclared
from holdfast.sql.parameters import Parameters
from holdfast.sql.term import Term

_RANK: dict[CastContext, int] = {"implicit": 0, "assignment": 1, "explicit": 2}
_PSEUDO = frozenset({"unknown", "void", "record"})

Error = TypeVar("Error", DataError, SemanticError)


def placed(error: DataError, location: int) -> DataError:
    """An error of the data, found while planning, with the place of the literal it is about."""
    error.position = location  # type: ignore[attr-defined]  # only errors found in a text have one
    return error


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a cast."""

    function: Function
    type: Type


@lru_cache(maxsize=16384)
def steps(source: Type, target: Type, context: CastContext) -> tuple[Step, ...] | None:
    """The casts that make a value of `source` one of exactly `target`; None if there are none in this context."""
    if source is target:
        return ()
    if bare(source) is bare(target):
        return _within(source, target)
    if isinstance(source, Array) and isinstance(target, Array):
        return _items(source, target, source.element, target.element, context, source.dimensions)
    if isinstance(source, List) and isinstance(target, List):
        return _items(source, target, source.element, target.element, context, 1)
    if isinstance(source, Record) and isinstance(target, Record):
        return _fields(source, target, context)
    cast = CASTS.get((source.base, target.base))
    if cast is not None:
        if _RANK[cast.context] > _RANK[context]:
            return None
        if cast.function is not None:
            return (Step(cast.function, target),)
        # The values are the same in both types, so what a modifier does to the one it does to the other.
        return _within(source, target)
    return _by_text(source, target, context)


def _within(source: Type, target: Type) -> tuple[Step, ...]:
    """From one type to another that has the same values: of the same base, or one that needs no function."""
    if isinstance(source, Array) and isinstance(target, Array):
        found = _items(source, target, source.element, target.element, "explicit", source.dimensions)
    elif isinstance(source, List) and isinstance(target, List):
        found = _items(source, target, source.element, target.element, "explicit", 1)
    elif isinstance(source, Record) and isinstance(target, Record):
        found = _fields(source, target, "explicit")
    else:
        cast = CASTS.get((target.base, target.base))
        changes = has_modifier(target) or isinstance(target, Numeric)
        if changes and cast is not None and cast.function is not None:
            return (Step(cast.function, target),)
        found = None
    return found or (Step(relabel(source, target), target),)


def _items(
    source: Type, target: Type, item: Type, wanted: Type, context: CastContext, depth: int
) -> tuple[Step, ...] | None:
    """An array or a list, item by item: as many passes as one item takes steps."""
    found = steps(item, wanted, context)
    if found is None:
        return None
    if not found:
        return (Step(relabel(source, target), target),)
    made: list[Step] = []
    for number, step in enumerate(found):
        last = number == len(found) - 1
        whole = target if last else _with_item(source, step.type)
        function = of_items(source, whole, step.function, Types((item,), step.type), depth)
        made.append(Step(function, whole))
        source, item = whole, step.type
    return tuple(made)


def _with_item(container: Type, item: Type) -> Type:
    if isinstance(container, Array):
        return Array(f"_{item.base}", item, container.dimensions)
    return List("list", item)


def _fields(source: Record, target: Record, context: CastContext) -> tuple[Step, ...] | None:
    """A record, field by field. A record of no type in particular is what any of as many fields may become."""
    if len(source.types) != len(target.types):
        return None
    if _RANK[context] < _RANK["explicit"] and not _may_become(source.name, target.name):
        return None
    found = [steps(a, b, context) for a, b in zip(source.types, target.types, strict=True)]
    if any(one is None for one in found):
        return None
    made: list[Step] = []
    longest = max((len(one) for one in found if one is not None), default=0)
    current: Record = source
    for number in range(longest):
        fields: list[tuple[Function | None, Types]] = []
        types: list[Type] = []
        for type_, one in zip(current.types, found, strict=True):
            step = one[number] if one is not None and number < len(one) else None
            after = step.type if step is not None else type_
            fields.append((step.function if step is not None else None, Types((type_,), after)))
            types.append(after)
        whole = target if number == longest - 1 else record_of(current.names, tuple(types))
        made.append(Step(of_fields(current, whole, tuple(fields)), whole))
        current = whole
    return tuple(made) or (Step(relabel(source, target), target),)


def _may_become(source: str | None, target: str | None) -> bool:
    """Whether the types may be one. A type is named with its schema only by those who do not find it without."""
    if source is None or target is None or source == target:
        return True
    return source.endswith(f".{target}") or target.endswith(f".{source}")


def _by_text(source: Type, target: Type, context: CastContext) -> tuple[Step, ...] | None:
    """Every type can be written as text, where assigned or asked for; text is read as any type, where asked for."""
    if target.base in _PSEUDO or source.base in _PSEUDO - {"record"}:
        return None
    if target.category == "S" and _RANK[context] >= _RANK["assignment"]:
        if target.base == "text":
            return (Step(to_text(source, target), target),)
        before, after = steps(source, TEXT, "explicit"), steps(TEXT, target, "explicit")
        return (*before, *after) if before is not None and after is not None else None
    if source.category == "S" and context == "explicit" and target.base != "char":
        plain = bare(target)
        first = (Step(from_text(source, plain), plain),)
        return first if plain is target else (*first, *_within(plain, target))
    return None


def natural(source: Type, target: Type) -> Type:
    """`target` with the digits that values of `source` have, where it does not say how many."""
    if target is NUMERIC:
        return numeric_type_of(source)
    if isinstance(target, Array) and isinstance(source, Array):
        element = natural(source.element, target.element)
        return Array(target.base, element, source.dimensions)
    if isinstance(target, List) and isinstance(source, List):
        return List("list", natural(source.element, target.element))
    return target


@lru_cache(maxsize=16384)
def can_coerce(source: Type, target: Type, context: CastContext = "implicit") -> bool:
    if source is UNKNOWN or bare(source) is bare(target):
        return True
    if target.base == "record" and source.base == "record":
        return not isinstance(target, Record) or (
            isinstance(source, Record) and _fields(source, target, context) is not None
        )
    return steps(source, natural(source, target), context) is not None


def applied(scalar: Scalar, path: Sequence[Step]) -> Scalar:
    """The casts applied: to a constant, now, unless that is an error, which is the query's to raise."""
    for step in path:
        if isinstance(scalar, Constant) and step.function.stability == "immutable":
            scalar = _folded(scalar, step)
        else:
            scalar = _called(scalar, step)
    return scalar


def _called(scalar: Scalar, step: Step) -> Scalar:
    return Call(step.function, (scalar,), step.type, scalar.nullable or step.function.makes_null)


def _folded(constant: Constant, step: Step) -> Scalar:
    if constant.value is None and step.function.strict:
        return Constant(None, step.type)
    try:
        value = python_of(step.function, Types((constant.type,), step.type))(constant.value)
    except DataError:
        return _called(constant, step)
    return Constant(value, step.type)


def _by_name(name: Scalar, target: Type) -> Scalar:
    """The object of this name, which only the catalog knows."""
    reads = CASTS["text", target.base].function
    assert reads is not None  # a name and an oid are not the same
    return _called(name, Step(reads, target))


class Coercion:
    """Coercion of the terms of one statement, whose parameters it gives types."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters

    def known(self, term: Term, target: Type) -> Term:
        """A term without a type as one of `target`, modifiers left out."""
        scalar, plain = term.scalar, bare(target)
        if isinstance(scalar, Parameter):
            # A client sends the name of an object: that is a text until the catalog has been asked.
            named = plain in REGISTERED
            inferred = self.parameters.infer(scalar.number, TEXT if named else plain, term.location)
            return Term(_by_name(inferred, plain) if named else inferred, term.location)
        if not isinstance(scalar, Constant):
            raise UsageError(f"a {type(scalar).__name__} has no type")
        if plain in REGISTERED and isinstance(scalar.value, str) and not is_oid(scalar.value):
            return Term(_by_name(Constant(scalar.value, TEXT), plain), term.location)
        return Term(self.literal(scalar.value, target, term.location), term.location)

    def literal(self, value: object, target: Type, location: int) -> Constant:
        """The constant that a text without a type, or null, means as one of `target`."""
        plain = literal_type(target)
        if value is None:
            return Constant(None, plain)
        assert isinstance(value, str)  # all that a literal without a type can hold
        if isinstance(plain, Array):
            plain = Array(plain.base, plain.element, _dimensions(value))
        if plain.base in ("record", "void") and not isinstance(plain, Record):
            raise CannotCoerce(f"cannot cast type unknown to {plain}", location)
        try:
            read = read_of(plain)(value)
        except DataError as error:
            raise placed(error, location) from None
        if plain is NUMERIC:
            plain = numeric_of(read)
        return Constant(read, plain)

    def to_base(self, term: Term, target: Type, context: CastContext = "implicit") -> Term | None:
        """The term with the base of `target`, with the modifiers it has; None if there is no such cast."""
        if term.unknown:
            return self.known(term, target)
        if bare(term.type) is bare(target):
            return term
        path = steps(term.type, natural(term.type, target), context)
        return None if path is None else Term(applied(term.scalar, path), term.location)

    def to_exact(self, term: Term, target: Type, context: CastContext = "implicit") -> Term | None:
        """The term as one of exactly `target`; None if there is no such cast."""
        if term.unknown:
            term = self.known(term, target)
        path = steps(term.type, target, context)
        return None if path is None else Term(applied(term.scalar, path), term.location)

    def cast(self, term: Term, target: Type, location: int) -> Term:
        """CAST (term AS target), written at `location`."""
        if term.unknown:
            term = self.known(term, target)
        target = as_deep(target, term.type)
        found = self.to_base(term, target, "explicit") if target is NUMERIC else self.to_exact(term, target, "explicit")
        if found is None:
            message = f"cannot cast type {bare(term.type)} to {bare(target)}"
            raise CannotCoerce(message, location or term.location, detail=_row_detail(term.type, target))
        return Term(found.scalar, location or term.location)

    def boolean(self, term: Term, construct: str) -> Scalar:
        """The term as a condition; `construct` is what it is the argument of."""
        return self.specific(term, BOOL, construct)

    def specific(self, term: Term, target: Type, construct: str) -> Scalar:
        """The term as one of the only type that `construct` takes, by assignment."""
        found = self.to_base(term, target, "assignment")
        if found is None:
            raise DatatypeMismatch(
                f"argument of {construct} must be type {target}, not type {term.type}", term.location
            )
        return found.scalar

    def text_if_unknown(self, term: Term) -> Term:
        return self.known(term, TEXT) if term.unknown else term

    def common_type(self, terms: Sequence[Term], construct: str) -> Type:
        """The type that all terms get, without modifiers. `construct` is the word that errors begin with."""
        return common_type([(term.type, term.location) for term in terms], construct)

    def to_common(self, terms: Sequence[Term], construct: str) -> list[Term]:
        """All terms, of one and the same type."""
        return self.all_to(terms, self.common_type(terms, construct), construct)

    def all_to(self, terms: Sequence[Term], target: Type, construct: str) -> list[Term]:
        """All terms, of one and the same type whose base is that of `target`."""
        known = [self.known(term, target) if term.unknown else term for term in terms]
        plain = bare(target)
        whole = merged([term.type if bare(term.type) is plain else natural(term.type, plain) for term in known])
        return [self._to_common(term, whole, construct) for term in known]

    def _to_common(self, term: Term, target: Type, construct: str) -> Term:
        found = self.to_exact(term, target)
        if found is None:
            raise CannotCoerce(f"{construct} could not convert type {term.type} to {bare(target)}", term.location)
        return found


def literal_type(target: Type) -> Type:
    """The type that a text without one is read as where `target` is wanted: it has no modifiers.

    But for an interval: what a number in its text counts, only its fields say.
    """
    return target if isinstance(target, IntervalOf) else bare(target)


def as_deep(target: Type, source: Type) -> Type:
    """An array type of as many dimensions as the value has: PostgreSQL's does not say."""
    if isinstance(target, Array) and isinstance(source, Array):
        return Array(target.base, target.element, source.dimensions)
    return target


def _dimensions(text: str) -> int:
    """How many dimensions the text of an array has: what it begins with says."""
    begin = text.partition("=")[2] if text.lstrip().startswith("[") else text
    opened = "".join(begin.split())
    return max(len(opened) - len(opened.lstrip("{")), 1)


def _row_detail(source: Type, target: Type) -> str | None:
    """Why a row cannot be cast to another type of rows."""
    if not isinstance(source, Record) or not isinstance(target, Record) or len(source.types) == len(target.types):
        return None
    return f"Input has too {'many' if len(source.types) > len(target.types) else 'few'} columns."


def common_type(types: Sequence[tuple[Type, int]], construct: str | None) -> Type:
    """PostgreSQL's choice among the types of alternatives, each with its place."""
    found = common_type_or_none(types)
    if isinstance(found, Type):
        return found
    (first, second), location = found
    raise DatatypeMismatch(f"{construct} types {first} and {second} cannot be matched", location)


def common_type_or_none(types: Sequence[tuple[Type, int]]) -> Type | tuple[tuple[Type, Type], int]:
    """The common type; or the two types that have none, with the place of the second."""
    chosen = bare(types[0][0])
    for type_, location in types[1:]:
        next_ = bare(type_)
        if next_ is UNKNOWN or next_ is chosen:
            continue
        if chosen is UNKNOWN:
            chosen = next_
        elif next_.category != chosen.category or _is_named(next_) != _is_named(chosen):
            return (chosen, next_), location
        elif not chosen.preferred and can_coerce(chosen, next_) and not can_coerce(next_, chosen):
            chosen = next_
    return TEXT if chosen is UNKNOWN else chosen


def _is_named(type_: Type) -> bool:
    """Whether it is a composite type, and not just a record."""
    return isinstance(type_, Record) and type_.name is not None


def shown(type_: Type) -> str:
    """As errors name the type of an argument."""
    return str(undeclared(bare(type_)))
