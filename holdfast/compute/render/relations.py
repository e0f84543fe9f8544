"""Relational operators as Spark SQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from holdfast.compute.render.aggregates import aggregate_text
from holdfast.compute.render.block import Block, Writer, can_inline, inlined, over, shifted
from holdfast.compute.render.calls import Needs, rows_type, table_call, unwrapped
from holdfast.compute.render.internal import COUNT
from holdfast.compute.render.joins import outer_by_anti, semi_by_distinct, spans_python
from holdfast.compute.render.limits import limit_clauses, place_predicates
from holdfast.compute.render.literals import literal
from holdfast.compute.render.order import keyed, order_texts, stand_ins, tie_breaks
from holdfast.compute.render.scalars import argument_text, atom, calls_python, filled, is_volatile, scalar_text
from holdfast.compute.render.shared import shared_subplans
from holdfast.compute.render.signed import is_signed, without_counts
from holdfast.compute.render.windows import keyed_calls, window_block
from holdfast.errors import UsageError
from holdfast.plan.functions.function import ResultColumns
from holdfast.plan.relation import (
    AggregateCall,
    Apply,
    Columns,
    Distinct,
    Filter,
    FlatMap,
    Get,
    Join,
    Let,
    LetRec,
    Local,
    Map,
    Negate,
    OrderKey,
    OuterJoin,
    Project,
    Reduce,
    Relation,
    SemiJoin,
    Threshold,
    TopK,
    Union,
    Values,
    Window,
)
from holdfast.plan.scalar import FALSE, Column, Constant, Scalar, columns_of
from holdfast.plan.types import Map as MapType
from holdfast.plan.types import spark_type

_SHORT = 600
"""Characters of aggregates that may be written again where they are used."""


def input_name(name: str) -> str:
    """What a collection is called in a text."""
    return quoted(f"in_{name}")


def quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


@dataclass(frozen=True, slots=True)
class Named:
    """A subplan that has a name of its own in WITH."""

    name: str
    query: str


Looped: TypeAlias = Callable[[LetRec, Mapping[str, str], Sequence[tuple[str, Relation]]], Mapping[str, str]]
"""Has a recursion run before the text, and returns what its bindings are called in it.

