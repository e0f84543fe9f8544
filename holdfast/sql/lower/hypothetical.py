"""Hypothetical-set aggregates: the place that a row would have among those of a group, by counting them.

`rank(v) WITHIN GROUP (ORDER BY k)` is one more than the rows whose `k` is before `v`, and so on: the call is written as
counts, and these are lowered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from holdfast.sql.coerce import shown
from holdfast.sql.errors import NotSupported, UndefinedFunction
from holdfast.sql.lower.block import Block
from holdfast.sql.lower.order import order_key
from holdfast.sql.syntax import expression as syntax
from holdfast.sql.syntax.name import ObjectName, OperatorName
from holdfast.sql.syntax.types import NamedType
from holdfast.sql.term import Term


def hypothetical(expression: syntax.Call, block: Block) -> Term:
    """A call of one of `HYPOTHETICAL` with WITHIN GROUP."""
    name, location = expression.name.parts[-1], expression.location
    if expression.over is not None:
        raise NotSupported(f"OVER is not supported for ordered-set aggregate {name}", location)
    direct = [argument for argument in expression.arguments if not isinstance(argument, syntax.NamedArgument)]
    if len(direct) != len(expression.order_by):
        types = [shown(block.term(part).type) for part in (*direct, *(key.expression for key in expression.order_by))]
        raise UndefinedFunction(
            f"function {name}({', '.join(types)}) does not exist",
            location,
            f"To use the hypothetical-set aggregate {name}, the number of hypothetical direct arguments "
            f"(here {len(direct)}) must match the number of ordering columns (here {len(expression.order_by)}).",
        )
    keys = [_Key(value, key, block) for value, key in zip(direct, expression.order_by, strict=True)]
    return Term(block.term(HYPOTHETICAL[name](_Rows(keys, expression))).scalar, location)


class _Key:
    """An expression that rows are sorted by, and the value of it that the hypothetical row has."""

    def __init__(self, value: syntax.Expression, key: syntax.Order, block: Block) -> None:
        before = len(block.references)
        given = block.term(value)
        block.direct.append(given.scalar)
        block.direct_references += block.references[before:]
        sorted_ = block.term(key.expression)
        order = order_key(key, sorted_, block.coercion)
        del block.references[before:]
        block.coercion.common_type([sorted_, given], "WITHIN GROUP")
        self.value, self.expression = value, key.expression
        self._descending, self._nulls_first = order.descending, order.nulls_first

    def before(self) -> syntax.Expression:
        """Whether a row is before the hypothetical one."""
        expression, value = self.expression, self.value
        symbol = OperatorName(">" if self._descending else "<", location=value.location)
        compared = syntax.Binary(symbol, expression, value, location=value.location)
        first = syntax.And((syntax.BooleanLiteral(self._nulls_first), syntax.IsNull(value, negated=True)))
        absent = syntax.When(syntax.IsNull(expression), first)
        value_absent = syntax.When(syntax.IsNull(value), syntax.BooleanLiteral(not self._nulls_first))
        return syntax.Case(None, (absent, value_absent), compared)

    def equal(self) -> syntax.Expression:
        return syntax.IsDistinctFrom(self.expression, self.value, negated=True, location=self.value.location)


class _Rows:
    """The rows of a group, and how many of them there are at some places."""

    def __init__(self, keys: Sequence[_Key], call: syntax.Call) -> None:
        self._keys, self._call = keys, call

    def before(self) -> syntax.Expression:
        return self._count(self._before())

    def kinds_before(self) -> syntax.Expression:
        """Counts rows that are equal once."""
        row = syntax.Row(tuple(key.expression for key in self._keys))
        return self._count(self._before(), row)

    def up_to(self) -> syntax.Expression:
        """Counts the rows before and those that are equal."""
        equal = _all([key.equal() for key in self._keys])
        return self._count(syntax.Or((self._before(), equal)))

    def all(self) -> syntax.Expression:
        return self._count(None)

    def _before(self) -> syntax.Expression:
        *others, last = self._keys
        found = last.before()
        for key in reversed(others):
            found = syntax.Or((key.before(), syntax.And((key.equal(), found))))
        return found

    def _count(
        self, condition: syntax.Expression | None, distinct: syntax.Expression | None = None
    ) -> syntax.Expression:
        conditions = [part for part in (self._call.filter, condition) if part is not None]
        return syntax.Call(
            ObjectName(("pg_catalog", "count")),
            () if distinct is None else (distinct,),
            star=distinct is None,
            distinct=distinct is not None,
            filter=_all(conditions) if conditions else None,
            location=self._call.location,
        )


def _all(terms: Sequence[syntax.Expression]) -> syntax.Expression:
    return terms[0] if len(terms) == 1 else syntax.And(tuple(terms))


def _number(value: int) -> syntax.Expression:
    return syntax.IntegerLiteral(value)


def _plus_one(count: syntax.Expression) -> syntax.Expression:
    return syntax.Binary(OperatorName("+"), count, _number(1))


def _share(part: syntax.Expression, whole: syntax.Expression) -> syntax.Expression:
    return syntax.Binary(OperatorName("/"), syntax.Cast(part, NamedType(("float8",))), whole)


def _percent_rank(rows: _Rows) -> syntax.Expression:
    share = _share(rows.before(), syntax.Choice("NULLIF", (rows.all(), _number(0))))
    return syntax.Choice("COALESCE", (share, _number(0)))


HYPOTHETICAL: Mapping[str, Callable[[_Rows], syntax.Expression]] = {
    "rank": lambda rows: _plus_one(rows.before()),
    "dense_rank": lambda rows: _plus_one(rows.kinds_before()),
    "percent_rank": _percent_rank,
    "cume_dist": lambda rows: _share(_plus_one(rows.up_to()), _plus_one(rows.all())),
}
"""By name, the call as counts of rows."""
