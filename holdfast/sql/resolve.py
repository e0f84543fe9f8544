"""Which of the overloads of a function or operator a call means: PostgreSQL's rules.

First an exact match; else those that the arguments can be implicitly cast to, and of these the ones with the most exact
matches, then the most preferred types, then what the category of the other arguments suggests for literals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from holdfast.plan.functions.container import element_of
from holdfast.plan.functions.function import Aggregate, Any, Function, Pattern, TableFunction, WindowFunction
from holdfast.plan.functions.registry import AGGREGATES, FUNCTIONS, OPERATORS, TABLES, WINDOWS
from holdfast.plan.types import (
    MZ_TIMESTAMP,
    TEXT,
    UNKNOWN,
    VECTORS,
    Array,
    List,
    Map,
    Range,
    Type,
    array_of,
    list_of,
    map_of,
)
from holdfast.sql.coerce import can_coerce, common_type_or_none
from holdfast.sql.modifiers import bare, merged, undeclared

Overload: TypeAlias = Function | Aggregate | WindowFunction | TableFunction
_Types: TypeAlias = tuple[Type, ...]

_ELEMENTS = frozenset({Any.ELEMENT, Any.NONARRAY})
_COMPATIBLE = frozenset({Any.COMPATIBLE, Any.COMPATIBLE_NONARRAY})
_AS_TEXT: Mapping[Pattern, Type] = {
    Any.COMPATIBLE: TEXT,
    Any.COMPATIBLE_NONARRAY: TEXT,
    Any.COMPATIBLE_ARRAY: array_of(TEXT),
}


@dataclass(frozen=True, slots=True)
class Resolution:
    """The overload that was found, and the types, without modifiers, that its arguments must get."""

    overload: Overload
    targets: _Types


@dataclass(frozen=True, slots=True)
class NoMatch:
    pass


@dataclass(frozen=True, slots=True)
class Ambiguous:
    pass


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An overload with as many patterns as there are arguments."""

    overload: Overload
    patterns: tuple[Pattern, ...]
    variadic: bool


def _overloads() -> Mapping[str, tuple[Overload, ...]]:
    """Scalar, aggregate, window and table functions are looked up together, as they have one namespace."""
    found: dict[str, list[Overload]] = {}
    for table in (FUNCTIONS, AGGREGATES, WINDOWS, TABLES):
        for name, members in table.items():
            found.setdefault(name, []).extend(members)
    return {name: tuple(members) for name, members in found.items()}


CALLABLE: Mapping[str, tuple[Overload, ...]] = _overloads()


@lru_cache(maxsize=16384)
def resolve_function(name: str, types: _Types) -> Resolution | NoMatch | Ambiguous:
    """The function that `name` means with arguments of these types, which have no modifiers."""
    candidates = _candidates(CALLABLE.get(name, ()), len(types))
    return _resolve(candidates, types)


def resolve_among(functions: Sequence[Function], types: _Types) -> Resolution | NoMatch | Ambiguous:
    """Which of these functions takes arguments of these types, which have no modifiers."""
    return _resolve(_candidates(functions, len(types)), types)


@lru_cache(maxsize=16384)
def resolve_operator(symbol: str, types: _Types) -> Resolution | NoMatch | Ambiguous:
    """The operator that `symbol` means with one argument after it, or two around it."""
    candidates = _candidates(OPERATORS.get(symbol, ()), len(types))
    if MZ_TIMESTAMP not in types:
        # So much casts to it that it would make comparable what PostgreSQL does not compare: integers and dates.
        candidates = [candidate for candidate in candidates if MZ_TIMESTAMP not in candidate.patterns]
    if len(types) == 2 and UNKNOWN in types and types[0] is not types[1]:
        # A literal beside a value is first taken for one of the same type.
        known = types[0] if types[1] is UNKNOWN else types[1]
        exact = _exact(candidates, (known, known))
        if exact is not None:
            return exact
    return _resolve(candidates, types)


def _candidates(overloads: Sequence[Overload], count: int) -> list[_Candidate]:
    found: list[_Candidate] = []
    for overload in overloads:
        patterns = overload.arguments
        if isinstance(overload, WindowFunction):
            if len(patterns) - overload.optional <= count <= len(patterns):
                found.append(_Candidate(overload, patterns[:count], False))
        elif len(patterns) == count:
            found.append(_Candidate(overload, patterns, overload.variadic))
        elif overload.variadic and count > len(patterns):
            repeated = (patterns[-1],) * (count - len(patterns))
            found.append(_Candidate(overload, (*patterns, *repeated), True))
    return found


