"""GROUP BY: which sets of expressions rows are grouped by, and what is left of a row afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

from holdfast.plan.relation import AggregateCall, Let, Local, Map, Project, Reduce, Relation, Union
from holdfast.plan.scalar import Column, Constant, Scalar, null
from holdfast.plan.types import INT4
from holdfast.sql.errors import GroupingError, WrongSyntax
from holdfast.sql.lower.block import AGGREGATES, GROUP_BY, GROUPINGS, WINDOWS, Block, Reference
from holdfast.sql.lower.levels import reads
from holdfast.sql.lower.placement import Placement
from holdfast.sql.lower.targets import Targets, output
from holdfast.sql.syntax import expression as syntax
from holdfast.sql.syntax.query import GroupingSet

_MAX_SETS = 4096
Keys = tuple[Scalar, ...]


class Groups:
    """All expressions that rows are grouped by, in order, and the sets of them: without GROUPING SETS, just one."""

    def __init__(self, sets: Sequence[Keys]) -> None:
        self.sets = [tuple(dict.fromkeys(keys)) for keys in sets]
        self.keys: Keys = tuple(dict.fromkeys(key for keys in self.sets for key in keys))

    @property
    def common(self) -> frozenset[Scalar]:
        """Those that all sets have."""
        return frozenset(self.keys).intersection(*self.sets)


def lower_groups(
    items: Sequence[syntax.Expression | GroupingSet], distinct: bool, targets: Targets, block: Block
) -> Groups:
    parts: list[list[Keys]] = [_sets(item, targets, block) for item in items]
    count = 1
    for part in parts:
        count *= len(part)
        if count > _MAX_SETS:
            raise WrongSyntax(f"too many grouping sets present (maximum {_MAX_SETS})", items[0].location)
    found = [tuple(key for keys in choice for key in keys) for choice in product(*parts)]
    if distinct:
        found = list({frozenset(keys): keys for keys in reversed(found)}.values())[::-1]
    return Groups(found)


def _sets(item: syntax.Expression | GroupingSet, targets: Targets, block: Block) -> list[Keys]:
    """The sets that one item of GROUP BY stands for."""
    if not isinstance(item, GroupingSet):
        return [_keys(item, targets, block)]
    if item.kind == "EMPTY":
        return [()]
    if item.kind == "GROUPING SETS":
        return [keys for part in item.items for keys in _sets(part, targets, block)]
    units = [_keys(part, targets, block) for part in item.items if not isinstance(part, GroupingSet)]
    if item.kind == "ROLLUP":
        return [_joined(units[:size]) for size in range(len(units), -1, -1)]
    if len(units) > 12:
        raise WrongSyntax("CUBE is limited to 12 elements", item.location)
    return [_joined(chosen) for size in range(len(units), -1, -1) for chosen in combinations(units, size)]


def _joined(units: Sequence[Keys]) -> Keys:
    return tuple(key for unit in units for key in unit)


def _keys(item: syntax.Expression, targets: Targets, block: Block) -> Keys:
    if isinstance(item, syntax.Row) and not item.explicit:
        return tuple(key for part in item.items for key in _keys(part, targets, block))
    index = output(item, targets, block, GROUP_BY, input_first=True)
    if index is not None:
        term = targets.settle(index, block)
    else:
        before = len(block.references)
        with block.in_clause(GROUP_BY):
            term = block.coercion.text_if_unknown(block.term(item))
        del block.references[before:]
    if reads(term.scalar, AGGREGATES):
        raise GroupingError("aggregate functions are not allowed in GROUP BY", term.location)
    if reads(term.scalar, WINDOWS):
        raise GroupingError("window functions are not allowed in GROUP BY", term.location)
    return (term.scalar,)


class Grouped:
    """The rows after grouping: all keys, then the aggregates, then what GROUPING calls come to."""

    def __init__(self, groups: Groups, block: Block, place: Placement) -> None:
        """`place` is where the columns of FROM are in the rows to be grouped."""
        self.groups, self.block = groups, block
        self._keys: list[Scalar] = list(groups.keys)
        self._dependent: dict[Column, int] = {}
        self._from = place
        self._check_groupings()

    def _check_groupings(self) -> None:
        for scalar, location in self.block.grouping_locations:
            if scalar not in self.groups.keys:
                raise GroupingError(
                    "arguments to GROUPING must be grouping expressions of the associated query level", location
                )

    def depend_on_keys(self, references: Sequence[Reference]) -> None:
        """Let columns stand that a key of their relation, which the rows are grouped by, decides."""
        grouped = {key.index for key in self.groups.common if isinstance(key, Column)}
        for reference in references:
            found = reference.column
            if found in self._dependent or found in self.groups.keys:
                continue
            for item in self.block.scope.items:
                if found.index in item.places and any(
                    all(item.places[part] in grouped for part in key) for key in item.keys
                ):
                    self._dependent[found] = len(self._keys)
                    self._keys.append(found)
                    break

    def check_direct(self) -> None:
        """Arguments before WITHIN GROUP are one value for a group."""
        place = self.placement(self.block.direct_references)
        try:
            place.scalars(self.block.direct)
        except GroupingError as error:
            error.detail = "Direct arguments of an ordered-set aggregate must use only grouped columns."
            raise

    def placement(self, references: Sequence[Reference]) -> Placement:
        """For expressions in which `references` were met: a column that is not grouped by is an error."""
        known: dict[Scalar, Column] = {}
        for index, key in enumerate(self._keys):
            nullable = key.nullable or len(self.groups.sets) > 1
            known[key] = Column(index, key.type, nullable)
        width = len(self._keys)
        aggregates = len(self.block.aggregates)

        def move(found: Column) -> Column:
            if found.index >= GROUPINGS:
                return Column(width + aggregates + found.index - GROUPINGS, found.type, found.nullable)
            if found.index >= AGGREGATES:
                return Column(width + found.index - AGGREGATES, found.type, found.nullable)
            place = known.get(found)
            if place is not None:
                return place
            raise _ungrouped(found, references)

        return Placement(width + aggregates + len(self.block.groupings), move, known)

    def relation(self, source: Relation) -> Relation:
        """`source` grouped."""
        keys = self._from.scalars(self._keys)
        aggregates = tuple([self._aggregate(call) for call in self.block.aggregates])
        dependent = frozenset(range(len(self.groups.keys), len(self._keys)))
        if len(self.groups.sets) == 1:
            return self._one(source, keys, aggregates, self.groups.sets[0], dependent)
        name = self.block.statement.fresh("grouped")
        shared = Local(name, source.columns)
        made = [self._one(shared, keys, aggregates, chosen, dependent) for chosen in self.groups.sets]
        return Let(name, source, Union(tuple(made)))

    def _aggregate(self, call: AggregateCall) -> AggregateCall:
        place = self._from
        return AggregateCall(
            call.function,
            place.scalars(call.arguments),
            call.type,
            call.nullable,
            call.distinct,
            None if call.filter is None else place.scalar(call.filter),
            place.order(call.order),
        )

    def _one(
        self,
        source: Relation,
        keys: Keys,
        aggregates: tuple[AggregateCall, ...],
        chosen: Keys,
        dependent: frozenset[int],
    ) -> Relation:
        """`source` grouped by one set, with nulls for the keys that it lacks."""
        places = [index for index, key in enumerate(self._keys) if index in dependent or key in chosen]
        reduced: Relation = Reduce(source, tuple([keys[index] for index in places]), aggregates)
        bits = [_grouping_bits(arguments, chosen) for arguments in self.block.groupings]
        missing = [index for index in range(len(keys)) if index not in places]
        if not bits and not missing:
            return reduced
        width = len(reduced.columns)
        added: list[Scalar] = [null(keys[index].type) for index in missing]
        added += [Constant(value, INT4) for value in bits]
        mapped = Map(reduced, tuple(added))
        of_key = {index: place for place, index in enumerate(places)}
        of_key.update({index: width + place for place, index in enumerate(missing)})
        outputs = [of_key[index] for index in range(len(keys))]
        outputs += range(len(places), len(places) + len(aggregates))
        outputs += range(width + len(missing), width + len(added))
        return Project(mapped, tuple(outputs))


def _grouping_bits(arguments: Sequence[Scalar], chosen: Keys) -> int:
    """A bit for each argument, the last one lowest, set if rows are not grouped by it."""
    found = 0
    for argument in arguments:
        found = found << 1 | (argument not in chosen)
    return found


def _ungrouped(found: Column, references: Sequence[Reference]) -> GroupingError:
    for reference in references:
        if reference.column is found:
            if reference.inner:
                message = f'subquery uses ungrouped column "{reference.shown}" from outer query'
            else:
                message = (
                    f'column "{reference.shown}" must appear in the GROUP BY clause or be used in an aggregate function'
                )
            return GroupingError(message, reference.location)
    return GroupingError(f"column {found.index} must appear in the GROUP BY clause or be used in an aggregate function")
