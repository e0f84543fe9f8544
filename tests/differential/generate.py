"""Random queries that PostgreSQL accepts: typed expressions, joins, groups, subqueries anywhere, windows and sets.

Some fail when they run (a division by zero, an overflow): then the error must be the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from holdfast.plan.types import (
    BOOL,
    BYTEA,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT4RANGE,
    INT8,
    INTERVAL,
    JSONB,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UUID,
    Type,
)
from tests.differential.expressions import (
    AGGREGATES,
    ANY_TYPE,
    CALLS,
    HOLES,
    PEER_CALLS,
    WINDOW_CALLS,
    WINDOW_CALLS_OF_ANY_TYPE,
)
from tests.differential.schema import INTS, NUMERIC, TEXTS, VALUES, Table

TYPES: tuple[Type, ...] = (
    *(INT4, INT8, NUMERIC, FLOAT8, TEXT, BOOL, DATE, TIMESTAMP) * 3,
    *(INT2, FLOAT4, TIME, TIMESTAMPTZ, INTERVAL, UUID, BYTEA, JSONB, INTS, TEXTS, INT4RANGE),
)
"""Common ones are chosen more often."""

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
DIRECTIONS = ("", "", " DESC", " NULLS FIRST", " DESC NULLS LAST")
JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")


@dataclass(frozen=True, slots=True)
class Visible:
    """A column that an expression may name, or an expression that stands for one."""

    text: str
    type: Type


Scope = tuple[Visible, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """`ordered`: the order of its rows is known, whatever the rows."""

    text: str
    ordered: bool


@dataclass(frozen=True, slots=True)
class Source:
    """A table, or a query of a WITH clause."""

    name: str
    columns: tuple[tuple[str, Type], ...]


@dataclass(slots=True)
class Generator:
    random: Random
    tables: Sequence[Table]
    count: int = 0
    sources: list[Source] = field(init=False)

    def __post_init__(self) -> None:
        self.sources = [Source(table.name, table.columns) for table in self.tables]

    def alias(self) -> str:
        self.count += 1
        return f"q{self.count}"

    def one_in(self, n: int) -> bool:
        return self.random.randrange(n) == 0

    def some_types(self) -> list[Type]:
        return [self.random.choice(TYPES) for _ in range(self.random.randrange(1, 4))]

    # Queries

    def query(self) -> Query:
        """A whole query, whose order is total if it has a LIMIT."""
        with_clause = self.with_clause() if self.one_in(4) else ""
        choice = self.random.randrange(10)
        scope: Scope = ()
        if choice < 6:
            body, types = self.select((), depth=2)
        elif choice < 8:
            body, types = self.set_operation((), depth=1)
        else:
            from_clause, scope = self.from_clause((), 1)
            types = self.some_types()
            where = f" WHERE {self.expression(BOOL, scope, 1)}" if self.one_in(2) else ""
            targets = ", ".join(self.named(self.expression(type_, scope, 2)) for type_ in types)
            body = f"SELECT {targets} FROM {from_clause}{where}"
        if self.one_in(2):
            return Query(with_clause + body, ordered=False)
        return Query(with_clause + body + self.order_and_limit(len(types), scope, depth=1), ordered=True)

    def named(self, target: str) -> str:
        return f"{target} AS {self.random.choice(('x', 'total', 'Name', 'a'))}" if self.one_in(4) else target

    def order_and_limit(self, width: int, scope: Scope, depth: int, *, limited: bool = False) -> str:
        """An order that tells all rows apart that differ."""
        keys = [f"{key}{self.random.choice(DIRECTIONS)}" for key in range(1, width + 1)]
        self.random.shuffle(keys)
        if scope and self.one_in(2):
            keys.insert(0, self.expression(self.random.choice(TYPES), scope, depth) + self.random.choice(DIRECTIONS))
            if not re.search(r"[a-z(]", keys[0]):
                keys.pop(0)
        text = f" ORDER BY {', '.join(keys)}"
        if limited or self.one_in(2):
            number = self.random.randrange(4)
            text += self.random.choice(
                (
                    f" LIMIT {number}",
                    f" LIMIT {number} + 1",
                    f" LIMIT (SELECT {number})",
                    f" FETCH FIRST {number} ROWS ONLY",
                    " LIMIT ALL",
                )
                if not limited
                else (f" LIMIT {number}", f" LIMIT {number} + 1")
            )
        if self.one_in(4):
            text += f" OFFSET {self.random.randrange(3)}"
        return text

    def with_clause(self) -> str:
        parts = []
        for _ in range(self.random.randrange(1, 3)):
            text, types = self.select((), depth=1) if not self.one_in(4) else self.set_operation((), depth=0)
            name = f"w{self.alias()}"
            columns = tuple((f"c{i}", type_) for i, type_ in enumerate(types))
            hint = self.random.choice(("", "", "MATERIALIZED ", "NOT MATERIALIZED "))
            parts.append(f"{name} ({', '.join(name for name, _ in columns)}) AS {hint}({text})")
            self.sources += [Source(name, columns)] * 5
        return f"WITH {', '.join(parts)} "

    def set_operation(self, outer: Scope, depth: int, types: list[Type] | None = None) -> tuple[str, list[Type]]:
        types = types or [self.random.choice(TYPES) for _ in range(self.random.randrange(1, 3))]
        left = self.operand(outer, depth, types)
        right = self.operand(outer, depth, types)
        operation = self.random.choice(("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"))
        return f"{left} {operation} {right}", types

    def operand(self, outer: Scope, depth: int, types: list[Type]) -> str:
        choice = self.random.randrange(8)
        if choice == 0:
            return f"({self.set_operation(outer, depth - 1, types)[0]})"
        if choice == 1:
            return f"({self.values(types)})"
        return f"({self.select(outer, depth, types)[0]})"

    def values(self, types: list[Type]) -> str:
        rows = (", ".join(self.literal(type_) for type_ in types) for _ in range(self.random.randrange(1, 4)))
        return f"VALUES {', '.join(f'({row})' for row in rows)}"

    def select(self, outer: Scope, depth: int, types: list[Type] | None = None) -> tuple[str, list[Type]]:
        from_clause, scope = self.from_clause(outer, depth)
        every = (*scope, *outer)
        wanted = types or self.some_types()
        where = f" WHERE {self.expression(BOOL, every, depth)}" if self.one_in(2) else ""
        source = f"FROM {from_clause}{where}"
        kind = self.random.randrange(12)
        if kind < 2:
            return self.grouped(source, scope, outer, depth, wanted), wanted
        if kind == 2:
            return self.windowed(source, scope, wanted), wanted
        if kind == 3:
            return self.distinct_on(source, scope, depth, wanted), wanted
        targets = ", ".join(self.expression(type_, every, depth) for type_ in wanted)
        if kind == 4 and self.one_in(3):
            key = f"1{self.random.choice(DIRECTIONS)}"
            ties = f" ORDER BY {key} FETCH FIRST {self.random.randrange(4)} ROWS WITH TIES"
            return self.wrapped(f"SELECT {targets} {source}{ties}", wanted), wanted
        if kind == 4:
            limit = self.order_and_limit(len(wanted), every, depth - 1, limited=True)
            return self.wrapped(f"SELECT {targets} {source}{limit}", wanted), wanted
        distinct = "DISTINCT " if kind < 7 else ""
        return f"SELECT {distinct}{targets} {source}", wanted

    def distinct_on(self, source: str, scope: Scope, depth: int, wanted: list[Type]) -> str:
        keys = self.random.sample(scope, k=min(len(scope), self.random.randrange(1, 3)))
        rest = [column.text + self.random.choice(DIRECTIONS) for column in scope if column not in keys]
        order = ", ".join([key.text + self.random.choice(DIRECTIONS) for key in keys] + rest)
        targets = ", ".join(self.expression(type_, scope, depth - 1) for type_ in wanted)
        chosen = f"SELECT DISTINCT ON ({', '.join(key.text for key in keys)}) {targets} {source} ORDER BY {order}"
        return self.wrapped(chosen, wanted)

    def wrapped(self, query: str, types: list[Type]) -> str:
        """A query with an order of its own, as one that may be given another."""
        alias = self.alias()
        columns, _ = self.columns(alias, types)
        return f"SELECT * FROM ({query}) AS {alias} ({columns})"

    # Groups

    def grouped(self, source: str, scope: Scope, outer: Scope, depth: int, wanted: list[Type]) -> str:
        columns = self.random.sample(scope, k=min(len(scope), self.random.randrange(3)))
        keys = list(columns)
        clause = ", ".join(key.text for key in keys)
        if keys and self.one_in(3):
            clause = self.grouping_sets([key.text for key in keys])
            texts = [key.text for key in keys]
            columns.append(Visible(f"GROUPING({', '.join(self.random.sample(texts, len(texts)))})", INT4))
        elif self.one_in(3):
            type_ = self.random.choice(TYPES)
            key = Visible(self.call(type_, scope, 0), type_)
            # A constant would be taken for the place of a target.
            if any(column.text in key.text for column in scope):
                columns.append(key)
                clause = ", ".join(part.text for part in columns)
        series = self.filled("generate_series(1, <i> % 3)", INT4, scope, 0) if self.one_in(6) else ""
        if series:
            clause = f"{clause}, {series}" if clause else series
        group = f" GROUP BY {clause}" if clause else ""
        aggregated = [Visible(self.aggregate(type_, scope, outer, depth), type_) for type_ in (*wanted, BOOL)]
        within: Scope = (*columns, *aggregated)
        targets = []
        for type_ in wanted:
            if series and type_ is INT4 and self.one_in(2):
                targets.append(series)
            elif self.one_in(4):
                targets.append(self.expression(type_, (*keys, *outer), depth - 1))
            elif self.one_in(5):
                targets.append(self.window_call(type_, within, columns, filtered=False))
            else:
                targets.append(self.expression(type_, within, 0))
        having = f" HAVING {self.expression(BOOL, within, 0)}" if self.one_in(4) else ""
        if self.one_in(10):
            having = f" HAVING {self.subquery(BOOL, (*keys, *outer), depth)}"
        return f"SELECT {', '.join(targets)} {source}{group}{having}"

    def grouping_sets(self, keys: list[str]) -> str:
        joined, first = ", ".join(keys), keys[0]
        return self.random.choice(
            (
                f"ROLLUP ({joined})",
                f"CUBE ({joined})",
                f"GROUPING SETS (({joined}), ({first}), ())",
                f"GROUPING SETS (({first}), ROLLUP ({joined}))",
                f"{first}, CUBE ({joined})",
                f"DISTINCT ROLLUP ({joined}), ROLLUP ({first})",
            )
        )

    def aggregate(self, type_: Type, scope: Scope, outer: Scope = (), depth: int = 0) -> str:
        """An aggregate of this query: one that names only columns around it would be one of the query there."""
        template = self.random.choice(AGGREGATES[type_])
        for every in ((*scope, *outer), scope):
            text = self.filled(template, type_, every, min(depth - 1, 0))
            suffix = f" FILTER (WHERE {self.expression(BOOL, every, depth - 1)})" if self.one_in(4) else ""
            text = text.replace("¶", suffix) if "¶" in template else text + suffix
            if every == scope or any(column.text in text for column in scope):
                break
        return text

    # Windows

    def windowed(self, source: str, scope: Scope, wanted: list[Type]) -> str:
        """All calls whose answers depend on the places of rows share an order, even if it is total: of equal rows, two
        orders may begin with different ones.
        """
        name = self.alias()
        partition = f"PARTITION BY {self.random.choice(scope).text} " if self.one_in(2) else ""
        named = f"{partition}ORDER BY {self.total_order(scope)}"
        targets = []
        for type_ in wanted:
            if self.one_in(2):
                targets.append(self.window_call(type_, scope, scope, total=name if self.one_in(2) else None))
                continue
            template = self.random.choice((*WINDOW_CALLS_OF_ANY_TYPE, *WINDOW_CALLS.get(type_, ())))
            call = self.filled(template, type_, scope, 0)
            frame = self.frame("ROWS") if self.one_in(2) else ""
            # PostgreSQL's first_value is null where ties are excluded and the row itself is not in the frame.
            frame = frame.removesuffix(" EXCLUDE TIES")
            targets.append(f"{call} OVER {f'({name} {frame})' if frame else name}")
        return f"SELECT {', '.join(targets)} {source} WINDOW {name} AS ({named})"

    def window_call(
        self, type_: Type, scope: Scope, order: Sequence[Visible], *, total: str | None = None, filtered: bool = True
    ) -> str:
        """A call whose answer is the same for rows that the order leaves equal, or over a window of total order."""
        if type_ not in PEER_CALLS or not order:
            return f"null::{type_}"
        template = self.random.choice(PEER_CALLS[type_])
        call = self.filled(template, type_, scope, 0)
        filter_ = ""
        if filtered and template.startswith(("max", "min", "sum", "count", "avg", "bool")) and self.one_in(4):
            filter_ = f" FILTER (WHERE {self.expression(BOOL, scope, 0)})"
        partition = f"PARTITION BY {self.random.choice(order).text} " if total is None and self.one_in(2) else ""
        key = self.random.choice(order)
        if total is not None:
            window = f"{total} {self.frame('ROWS')}"
        elif key.type in (INT4, INT8, INT2, NUMERIC, DATE, TIMESTAMP) and self.one_in(2):
            offsets = ("1 day", "2 days") if key.type in (DATE, TIMESTAMP) else ("1", "3")
            direction = self.random.choice(DIRECTIONS)
            window = f"ORDER BY {key.text}{direction} {self.frame('RANGE', offsets)}"
        else:
            window = f"ORDER BY {key.text}{self.random.choice(DIRECTIONS)} {self.frame('GROUPS')}"
        over = f"{filter_} OVER ({partition}{window})"
        return call.replace("¶", over) if "¶" in template else call + over

    def total_order(self, scope: Scope) -> str:
        return ", ".join(f"{column.text}{self.random.choice(DIRECTIONS)}" for column in scope)

    def frame(self, unit: str, offsets: tuple[str, str] = ("1", "2")) -> str:
        if self.one_in(4):
            return ""
        first, second = (f"'{offset}'" if " " in offset else offset for offset in offsets)
        bounds = self.random.choice(
            (
                "UNBOUNDED PRECEDING",
                f"{first} PRECEDING",
                "BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
                f"BETWEEN {second} PRECEDING AND {first} PRECEDING",
                f"BETWEEN {first} PRECEDING AND {second} FOLLOWING",
                f"BETWEEN CURRENT ROW AND {second} FOLLOWING",
                f"BETWEEN {first} FOLLOWING AND UNBOUNDED FOLLOWING",
            )
        )
        exclude = self.random.choice(("", "", "", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES"))
        return f"{unit} {bounds}{exclude}"

    # FROM

    def from_clause(self, outer: Scope, depth: int) -> tuple[str, Scope]:
        text, scope = self.from_item(outer, depth, lateral=False)
        for _ in range(self.random.choice((0, 0, 1, 1, 2))):
            kind = self.random.choice((*JOINS, "CROSS JOIN"))
            lateral = kind in ("JOIN", "LEFT JOIN", "CROSS JOIN")
            right, more = self.from_item((*scope, *outer), depth, lateral=lateral)
            if kind == "CROSS JOIN":
                text = f"{text} CROSS JOIN {right}"
            else:
                condition = self.join_condition(scope, more, outer, depth, full=kind == "FULL JOIN")
                text = f"{text} {kind} {right} ON {condition}"
            scope = (*scope, *more)
        return text, scope

    def join_condition(self, left: Scope, right: Scope, outer: Scope, depth: int, *, full: bool) -> str:
        pairs = [(a, b) for a in left for b in right if a.type is b.type]
        if not pairs:
            return "false" if self.one_in(2) else "true"
        a, b = self.random.choice(pairs)
        operator = "=" if full or not self.one_in(4) else self.random.choice(COMPARISONS)
        one, other = a.text, b.text
        if not full and self.one_in(4) and a.type in CALLS:
            one = self.expression(a.type, left, 1)
        if not full and self.one_in(4) and b.type in CALLS:
            other = self.expression(b.type, right, 1)
        text = f"{one} {operator} {other}"
        if not full and self.one_in(4):
            text += f" AND {self.expression(BOOL, (*left, *right, *outer), depth - 1)}"
        if not full and depth > 0 and self.one_in(10):
            text += f" AND {self.subquery(BOOL, (*left, *right, *outer), depth)}"
        return text

    def from_item(self, around: Scope, depth: int, *, lateral: bool) -> tuple[str, Scope]:
        choice = self.random.randrange(14)
        alias = self.alias()
        if depth > 0 and choice < 4:
            is_lateral = lateral and self.one_in(2)
            inner, types = self.derived(around if is_lateral else (), depth - 1)
            columns, scope = self.columns(alias, types)
            return f"{'LATERAL ' if is_lateral else ''}({inner}) AS {alias} ({columns})", scope
        if choice == 4:
            return self.table_function(alias, around if lateral else ())
        if choice == 5:
            types = self.some_types()
            columns, scope = self.columns(alias, types)
            return f"({self.values(types)}) AS {alias} ({columns})", scope
        if choice == 6:
            return self.merging_join(alias)
        source = self.random.choice(self.sources)
        return f"{source.name} AS {alias}", tuple(Visible(f"{alias}.{name}", type_) for name, type_ in source.columns)

    def derived(self, outer: Scope, depth: int) -> tuple[str, list[Type]]:
        return self.set_operation(outer, depth - 1) if self.one_in(5) else self.select(outer, depth)

    def columns(self, alias: str, types: Sequence[Type]) -> tuple[str, Scope]:
        scope = tuple(Visible(f"{alias}.c{i}", type_) for i, type_ in enumerate(types))
        return ", ".join(f"c{i}" for i in range(len(types))), scope

    def table_function(self, alias: str, scope: Scope) -> tuple[str, Scope]:
        choices: tuple[tuple[str, tuple[Type, ...]], ...] = (
            ("generate_series(1, <i> % 4)", (INT4,)),
            ("generate_series(<i2>::bigint, <i2> + 2::bigint)", (INT8,)),
            ("generate_series(timestamp '2020-01-01', timestamp '2020-01-03', interval '1 day')", (TIMESTAMP,)),
            ("unnest(<is>)", (INT4,)),
            ("unnest(<is>, <ss>)", (INT4, TEXT)),
            ("unnest(string_to_array(<s>, 'b'))", (TEXT,)),
            ("jsonb_array_elements(CASE WHEN jsonb_typeof(<j>) = 'array' THEN <=> END)", (JSONB,)),
            ("jsonb_each(CASE WHEN jsonb_typeof(<j>) = 'object' THEN <=> END)", (TEXT, JSONB)),
            ("regexp_split_to_table(<s>, '[ab]')", (TEXT,)),
            ("ROWS FROM (generate_series(1, 3), unnest(<ss>))", (INT4, TEXT)),
        )
        template, types = self.random.choice(choices)
        text = self.filled(template, INT4, scope, 0)
        if self.one_in(3):
            text, types = f"{text} WITH ORDINALITY", (*types, INT8)
        columns, scope = self.columns(alias, types)
        return f"{text} AS {alias} ({columns})", scope

    def merging_join(self, alias: str) -> tuple[str, Scope]:
        """A join USING columns or NATURAL, whose columns get names anew in the order that they have."""
        left, right = self.random.choice(self.sources), self.random.choice(self.sources)
        theirs = dict(right.columns)
        common = [(name, type_) for name, type_ in left.columns if _merged(type_, theirs.get(name)) is not None]
        natural = self.one_in(2) and all(name in dict(common) for name in dict(left.columns) if name in theirs)
        if not natural:
            common = self.random.sample(common, k=self.random.randrange(len(common) + 1))
        names = [name for name, _ in common]
        types = [
            *(_merged(type_, theirs[name]) or type_ for name, type_ in common),
            *(type_ for name, type_ in (*left.columns, *right.columns) if name not in names),
        ]
        kind = self.random.choice(JOINS)
        one, other = f"{left.name} AS {self.alias()}", f"{right.name} AS {self.alias()}"
        if natural:
            text = f"{one} NATURAL {kind} {other}"
        elif names:
            text = f"{one} {kind} {other} USING ({', '.join(names)})"
        else:
            text = f"{one} CROSS JOIN {other}"
        columns, scope = self.columns(alias, types)
        return f"({text}) AS {alias} ({columns})", scope

    # Expressions

    def expression(self, type_: Type, scope: Scope, depth: int) -> str:
        fitting = [column.text for column in scope if column.type is type_]
        choice = self.random.randrange(10)
        if fitting and choice < 4:
            return self.random.choice(fitting)
        if choice < 5 or depth < 0:
            return self.random.choice(fitting) if fitting and not self.one_in(4) else self.literal(type_)
        if depth > 0 and choice == 5:
            return self.subquery(type_, scope, depth)
        return self.call(type_, scope, depth - 1)

    def literal(self, type_: Type) -> str:
        if self.one_in(12):
            return f"null::{type_}"
        text = self.random.choice(VALUES[type_][: self.random.choice((4, 4, 11))])
        if type_ is INT4 and self.one_in(3) and not text.startswith("-"):
            return text
        return f"'{text}'::{type_}"

    def call(self, type_: Type, scope: Scope, depth: int) -> str:
        if self.one_in(4):
            return self.filled(self.random.choice(ANY_TYPE), type_, scope, depth)
        if type_ is BOOL and self.one_in(2):
            operator = self.random.choice(COMPARISONS)
            template = self.random.choice(
                (
                    f"(<x> {operator} <x>)",
                    "(<x> IS NULL)",
                    "(<x> IS NOT NULL)",
                    "(<x> IS DISTINCT FROM <x>)",
                    "(<x> IS NOT DISTINCT FROM <x>)",
                    "(<x> BETWEEN <x> AND <x>)",
                    "(<x> NOT BETWEEN <x> AND <x>)",
                    "(<x> IN (<x>, <x>))",
                    f"(<x> {operator} ANY (ARRAY[<x>, <x>]))",
                    f"((<x>, <i>) {operator} (<x>, <i>))",
                )
            )
            compared = self.random.choice(TYPES)
            # An array of arrays has the elements of all of them.
            fits = compared not in (INTS, TEXTS) or "ARRAY" not in template
            return self.filled(template, compared if fits else DATE, scope, depth)
        return self.filled(self.random.choice(CALLS[type_]), type_, scope, depth)

    def filled(self, template: str, type_: Type, scope: Scope, depth: int) -> str:
        """The text with an expression in each hole."""
        before = ""

        def fill(hole: re.Match[str]) -> str:
            nonlocal before
            if hole[1] != "=":
                before = self.expression(type_ if hole[1] == "x" else HOLES[hole[1]], scope, depth)
            return before

        return re.sub(r"<(=|x|b|is?|i2|i8|n|r|f|s|d|t|ts|tz|iv|u|y|j|ss|ir)>", fill, template)

    def subquery(self, type_: Type, scope: Scope, depth: int) -> str:
        return self.condition(scope, depth) if type_ is BOOL else self.value_of_query(type_, scope, depth)

    def value_of_query(self, type_: Type, scope: Scope, depth: int) -> str:
        choice = self.random.randrange(10)
        if choice < 5:
            text, inner = self.from_clause(scope, depth - 1)
            where = f" WHERE {self.expression(BOOL, (*inner, *scope), depth - 1)}"
            return f"(SELECT {self.aggregate(type_, inner, scope)} FROM {text}{where})"
        if choice == 5 and type_ in (INTS, TEXTS):
            element = INT4 if type_ is INTS else TEXT
            return self.array_of_query(element, scope, depth)
        inner_query = self.select(scope, depth - 1, [type_])[0]
        if choice < 8:
            name = self.alias()
            order = f"ORDER BY 1{self.random.choice(DIRECTIONS)}"
            return f"(SELECT {name}.z FROM ({inner_query}) AS {name} (z) {order} LIMIT 1)"
        if choice == 8 or type_ in (INTS, TEXTS):
            return f"({inner_query})"
        name = self.alias()
        return f"(SELECT (array_agg({name}.z ORDER BY {name}.z))[1] FROM ({inner_query}) AS {name} (z))"

    def array_of_query(self, element: Type, scope: Scope, depth: int) -> str:
        name = self.alias()
        return f"ARRAY(SELECT {name}.z FROM ({self.select(scope, depth - 1, [element])[0]}) AS {name} (z) ORDER BY 1)"

    def condition(self, scope: Scope, depth: int) -> str:
        kind = self.random.randrange(6)
        if kind == 0:
            return f"({self.random.choice(('', 'NOT '))}EXISTS ({self.derived(scope, depth - 1)[0]}))"
        other = self.random.choice(TYPES)
        left = self.expression(other, scope, 0)
        if kind == 1:
            second = self.random.choice(TYPES)
            query = self.select(scope, depth - 1, [other, second])[0]
            pair = f"({left}, {self.expression(second, scope, 0)})"
            operator = self.random.choice(("IN", "NOT IN", "= ANY", "<> ALL", "= ALL", "< ANY"))
            return f"({pair} {operator} ({query}))"
        query = self.select(scope, depth - 1, [other])[0]
        if kind < 4:
            return f"({left} {self.random.choice(('', 'NOT '))}IN ({query}))"
        return f"({left} {self.random.choice(COMPARISONS)} {self.random.choice(('ANY', 'ALL'))} ({query}))"


def _merged(left: Type, right: Type | None) -> Type | None:
    """The type of the column that a join makes of two; None if it cannot."""
    if left is right:
        return left
    return INT8 if left in (INT4, INT8) and right in (INT4, INT8) else None
