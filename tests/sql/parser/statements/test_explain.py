from __future__ import annotations

import pytest

from holdfast.sql.errors import NotSupported, SyntaxFailure
from holdfast.sql.syntax.expression import BooleanLiteral
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.statement.explain import ExplainAnalyze, ExplainPlan, ExplainTimestamp, Named
from holdfast.sql.syntax.statement.kind import Kind
from tests.sql.parser.statements.build import name, parsed


def test_explain_takes_a_stage_options_and_an_object() -> None:
    plan = parsed("explain optimized plan with (arity, types = false) as json for view v")
    assert plan == ExplainPlan(
        Named(Kind.VIEW, name("v")), "OPTIMIZED PLAN", (Option("ARITY"), Option("TYPES", BooleanLiteral(False))), "JSON"
    )
    assert isinstance(parsed("explain timestamp for select 1"), ExplainTimestamp)
    assert parsed("explain analyze cluster cpu with skew") == ExplainAnalyze(("CPU",), None, True)


def test_explain_analyze_needs_no_properties() -> None:
    view, index = Named(Kind.MATERIALIZED_VIEW, name("m")), Named(Kind.INDEX, name("i"))
    assert parsed("explain analyze materialized view m") == ExplainAnalyze((), view)
    assert parsed("explain analyze for index i") == ExplainAnalyze((), index)
    assert parsed("explain analyze memory for index i") == ExplainAnalyze(("MEMORY",), index)
    for wrong in ("explain analyze view v", "explain analyze", "explain analyze for"):
        with pytest.raises(SyntaxFailure):
            parsed(wrong)


@pytest.mark.parametrize("statement", ["select 1", "insert into t values (1)", "with x as (select 1) table x"])
def test_analyzing_a_query_is_refused_by_name(statement: str) -> None:
    with pytest.raises(NotSupported, match="EXPLAIN ANALYZE is supported for materialized views and indexes only"):
        parsed(f"explain analyze {statement}")
