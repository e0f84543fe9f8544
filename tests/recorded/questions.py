"""What Spark is asked: each signature once, over a column of rows, instead of each recorded expression by itself.

A question is an expression over columns, one for each argument. Many questions are one query: their columns are side by
side in one table. Texts that functions have for constants alone (patterns, units) are asked with these as constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby

import pyarrow as pa
from pyspark.sql import SparkSession

from holdfast.compute.evaluate.values import to_arrow
from holdfast.compute.render import SparkQuery, render
from holdfast.compute.run import run
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.rewrite import optimize
from holdfast.plan.text import read_of
from holdfast.plan.types import INT4, Type, numeric, spark_type
from holdfast.sql import plan_query
from holdfast.sql.catalog import CatalogColumn, CatalogRelation, EmptyCatalog, WithoutFunctions
from tests.differential.answer import Answer
from tests.differential.ask import answer_of
from tests.recorded.cases import Signature, written

_NUMERIC = numeric(22, 6, declared=True)
"""Every edge is one."""

Row = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """`expression` has `{0}`, `{1}`... for the columns, whose rows are in `rows`, with their answers."""

    expression: str
    bases: tuple[str, ...]
    rows: tuple[Row, ...]
    answers: tuple[Answer, ...]

    def first(self) -> Question:
        """About the first row alone."""
        return replace(self, rows=self.rows[:1], answers=self.answers[:1])


def questions(signature: Signature, answers: Mapping[str, Answer]) -> Iterator[Question]:
    """Over columns; and with all arguments but the first as constants, where the others have texts among them.

    `answers` has the expressions that can be asked.
    """
    known = [row for row in signature.rows() if signature.call(signature.literals(row)) in answers]
    if not known:
        return
    yield _question(signature, known, range(len(signature.bases)), answers)
    if "text" in signature.bases[1:]:
        rest = lambda row: tuple((text is None, text or "") for text in row[1:])  # noqa: E731 - it sorts and groups
        for _, rows in groupby(sorted(known, key=rest), rest):
            yield _question(signature, list(rows), [0], answers)


def _question(
    signature: Signature, rows: Sequence[Row], columns: Sequence[int], answers: Mapping[str, Answer]
) -> Question:
    arguments = [literal.replace("{", "{{").replace("}", "}}") for literal in signature.literals(rows[0])]
    for place, column in enumerate(columns):
        arguments[column] = f"{{{place}}}"
    return Question(
        signature.call(arguments),
        tuple(signature.bases[column] for column in columns),
        tuple(tuple(row[column] for column in columns) for row in rows),
        tuple(answers[signature.call(signature.literals(row))] for row in rows),
    )


@cache
def column_type(base: str) -> Type:
    if base == "numeric":
        return _NUMERIC
    return plan_query(f"SELECT null::{written(base)} AS x", EmptyCatalog()).plan.relation.columns[0].type


class Batch(WithoutFunctions):
    """Questions that are asked together. Those with fewer rows than others repeat their last."""

    def __init__(self, asked: Sequence[Question]) -> None:
        self._asked = asked
        self._count = max(len(question.rows) for question in asked)
        self._types: list[Type] = [INT4]
        self._columns = [pa.array(range(self._count), pa.int32())]
        shown = ["c0"]
        for question in asked:
            first = len(self._types)
            for place, base in enumerate(question.bases):
                self._types.append(type_ := column_type(base))
                self._columns.append(self._column(question, place, type_))
            shown.append(question.expression.format(*(f"c{first + place}" for place in range(len(question.bases)))))
        names = ", ".join(f"{expression} AS a{number}" for number, expression in enumerate(shown))
        plan = optimize(decorrelate(plan_query(f"SELECT {names} FROM arguments", self).plan))
        self.query: SparkQuery = render(plan)

    def _column(self, question: Question, place: int, type_: Type) -> pa.Array:
        texts = [row[place] for row in question.rows]
        texts += [texts[-1]] * (self._count - len(texts))
        read = read_of(type_)
        return to_arrow([None if text is None else read(text) for text in texts], type_)

    def relation(self, parts: tuple[str, ...]) -> CatalogRelation | None:
        columns = tuple(CatalogColumn(f"c{number}", type_) for number, type_ in enumerate(self._types))
        return CatalogRelation("arguments", "arguments", columns) if parts[-1] == "arguments" else None

    def type(self, parts: tuple[str, ...]) -> Type | None:  # noqa: ARG002 - there are none
        return None

    def differences(self, spark: SparkSession) -> list[str]:
        """What Spark's answers have differently."""
        names = [f"c{number}" for number in range(len(self._types))]
        schema = ", ".join(f"{name} {spark_type(type_)}" for name, type_ in zip(names, self._types, strict=True))
        frame = spark.createDataFrame(pa.Table.from_arrays(self._columns, names=names), schema)
        shown = [f"a{number}" for number in range(len(self._asked) + 1)]
        result = run(spark, self.query, {"arguments": frame}, (), shown).sort_by("a0")
        found = answer_of(result, [column.type for column in self.query.columns])
        return [
            f"{question.expression} {row}: {difference}"
            for number, question in enumerate(self._asked, start=1)
            for row, expected, answered in zip(question.rows, question.answers, found.rows, strict=False)
            if (
                difference := Answer(
                    ("x",), found.types[number : number + 1], (answered[number : number + 1],)
                ).differs(expected, ordered=True)
            )
        ]


def has_text(question: Question) -> bool:
    """Whether Spark computes it without Python."""
    return not Batch([question]).query.functions
