"""Spark gives the recorded answers, too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import chain, compress
from operator import not_

from pyspark.sql import SparkSession

from holdfast.adapter.sqlstate import sqlstate
from holdfast.errors import HoldfastError
from tests.differential.answer import Answer
from tests.recorded.cases import signatures
from tests.recorded.differences import KNOWN
from tests.recorded.questions import Batch, Question, has_text, questions
from tests.recorded.test_recorded import FILES, cases

TOGETHER = 60
"""Questions of one query."""

PYTHON_SAMPLE = 12
"""One of so many functions that Spark has Python for is asked: what calls them is the same for all."""

ERRORS = 40
"""Failing questions that are asked. Each is a query of its own."""

_TOO_LARGE = re.compile(r"'(-99999999999999.5|1e15)'::numeric \* '(-99999999999999.5|1e15)'::numeric")
"""Constants have digits that fit them; these products have more than columns of their kinds have room for."""


@cache
def recorded() -> Mapping[str, Answer]:
    return {
        sql: answer
        for path in FILES
        for sql, answer in cases(path)
        if not any(known.covers(sql) for known in KNOWN) and not _TOO_LARGE.search(sql)
    }


def succeeding() -> list[Question]:
    answers = {sql: answer for sql, answer in recorded().items() if not answer.error}
    everything = list(chain.from_iterable(questions(signature, answers) for signature in signatures()))
    texts = [has_text(question) for question in everything]
    python = list(compress(everything, map(not_, texts)))
    return [*compress(everything, texts), *python[::PYTHON_SAMPLE]]


def failing() -> list[Question]:
    """Of each signature whose text can fail, one row that does."""
    answers = {sql: answer for sql, answer in recorded().items() if answer.error}
    found = (next(questions(signature, answers), None) for signature in signatures())
    return [question.first() for question in found if question and has_text(question)]


def test_spark_has_the_answers_of_postgresql(spark: SparkSession) -> None:
    asked, found = succeeding(), list[str]()
    for first in range(0, len(asked), TOGETHER):
        found += Batch(asked[first : first + TOGETHER]).differences(spark)
    assert not found, "\n".join(found[:60])


def test_spark_fails_as_postgresql_does(spark: SparkSession) -> None:
    asked, found = failing(), list[str]()
    for question in asked[:: max(len(asked) // ERRORS, 1)]:
        if (code := failure_of(question, spark)) != question.answers[0].error:
            found.append(f"{question.expression} {question.rows}: {code} against {question.answers[0].error}")
    assert not found, "\n".join(found)


def failure_of(question: Question, spark: SparkSession) -> str | None:
    """The code of the error, or None if there is none."""
    try:
        Batch([question]).differences(spark)
    except HoldfastError as error:
        return sqlstate(error)
    return None