def _resolve(candidates: list[_Candidate], types: _Types) -> Resolution | NoMatch | Ambiguous:
    exact = _exact(candidates, types)
    if exact is not None:
        return exact
    fitting = [
        (candidate, targets) for candidate in candidates if (targets := bind(candidate.patterns, types)) is not None
    ]
    fixed = {candidate.patterns for candidate, _ in fitting if not candidate.variadic}
    fitting = [pair for pair in fitting if not pair[0].variadic or pair[0].patterns not in fixed]
    if not fitting:
        return NoMatch()
    if len(fitting) == 1:
        return Resolution(fitting[0][0].overload, fitting[0][1])
    best = _best([candidate for candidate, _ in fitting], types)
    if best is None:
        return Ambiguous()
    targets = next(targets for candidate, targets in fitting if candidate is best)
    return Resolution(best.overload, targets)


def _exact(candidates: Sequence[_Candidate], types: _Types) -> Resolution | None:
    for candidate in candidates:
        if all(isinstance(p, Type) and bare(p) is t for p, t in zip(candidate.patterns, types, strict=True)):
            return Resolution(candidate.overload, types)
    return None


def _best(candidates: list[_Candidate], types: _Types) -> _Candidate | None:
    known = [index for index, type_ in enumerate(types) if type_ is not UNKNOWN]
    unknown = [index for index, type_ in enumerate(types) if type_ is UNKNOWN]

    def exact(candidate: _Candidate) -> int:
        return sum(_is(candidate.patterns[index], types[index]) for index in known)

    def preferred(candidate: _Candidate) -> int:
        return sum(
            _is(candidate.patterns[index], types[index]) or _prefers(candidate.patterns[index], types[index].category)
            for index in known
        )

    for measure in (exact, preferred):
        most = max(map(measure, candidates))
        candidates = [candidate for candidate in candidates if measure(candidate) == most]
        if len(candidates) == 1:
            return candidates[0]
    if not unknown:
        return None
    candidates = _by_category(candidates, unknown)
    if len(candidates) == 1:
        return candidates[0]
    if known and all(types[index] is types[known[0]] for index in known):
        same = (types[known[0]],) * len(types)
        accepting = [candidate for candidate in candidates if bind(candidate.patterns, same) is not None]
        if len(accepting) == 1:
            return accepting[0]
    return None


def _by_category(candidates: list[_Candidate], unknown: Sequence[int]) -> list[_Candidate]:
    """Those that agree with the category of what most would take in the places of literals; text wins over others."""
    wanted: list[tuple[int, str, bool]] = []
    for index in unknown:
        category, has_preferred, conflict = "", False, False
        for candidate in candidates:
            current, is_preferred = _category(candidate.patterns[index])
            if not category:
                category, has_preferred = current, is_preferred
            elif current == category:
                has_preferred = has_preferred or is_preferred
            elif current == "S":
                category, has_preferred = current, is_preferred
            else:
                conflict = True
        if conflict and category != "S":
            return candidates
        wanted.append((index, category, has_preferred))
    kept = [
        candidate
        for candidate in candidates
        if all(
            _category(candidate.patterns[index])[0] == category
            and (not has_preferred or _category(candidate.patterns[index])[1])
            for index, category, has_preferred in wanted
        )
    ]
    return kept or candidates


def _is(pattern: Pattern, type_: Type) -> bool:
    return isinstance(pattern, Type) and bare(pattern) is type_


def _prefers(pattern: Pattern, category: str) -> bool:
    return isinstance(pattern, Type) and pattern.category == category and pattern.preferred


def _category(pattern: Pattern) -> tuple[str, bool]:
    return (pattern.category, pattern.preferred) if isinstance(pattern, Type) else ("P", False)


def _is_array(type_: Type) -> bool:
    return isinstance(type_, Array) or type_ in VECTORS


