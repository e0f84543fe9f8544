"""A plan as one Spark SQL text, and what has to be there for it to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from textwrap import indent

from holdfast.compute.render.calls import Needs, PythonCall
from holdfast.compute.render.exact_sums import with_exact_sums
from holdfast.compute.render.limits import limit_clauses
from holdfast.compute.render.order import keyed, order_texts, stand_ins, tie_breaks
from holdfast.compute.render.relations import Named, Relations, quoted
from holdfast.plan.relation import Columns, Let, LetRec, Plan, Relation, TopK
from holdfast.plan.scalar import columns_of
from holdfast.plan.types import Type


@dataclass(frozen=True, slots=True)
class SparkQuery:
    """A query. Its text is a function of the plan alone, and its columns are c0, c1...

    - `inputs`: the collections that it reads. In the text each is called as `input_name` says, its columns c0, c1...
    - `functions`: the Python functions that it calls.
    - `parameters`: numbers and types of the parameters, which are `:p1`, `:p2`... in the text.
    - `loops`: what is iterated before the text runs, which reads the results by the names of the bindings.
    """

    text: str
    columns: Columns
    inputs: tuple[str, ...]
    functions: tuple[PythonCall, ...]
    parameters: tuple[tuple[int, Type], ...]
    loops: tuple[Loop, ...] = ()


@dataclass(frozen=True, slots=True)
class Binding:
    """`name` is what texts call it."""

    name: str
    query: SparkQuery


@dataclass(frozen=True, slots=True)
class Loop:
    """Bindings that are evaluated in turn, from empty, until nothing changes or `limit` rounds are over."""

    bindings: tuple[Binding, ...]
    limit: int | None
    error_at_limit: bool


def render(plan: Plan, code_limit: float | None = None) -> SparkQuery:
    """The query, with the columns that the user sees, in the order that the user asked for.

    `code_limit` says how many seconds a call of a user's function may take; None: any number.
    """
    return _Rendering(code_limit).query(plan)


class _Rendering:
    """One plan. The bindings of all its recursions have names of their own."""

    def __init__(self, code_limit: float | None) -> None:
        self._code_limit, self._numbers = code_limit, count()

    def query(self, plan: Plan, recursive: Mapping[str, str] | None = None) -> SparkQuery:
        plan = replace(plan, relation=with_exact_sums(plan.relation))
        needs, loops = Needs(self._code_limit), list[Loop]()

        def looped(relation: LetRec, around: Mapping[str, str], lets: Sequence[tuple[str, Relation]]) -> dict[str, str]:
            names = {b.name: quoted(f"rec{next(self._numbers)}_{b.name}") for b in relation.bindings}
            bindings = tuple(
                Binding(names[b.name], self.query(_whole(_within(lets, b.value)), {**around, **names}))
                for b in relation.bindings
            )
            loops.append(Loop(bindings, relation.limit, relation.error_at_limit))
            return names

        relations = Relations(needs, plan.relation, recursive or {}, looped)
        body = _body(relations, plan)
        return SparkQuery(
            "\n".join((_with(relations.named), body)) if relations.named else body,
            plan.relation.columns[: len(plan.names)],
            _all_inputs(needs, loops),
            tuple(needs.functions.values()),
            tuple(sorted(needs.parameters.items())),
            tuple(loops),
        )


def _whole(relation: Relation) -> Plan:
    return Plan(relation, tuple(f"c{index}" for index in range(len(relation.columns))))


def _within(lets: Sequence[tuple[str, Relation]], relation: Relation) -> Relation:
    """The relation with what the `Let`s around it, from the outermost on, call by names."""
    for name, value in reversed(lets):
        relation = Let(name, value, relation)
    return relation


def _all_inputs(needs: Needs, loops: Sequence[Loop]) -> tuple[str, ...]:
    of_loops = (name for loop in loops for binding in loop.bindings for name in binding.query.inputs)
    return tuple(dict.fromkeys((*needs.inputs, *of_loops)))


def _with(named: Sequence[Named]) -> str:
    return "WITH " + ",\n".join(f"{part.name} AS (\n{indent(part.query, '  ')}\n)" for part in named)


def _body(relations: Relations, plan: Plan) -> str:
    has_ties = plan.limit is not None or plan.offset is not None
    relation, order = keyed(plan.relation, plan.order, range(len(plan.names)) if has_ties else ())
    others = stand_ins(relation)
    clauses = limit_clauses(plan.limit, plan.offset, relations.needs)
    if clauses is None:
        relation, clauses = TopK(relation, (), order, plan.limit, plan.offset), []
    shown = len(plan.names)
    columns, block = relation.columns[:shown], relations.block(relation)
    used = [*others.values(), *(index for key in order for index in columns_of(key.expression))]
    if max(used, default=0) < max(shown, 1):
        if shown < len(relation.columns):
            block = replace(block, columns=block.columns[:shown], whole=None)
        if not (order or clauses):
            return relations.writer.text(block)
        return relations.ordered(block, columns, order, clauses, {})
    # What is ordered by must have a name, although nobody sees it.
    block = relations.writer.wrapped(block, relation.columns)
    keys = order_texts(order, block.names, relations.needs)
    if clauses:
        keys += tie_breaks(order, block.names, columns, others)
    visible = replace(block, columns=block.columns[:shown])
    return "\n".join([relations.writer.text(visible), f"ORDER BY {', '.join(keys)}", *clauses])
