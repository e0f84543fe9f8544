"""Every recorded expression, evaluated by us, has PostgreSQL's type and text, or fails with its SQLSTATE."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from holdfast.adapter.sqlstate import sqlstate
from holdfast.compute.evaluate import evaluate
from holdfast.errors import HoldfastError
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.text.json import canonical
from holdfast.sql import plan_query
from holdfast.sql.catalog import EmptyCatalog
from tests.differential.answer import Answer
from tests.differential.ask import answer_of
from tests.recorded.differences import KNOWN, Difference
from tests.recorded.record import ANSWERS

FILES = sorted(ANSWERS.glob("*.jsonl"))
_PAGE = Path(__file__).parent.parent.parent / "docs" / "reference" / "differences.md"


@cache
def cases(path: Path) -> tuple[tuple[str, Answer], ...]:
    return tuple(_cases(path))


def _cases(path: Path) -> Iterator[tuple[str, Answer]]:
    for line in path.read_text().splitlines():
        case = json.loads(line)
        if "error" in case:
            yield case["sql"], Answer(error=case["error"])
        else:
            yield case["sql"], Answer(("x",), (case["type"],), ((case["text"],),))


@cache
def asked(expression: str) -> Answer:
    try:
        plan = decorrelate(plan_query(f"SELECT {expression} AS x", EmptyCatalog()).plan)
        return answer_of(evaluate(plan, {}), [plan.relation.columns[0].type])
    except HoldfastError as error:
        return Answer(error=sqlstate(error))


@cache
def differences(path: Path) -> dict[str, str]:
    """By expression, what is different."""
    found = {sql: asked(sql).differs(expected, ordered=True) for sql, expected in cases(path)}
    return {sql: difference for sql, difference in found.items() if difference}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_expressions_have_the_answers_of_postgresql(path: Path) -> None:
    found = {sql: what for sql, what in differences(path).items() if not any(known.covers(sql) for known in KNOWN)}
    assert not found, "\n".join(f"{sql}: {what}" for sql, what in list(found.items())[:40])


def test_jsonb_that_is_equal_has_one_text() -> None:
    """Groups, joins and views go by the text."""
    found = [asked(sql).rows[0][0] for path in FILES for sql, expected in cases(path) if "jsonb" in expected.types]
    texts = [text for text in found if text is not None]
    assert len(texts) > 100
    assert [text for text in texts if canonical(text) != text] == []


def test_there_are_answers() -> None:
    assert FILES
    assert sum(len(cases(path)) for path in FILES) > 1000


@pytest.fixture(scope="module")
def differing() -> frozenset[str]:
    """All expressions with another answer, known or not."""
    return frozenset(sql for path in FILES for sql in differences(path))


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.pattern)
def test_a_known_difference_is_one(known: Difference, differing: frozenset[str]) -> None:
    assert any(known.covers(sql) for sql in differing)


@pytest.mark.parametrize("why", dict.fromkeys(known.why for known in KNOWN))
def test_users_are_told_of_a_difference(why: str) -> None:
    assert why in " ".join(_PAGE.read_text().split())