class _Kinds:
    """What the kinds in a signature stand for, as arguments tell one by one."""

    def __init__(self) -> None:
        self.element: Type | None = None
        self.range: Type | None = None
        self.compatible: list[Type] = []
        self.in_list: list[Type] = []
        self.in_map: list[Type] = []

    def take_element(self, type_: Type) -> bool:
        if self.element is None:
            self.element = type_
        return self.element is type_

    def take(self, kind: Any, type_: Type) -> bool:
        """Whether an argument of `type_` fits, given those before it."""
        match kind:
            case Any.ANY:
                return True
            case Any.RECORD:
                return type_.base == "record"
            case Any.ELEMENT:
                return self.take_element(type_)
            case Any.NONARRAY:
                return not isinstance(type_, Array) and self.take_element(type_)
            case Any.ARRAY:
                return _is_array(type_) and self.take_element(element_of(type_))
            case Any.RANGE:
                if not isinstance(type_, Range) or self.range not in (None, type_):
                    return False
                self.range = type_
                return self.take_element(bare(type_.subtype))
            case Any.COMPATIBLE | Any.COMPATIBLE_NONARRAY:
                self.compatible.append(type_)
                return kind is Any.COMPATIBLE or not isinstance(type_, Array)
            case Any.COMPATIBLE_ARRAY:
                if _is_array(type_):
                    self.compatible.append(element_of(type_))
                return _is_array(type_)
            case Any.LIST:
                if isinstance(type_, List):
                    self.in_list.append(type_.element)
                return isinstance(type_, List)
            case Any.LIST_ELEMENT:
                self.in_list.append(type_)
                return True
            case Any.MAP:
                if isinstance(type_, Map):
                    self.in_map.append(type_.value)
                return isinstance(type_, Map)
            case Any.MAP_VALUE:
                self.in_map.append(type_)
                return True

    def told(self, kind: Any) -> bool:
        """Whether any argument said something of the kind."""
        if kind in _AS_TEXT:
            return bool(self.compatible)
        if kind in (Any.LIST, Any.LIST_ELEMENT):
            return bool(self.in_list)
        if kind in (Any.MAP, Any.MAP_VALUE):
            return bool(self.in_map)
        return self.element is not None

    def chosen(self, kind: Any) -> Type | None:
        """The type that the kind stands for, if the arguments tell."""
        match kind:
            case Any.ELEMENT | Any.NONARRAY:
                return self.element
            case Any.ARRAY:
                return array_of(self.element) if self.element is not None else None
            case Any.RANGE:
                return self.range
            case Any.COMPATIBLE | Any.COMPATIBLE_NONARRAY:
                return _common(self.compatible)
            case Any.COMPATIBLE_ARRAY:
                return array_of(found) if (found := _common(self.compatible)) is not None else None
            case Any.LIST_ELEMENT:
                return _common(self.in_list)
            case Any.LIST:
                return list_of(found) if (found := _common(self.in_list)) is not None else None
            case Any.MAP_VALUE:
                return _common(self.in_map)
            case Any.MAP:
                return map_of(found) if (found := _common(self.in_map)) is not None else None
            case Any.ANY | Any.RECORD:
                return None


def _common(types: Sequence[Type]) -> Type | None:
    if not types:
        return None
    found = common_type_or_none([(type_, 0) for type_ in types])
    if not isinstance(found, Type) or not all(can_coerce(type_, found) for type_ in types):
        return None
    return found


def bind(patterns: Sequence[Pattern], types: Sequence[Type]) -> _Types | None:
    """The types that arguments of `types` must get to fit `patterns`; None if they cannot."""
    kinds = _Kinds()
    for pattern, type_ in zip(patterns, types, strict=True):
        if isinstance(pattern, Type):
            if not can_coerce(type_, pattern):
                return None
        elif type_ is not UNKNOWN and not kinds.take(pattern, type_):
            return None
    targets: list[Type] = []
    for pattern, type_ in zip(patterns, types, strict=True):
        if isinstance(pattern, Type):
            targets.append(bare(pattern) if bare(pattern) is not type_ else type_)
        elif pattern in (Any.ANY, Any.RECORD):
            targets.append(TEXT if type_ is UNKNOWN else type_)
        elif pattern is Any.ARRAY and type_ in VECTORS:
            # It stays one, as what a function says of its bounds depends on it.
            targets.append(type_)
        else:
            chosen = kinds.chosen(pattern)
            if chosen is None and type_ is UNKNOWN and not kinds.told(pattern):
                # Literals are text where the kind lets a type be chosen, and of no type where it does not.
                chosen = _AS_TEXT.get(pattern, UNKNOWN)
            if chosen is None:
                return None
            targets.append(chosen)
    return tuple(targets)


def result_type(overload: Function | Aggregate | WindowFunction, types: Sequence[Type]) -> Type:
    """The type of a call whose arguments have these types, modifiers included."""
    result = overload.result
    if isinstance(result, Type):
        return result
    if not isinstance(result, Any):
        return result(types)
    kinds, patterns = _Kinds(), _patterns(overload, len(types))
    like = [type_ for pattern, type_ in zip(patterns, types, strict=True) if _same_kind(pattern, result)]
    if like:
        return undeclared(merged(like))
    for pattern, type_ in zip(patterns, types, strict=True):
        if isinstance(pattern, Any):
            kinds.take(pattern, undeclared(type_))
    found = kinds.chosen(result)
    assert found is not None  # the arguments of a call that was found tell what kinds stand for
    return found


def _same_kind(pattern: Pattern, result: Any) -> bool:
    if pattern is result:
        return True
    return any(pattern in kinds and result in kinds for kinds in (_ELEMENTS, _COMPATIBLE))


def _patterns(overload: Overload, count: int) -> tuple[Pattern, ...]:
    patterns = overload.arguments
    if len(patterns) >= count:
        return patterns[:count]
    return (*patterns, *(patterns[-1],) * (count - len(patterns)))