The second argument is what bindings of the recursions around it are called, the third the `Let`s around it.
"""


class Relations:
    """Writes one text. `recursive` says what the bindings of the recursions around it are called."""

    def __init__(self, needs: Needs, root: Relation, recursive: Mapping[str, str], looped: Looped) -> None:
        self.writer = Writer(needs)
        self.needs = needs
        self.named: list[Named] = []
        self._recursive, self._looped = recursive, looped
        self._locals = recursive
        self._lets: list[tuple[str, Relation]] = []
        self._shared = shared_subplans(root)
        self._written: dict[Relation, str] = {}

    def block(self, relation: Relation) -> Block:
        if relation not in self._shared:
            return self._block(relation)
        if relation not in self._written:
            query = self.writer.text(self._block(relation))
            self._written[relation] = self._with(f"shared_{len(self._written)}", query)
        alias = self.writer.alias()
        return over(f"{self._written[relation]} AS {alias}", alias, relation.columns)

    def _with(self, wanted: str, query: str) -> str:
        taken = {named.name for named in self.named}
        name, number = quoted(wanted), 2
        while name in taken:
            name, number = quoted(f"{wanted}_{number}"), number + 1
        self.named.append(Named(name, query))
        return name

    def _block(self, relation: Relation) -> Block:
        match relation:
            case Values():
                return self._values(relation)
            case Get():
                self.needs.inputs[relation.name] = None
                alias = self.writer.alias()
                return over(f"{input_name(relation.name)} AS {alias}", alias, relation.columns)
            case Local():
                alias = self.writer.alias()
                return over(f"{self._local(relation)} AS {alias}", alias, relation.columns)
            case Map():
                return self._map(self.block(relation.input), relation.scalars, relation.input.columns)
            case Filter():
                return self._filter(self.block(relation.input), relation.predicates, relation.columns)
            case Project():
                block = self.block(relation.input)
                return replace(block, columns=tuple(block.columns[i] for i in relation.outputs), whole=None)
            case FlatMap():
                return self._flat_map(relation)
            case Join():
                return self._join(relation)
            case OuterJoin():
                return self._outer_join(relation)
            case SemiJoin():
                return self._semi_join(relation)
            case Reduce():
                return self._reduce(relation)
            case Distinct():
                return self._distinct(relation)
            case TopK():
                return self._top_k(relation)
            case Window():
                return self._window(relation)
            case Union():
                texts = [self.writer.text(self.block(part)) for part in relation.inputs]
                return self.writer.named("\nUNION ALL\n".join(_operand(text) for text in texts), relation.columns)
            case Threshold():
                return self.block(without_counts(relation) if is_signed(relation.input) else relation.input)
            case Let():
                return self._let(relation)
            case Negate():
                raise UsageError("a multiset cannot have rows less than zero times")
            case LetRec():
                return self._let_rec(relation)
            case Apply():
                raise UsageError("the plan is not decorrelated")
        assert_never(relation)

    def _local(self, relation: Local) -> str:
        if relation.name not in self._locals:
            raise UsageError(f"nothing is called {relation.name} here")
        return self._locals[relation.name]

    def _let(self, relation: Let) -> Block:
        query = self.writer.text(self.block(relation.value))
        before = self._locals
        self._locals = {**before, relation.name: self._with(f"let_{relation.name}", query)}
        self._lets.append((relation.name, relation.value))
        found = self.block(relation.body)
        self._lets.pop()
        self._locals = before
        return found

    def _let_rec(self, relation: LetRec) -> Block:
        before = self._locals, self._recursive
        names = self._looped(relation, self._recursive, tuple(self._lets))
        self._locals, self._recursive = {**self._locals, **names}, {**self._recursive, **names}
        found = self.block(relation.body)
        self._locals, self._recursive = before
        return found

    def _values(self, relation: Values) -> Block:
        types = [column.type for column in relation.columns]
        if len(relation.rows) == 1:
            return Block("", (), tuple(Constant(v, t) for v, t in zip(relation.rows[0], types, strict=True)))
        if not relation.rows:
            return Block("", (), tuple(Constant(None, type_) for type_ in types), (FALSE,))
        alias = self.writer.alias()
        rows = (", ".join(literal(v, t) for v, t in zip(row, types, strict=True)) or "0" for row in relation.rows)
        names = ", ".join(f"c{index}" for index in range(len(types))) or "c"
        lines = ",\n  ".join(f"({row})" for row in rows)
        return over(f"VALUES\n  {lines}\nAS {alias}({names})", alias, relation.columns)

    def _map(self, block: Block, scalars: Sequence[Scalar], columns: Columns) -> Block:
        if block.kind == "sealed" or not can_inline(scalars, block.columns):
            block = self.writer.wrapped(block, columns)
        added = tuple(inlined(scalar, block.columns) for scalar in scalars)
        return replace(block, columns=(*block.columns, *added), whole=None)

    def _filter(self, block: Block, predicates: Sequence[Scalar], columns: Columns) -> Block:
        volatile = any(is_volatile(scalar) for scalar in block.columns)
        if block.kind == "sealed" or volatile or not can_inline(predicates, block.columns):
            block = self.writer.wrapped(block, columns)
        added = tuple(inlined(predicate, block.columns) for predicate in predicates)
        return replace(block, predicates=(*block.predicates, *added), whole=None)

    def _plain(self, relation: Relation, *, joins: bool = False) -> Block:
        """The relation as a block to which FROM, or at least WHERE, can still add something."""
        block = self.block(relation)
        kinds = ("plain",) if joins else ("plain", "viewed")
        if block.kind in kinds and not any(is_volatile(column) for column in block.columns):
            return block
        return self.writer.wrapped(block, relation.columns)

    def _bare(self, relation: Relation, *, filtered: bool) -> Block:
        """The relation as tables and joins whose columns are taken as they are; with `filtered`, of some rows."""
        block = self._plain(relation, joins=True)
        if block.source and block.is_bare and (filtered or not block.predicates):
            return block
        return self.writer.wrapped(block, relation.columns)

    def _flat_map(self, relation: FlatMap) -> Block:
        block = self._plain(relation.input)
        if not can_inline(relation.arguments, block.columns):
            block = self.writer.wrapped(block, relation.input.columns)
        alias = self.writer.alias()
        arguments = [inlined(argument, block.columns) for argument in relation.arguments]
        array, is_rows = self._rows(relation, [argument_text(a, block.names, self.needs) for a in arguments])
        outer = "OUTER " if relation.outer else ""
        width = len(relation.returns)
        names = [f"{alias}.c{index}" for index in range(width)]
        if not relation.ordinality and is_rows:
            view = f"LATERAL VIEW {outer}inline({array}) {alias} AS {', '.join(f'c{i}' for i in range(width))}"
        elif not relation.ordinality:
            view = f"LATERAL VIEW {outer}explode({array}) {alias} AS c0"
        else:
            if is_rows:
                rows = spark_type(rows_type([column.type for column in relation.returns]))
                array = f"CAST({array} AS {rows})"
                names = [f"{alias}.v.f{index}" for index in range(1, width + 1)]
            else:
                names = [f"{alias}.v"]
            view = f"LATERAL VIEW {outer}posexplode({array}) {alias} AS p, v"
            names.append(f"{alias}.p + 1L")
        source = block.source or f"(SELECT 0) AS {self.writer.alias()}"
        first = len(block.names)
        columns = relation.columns[len(relation.input.columns) :]
        added = tuple(Column(first + i, column.type, column.nullable) for i, column in enumerate(columns))
        return replace(
            block,
            source=f"{source}\n{view}",
            names=(*block.names, *(atom(name) for name in names)),
            columns=(*block.columns, *added),
            kind="viewed",
            whole=None,
        )

    def _rows(self, relation: FlatMap, arguments: Sequence[str]) -> tuple[str, bool]:
        """The array of what a table function returns, and whether its elements are records."""
        function = relation.function
        types = tuple(argument.type for argument in relation.arguments)
        columns = ResultColumns(
            tuple(f"c{i}" for i in range(len(relation.returns))),
            tuple(column.type for column in relation.returns),
            tuple(column.nullable for column in relation.returns),
        )
        result = rows_type(columns.types)
        text = filled(function.spark, arguments, types, result)
        if text is not None:
            return text, len(columns.types) != 1
        text = self.needs.call(table_call(function, types, columns), arguments)
        return (unwrapped(text) if function.fails else text), True

    def _join(self, relation: Join) -> Block:
        parts = [self._plain(part, joins=True) for part in relation.inputs]
        columns: list[Scalar] = []
        predicates: list[Scalar] = []
        names: list[str] = []
        for part in parts:
            move = shifted(len(names))
            columns += [move(column) for column in part.columns]
            predicates += [move(predicate) for predicate in part.predicates]
            names += part.names
        if not can_inline(relation.predicates, columns):
            wrapped = Join(relation.inputs)
            return self._filter(self._join(wrapped), relation.predicates, relation.columns)
        conditions = [inlined(predicate, columns) for predicate in relation.predicates]
        source, rest = self._from(parts, names, conditions)
        return Block(source, tuple(names), tuple(columns), (*predicates, *rest))

    def _from(
        self, parts: Sequence[Block], names: Sequence[str], conditions: Sequence[Scalar]
    ) -> tuple[str, list[Scalar]]:
        """FROM of a join in the given order, and the conditions that stand in no ON: each is in the first that can."""
        waiting = list(conditions)
        source, width = "", 0
        for part in parts:
            start, width = width, width + len(part.names)
            if not part.source:
                continue
            if not source:
                source = part.source
                continue
            ready = [
                c
                for c in waiting
                if (used := columns_of(c)) and max(used) < width and start <= max(used) and min(used) < start
            ]
            waiting = [c for c in waiting if c not in ready]
            joined = _operand_source(part.source)
            if ready:
                source = f"{source}\nJOIN {joined} ON {self.writer.conjunction(ready, names)}"
            else:
                source = f"{source}\nCROSS JOIN {joined}"
        return source, waiting

    def _outer_join(self, relation: OuterJoin) -> Block:
        if spans_python(relation.predicates, len(relation.left.columns)):
            return self.block(outer_by_anti(relation))
        left = self._bare(relation.left, filtered=False) if relation.full else self._sourced(relation.left)
        right = self._bare(relation.right, filtered=not relation.full)
        if not can_inline(relation.predicates, (*left.columns, *right.columns)):
            left = self._bare(relation.left, filtered=False)
        source, names, columns = self._beside(left, right, relation.predicates, "FULL" if relation.full else "LEFT")
        typed = tuple(
            Column(c.index, c.type, True) if isinstance(c, Column) and index >= len(left.columns) else c
            for index, c in enumerate(columns)
        )
        return Block(source, names, typed, left.predicates)

    def _semi_join(self, relation: SemiJoin) -> Block:
        if spans_python(relation.predicates, len(relation.left.columns)):
            return self.block(semi_by_distinct(relation))
        left = self._sourced(relation.left)
        right = self._sourced(relation.right)
        if not can_inline(relation.predicates, (*left.columns, *right.columns)):
            left, right = self._bare(relation.left, filtered=True), self._bare(relation.right, filtered=True)
        kind = "LEFT ANTI" if relation.anti else "LEFT SEMI"
        source, _, _ = self._beside(left, right, relation.predicates, kind)
        return replace(left, source=source, whole=None)

    def _sourced(self, relation: Relation) -> Block:
        block = self._plain(relation, joins=True)
        return block if block.source else self.writer.wrapped(block, relation.columns)

    def _beside(
        self, left: Block, right: Block, predicates: Sequence[Scalar], kind: str
    ) -> tuple[str, tuple[str, ...], tuple[Scalar, ...]]:
        """Two sides in FROM, which names they have, and the columns of both."""
        move = shifted(len(left.names))
        names = (*left.names, *right.names)
        columns = (*left.columns, *(move(column) for column in right.columns))
        # Rows that the right side does not have match nothing.
        conditions = [*(inlined(p, columns) for p in predicates), *(move(p) for p in right.predicates)]
        on = self.writer.conjunction(conditions, names) if conditions else "true"
        return f"{left.source}\n{kind} JOIN {_operand_source(right.source)} ON {on}", names, columns

    def _reduce(self, relation: Reduce) -> Block:
        calls = relation.aggregates
        inside = [
            *relation.keys,
            *(argument for call in calls for argument in call.arguments),
            *(call.filter for call in calls if call.filter is not None),
            *(key.expression for call in calls for key in call.order),
        ]
        if not relation.keys and not calls:
            return Block("", (), ())
        block = self._plain(relation.input)
        python = [scalar for scalar in inside if calls_python(scalar) or is_volatile(scalar)]
        if python:
            return self._reduce(_computed_below(relation))
        if not can_inline(inside, block.columns):
            block = self.writer.wrapped(block, relation.input.columns)
        below = [atom(scalar_text(column, block.names, self.needs)) for column in block.columns]
        keys = [inlined(key, block.columns) for key in relation.keys]
        texts = [argument_text(key, block.names, self.needs) for key in keys]
        texts += [atom(aggregate_text(call, below, self.needs)) for call in calls]
        predicates = self.writer.conjunction(block.predicates, block.names)
        simple = all(isinstance(key, Column) for key in keys)
        group = _group(keys, texts)
        return Block(
            block.source,
            tuple(texts),
            tuple(Column(i, column.type, column.nullable) for i, column in enumerate(relation.columns)),
            kind="grouped" if simple and sum(map(len, texts)) < _SHORT else "sealed",
            grouped=True,
            where=f"WHERE {predicates}" if predicates else "",
            tail=group,
        )

    def _distinct(self, relation: Distinct) -> Block:
        block = self.block(relation.input)
        if not relation.columns:
            return self._top_k(TopK(relation.input, (), (), Constant(1, COUNT.type)))
        if any(isinstance(column.type, MapType) for column in relation.columns):
            # Spark groups by maps, but has no DISTINCT of them.
            keys = tuple(Column(i, column.type, column.nullable) for i, column in enumerate(relation.columns))
            return self._reduce(Reduce(relation.input, keys))
        if block.whole is not None:
            block = self.writer.wrapped(block, relation.columns)
        text = self.writer.text(block)
        return self.writer.named(f"SELECT DISTINCT {text.removeprefix('SELECT ')}", relation.columns)

    def _window(self, relation: Window) -> Block:
        below, calls = keyed_calls(relation)
        if below is relation.input:
            return window_block(relation, self._plain(below), self.writer)
        width, more = len(relation.input.columns), len(below.columns)
        made = tuple(range(more, more + len(calls)))
        return self.block(Project(Window(below, calls), (*range(width), *made)))

    def _top_k(self, relation: TopK) -> Block:
        below, order = keyed(relation.input, relation.order, _ties(relation))
        if below is not relation.input:
            top = TopK(below, relation.group, order, relation.limit, relation.offset)
            return self.block(Project(top, tuple(range(len(relation.columns)))))
        clauses = None if relation.group else limit_clauses(relation.limit, relation.offset, self.needs)
        if clauses is None:
            return self._placed(relation)
        block = self.block(relation.input)
        if not (relation.order or clauses):
            return block
        text = self.ordered(block, relation.columns, relation.order, clauses, stand_ins(relation.input))
        return self.writer.named(text, relation.columns)

    def ordered(
        self,
        block: Block,
        columns: Columns,
        order: Sequence[OrderKey],
        clauses: Sequence[str],
        others: Mapping[int, int],
    ) -> str:
        """The query with ORDER BY and what follows it, which is where it matters which of equal rows come first."""
        if block.whole is not None:
            block = self.writer.wrapped(block, columns)
        # In ORDER BY these names mean the columns that SELECT makes.
        names = [f"c{index}" for index in range(len(columns))]
        keys = order_texts(order, names, self.needs)
        if clauses:
            keys += tie_breaks(order, names, columns, others)
        lines = [self.writer.text(block), f"ORDER BY {', '.join(keys)}" if keys else "", *clauses]
        return "\n".join(line for line in lines if line)

    def _placed(self, relation: TopK) -> Block:
        """By the place that a window function gives to each row of a group."""
        block = self._plain(relation.input)
        if not can_inline([key.expression for key in relation.order], block.columns):
            block = self.writer.wrapped(block, relation.input.columns)
        texts = [argument_text(column, block.names, self.needs) for column in block.columns]
        ties = tie_breaks(relation.order, texts, relation.columns, stand_ins(relation.input), relation.group)
        order = [*order_texts(relation.order, texts, self.needs), *ties]
        group = ", ".join(texts[index] for index in relation.group)
        partition = f"PARTITION BY {group} " if group else ""
        place = f"row_number() OVER ({partition}ORDER BY {', '.join(order) or '0'})"
        placed = replace(
            block,
            names=(*block.names, place),
            columns=(*block.columns, Column(len(block.names), COUNT.type, False)),
            whole=None,
        )
        inner = self.writer.wrapped(placed, (*relation.columns, COUNT))
        (*columns, last) = inner.columns
        assert isinstance(last, Column)
        predicates = place_predicates(last, relation.limit, relation.offset)
        return replace(inner, columns=tuple(columns), predicates=predicates)


def _operand(query: str) -> str:
    """A query as a part of a UNION."""
    plain = query.startswith("SELECT") and "\nORDER BY" not in query and "\nLIMIT" not in query
    return query if plain and "\nOFFSET" not in query else f"({query})"


def _operand_source(source: str) -> str:
    """What stands in FROM as the right side of a join."""
    return f"({source})" if _JOINED.search(source) else source


_JOINED = re.compile(r"^(?:(?:CROSS|LEFT|FULL|LEFT SEMI|LEFT ANTI) )?JOIN ", re.MULTILINE)


def _group(keys: Sequence[Scalar], texts: Sequence[str]) -> str:
    # A number alone would be the place of a column.
    shown = [
        f"CAST({text} AS {spark_type(key.type)})" if isinstance(key, Constant) else text
        for key, text in zip(keys, texts, strict=False)
    ]
    return f"GROUP BY {', '.join(shown)}" if shown else ""


def _computed_below(relation: Reduce) -> Reduce:
    """The same with all that is not a column computed by the input: Spark groups by no Python function."""
    width = len(relation.input.columns)
    scalars: dict[Scalar, Column] = {}

    def column(scalar: Scalar) -> Scalar:
        if isinstance(scalar, Column | Constant):
            return scalar
        place = Column(width + len(scalars), scalar.type, scalar.nullable)
        return scalars.setdefault(scalar, place)

    keys = tuple(column(key) for key in relation.keys)
    aggregates = tuple(
        AggregateCall(
            call.function,
            tuple(column(argument) for argument in call.arguments),
            call.type,
            call.nullable,
            call.distinct,
            call.filter and column(call.filter),
            tuple(OrderKey(column(key.expression), key.descending, key.nulls_first) for key in call.order),
        )
        for call in relation.aggregates
    )
    return Reduce(Map(relation.input, tuple(scalars)), keys, aggregates)


def _ties(relation: TopK) -> frozenset[int]:
    """The columns in which rows of one group may differ."""
    return frozenset(range(len(relation.columns))) - frozenset(relation.group)
