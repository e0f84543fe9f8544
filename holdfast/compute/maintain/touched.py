"""Collections of many rows that Spark brings up to date, of which only what a change touches is computed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql.functions import broadcast, expr

from holdfast.persist.spark.difference import Difference, repeated
from holdfast.persist.spark.schema import quoted, spark_type
from holdfast.persist.spark.stage import unused_name
from holdfast.repr.hash import spark_hash
from holdfast.repr.row import DIFF, RowType


def updates_of_rows(change: Difference, row_type: RowType) -> DataFrame:
    """What came and what went, as updates that do not cancel."""
    columns = [quoted(name) for name in row_type.names]
    both = _united([(change.came, f"1L AS {DIFF}"), (change.gone, f"-1L AS {DIFF}")], columns)
    return both.groupBy(*columns).agg(expr(f"sum({DIFF}) AS {DIFF}")).where(f"{DIFF} <> 0")


def added_totals(change: Difference, row_type: RowType, keys: int) -> DataFrame:
    """What is added to the totals of some groups, given totals of rows that came and of rows that went."""
    key, totals = _columns(row_type, keys)
    added = [f"{name} AS t{place}" for place, (name, _) in enumerate(totals)]
    taken = [f"CAST(-{name} AS {kind}) AS t{place}" for place, (name, kind) in enumerate(totals)]
    none = [f"CAST(0 AS {kind}) AS o{place}" for place, (_, kind) in enumerate(totals)]
    sides = [(change.came, added), (change.gone, taken)]
    found = [side.selectExpr(*key, f"0L AS {DIFF}", *none, *texts) for side, texts in sides if side is not None]
    return reduce(DataFrame.unionAll, found)


def updates_of_totals(added: DataFrame, old: DataFrame, row_type: RowType, keys: int, *, few: bool) -> DataFrame:
    """The updates of rows of totals to which something was added, in perhaps `few` groups.

    `old` are updates of the totals, of which there is one row for a group: weighted by their diffs they add up to it.
    """
    key, totals = _columns(row_type, keys)
    # By hashes, which Spark compares faster than keys that may be null. Groups too many add nothing to theirs.
    group = unused_name("_group", row_type)
    hashed = f"{spark_hash(row_type.names[:keys], row_type.schema)} AS {quoted(group)}"
    groups = added.selectExpr(hashed)
    if few:
        groups = broadcast(groups)
    weighted = [
        f"CAST({name} * {DIFF} AS {kind}) AS {side}{place}"
        for side in ("o", "t")
        for place, (name, kind) in enumerate(totals)
    ]
    touched = old.selectExpr("*", hashed).join(groups, group, "left_semi").selectExpr(*key, DIFF, *weighted)
    sums = [f"sum({DIFF}) AS {DIFF}"]
    sums += [
        f"CAST(sum({side}{place}) AS {kind}) AS {side}{place}"
        for side in ("o", "t")
        for place, (_, kind) in enumerate(totals)
    ]
    summed = touched.unionAll(added).groupBy(*key).agg(*map(expr, sums))

    def row(side: str, diff: int) -> str:
        fields = [f"{side}{place} AS {name}" for place, (name, _) in enumerate(totals)]
        return f"struct({', '.join([*fields, f'{diff}L AS {DIFF}'])})"

    differs = " OR ".join(f"o{place} <> t{place}" for place in range(len(totals)))
    before, after = f"{DIFF} > 0", "t0 > 0"
    rows = f"array_compact(array(IF({before}, {row('o', -1)}, NULL), IF({after}, {row('t', 1)}, NULL)))"
    return summed.where(f"({before}) <> ({after}) OR {differs}").selectExpr(*key, f"inline({rows})")


def _columns(row_type: RowType, keys: int) -> tuple[list[str], list[tuple[str, str]]]:
    """The keys, and the totals with their types."""
    fields = [(quoted(field.name), spark_type(field.type)) for field in row_type.schema]
    return [name for name, _ in fields[:keys]], fields[keys:]


def sides_of(updates: DataFrame, row_type: RowType) -> Difference:
    """What came and what went, of updates that do not cancel."""
    columns, negated = row_type.names, [*map(quoted, row_type.names), f"-{DIFF} AS {DIFF}"]
    gone = updates.where(f"{DIFF} < 0").selectExpr(*negated)
    return Difference(repeated(updates.where(f"{DIFF} > 0"), columns), repeated(gone, columns))


def rows_of(old: DataFrame, updates: DataFrame | None, row_type: RowType) -> DataFrame:
    """The rows that there are after all updates."""
    columns = [quoted(name) for name in row_type.names]
    both = [frame.select(*columns, DIFF) for frame in (old, updates) if frame is not None]
    summed = reduce(DataFrame.unionAll, both).groupBy(*columns).agg(expr(f"sum({DIFF}) AS {DIFF}"))
    return repeated(summed.where(f"{DIFF} > 0"), row_type.names)


def _united(sides: Sequence[tuple[DataFrame | None, str]], columns: Sequence[str]) -> DataFrame:
    found = [side.selectExpr(*columns, diff) for side, diff in sides if side is not None]
    return reduce(DataFrame.unionAll, found)
