from __future__ import annotations

import pytest

from holdfast.errors import UsageError
from holdfast.plan.check import check
from holdfast.plan.relation import (
    Apply,
    Filter,
    Join,
    Let,
    Local,
    Map,
    Plan,
    Project,
    Relation,
    TopK,
    Union,
    Values,
)
from holdfast.plan.scalar import And, Call, Case, Coalesce, Column, Subquery
from holdfast.plan.types import BOOL, INT4, INT8, TEXT
from tests.plan.build import T, U, V, col, eq, lit, lt, outer

PREDICATE = lt(col(0), lit(1))


def test_a_plan_that_makes_sense_passes() -> None:
    check(Plan(Project(Filter(Join((T, U), (eq(col(0), col(2)),)), (PREDICATE,)), (0, 3)), ("a", "b")))


@pytest.mark.parametrize(
    ("relation", "complaint"),
    [
        (Filter(T, (lt(col(2), lit(1)),)), "column #2 of 2"),
        (Map(V, (col(1),)), "column #1 is text, not integer"),
        (Filter(T, (eq(col(0, nullable=False), lit(1)),)), "column #0 may be null"),
        (Filter(T, (col(0),)), "a predicate of type integer"),
        (Project(T, (2,)), "a projection of no column"),
        (TopK(T, (5,), (), None), "a group by no column"),
        (Union((T, V)), "union is integer, not text"),
        (Union((T, Project(T, (0,)))), "union: 2 columns, not 1"),
        (Join((T,)), "a join of fewer than two inputs"),
        (Local("x", T.columns), "nothing is called x"),
        (Let("x", T, Local("x", V.columns)), "Local x is integer, not text"),
        (Values(((1, 2),), T.columns[:1]), "a row of another length"),
        (Map(T, (Call(PREDICATE.function, (col(0),), BOOL, True),)), "of 1 arguments"),
        (Map(T, (And((PREDICATE,)),)), "fewer than two terms"),
        (Map(T, (Coalesce((col(0), lit("a", TEXT))),)), "coalesce of several types"),
        (Map(T, (Case(((col(0), col(1)),), col(1)),)), "a condition that is not boolean"),
        (Map(T, (outer(0),)), "no outer query of level 1"),
        (Apply(T, Map(U, (outer(7),))), "outer column #7 of 2"),
        (Map(T, (Column(0, INT8, True),)), "column #0 is integer, not bigint"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(relation: Relation, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        check(relation)


@pytest.mark.parametrize(
    ("relation", "complaint"),
    [
        (Apply(T, U), "an Apply is left"),
        (Filter(T, (Subquery("exists", U, None, BOOL, False),)), "a subquery is left"),
        (Map(T, (outer(0),)), "a column of an outer query is left"),
    ],
)
def test_once_decorrelated_no_query_refers_to_another(relation: Relation, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        check(relation, decorrelated=True)


def test_names_are_no_more_than_columns() -> None:
    with pytest.raises(UsageError, match="3 names for 2 columns"):
        check(Plan(T, ("a", "b", "c")))
    assert INT4 is T.columns[0].type
