"""EXPLAIN."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from holdfast.sql.render.create import with_options
from holdfast.sql.render.quote import dotted
from holdfast.sql.syntax.statement import Statement
from holdfast.sql.syntax.statement.explain import (
    Explain,
    ExplainAnalyze,
    ExplainFilterPushdown,
    ExplainPlan,
    ExplainSchema,
    ExplainTimestamp,
    Named,
    Output,
)


def explain(explained: Explain, render: Callable[[Statement], str]) -> str:
    """`render` writes the statement that is explained."""
    match explained:
        case ExplainPlan(subject=subject, stage=stage, options=given, output=output):
            parts = ["EXPLAIN", *([stage] if stage is not None else []), *with_options(given), *_output(output)]
            return " ".join([*parts, "FOR", _subject(subject, render)])
        case ExplainTimestamp(subject=statement, output=output):
            return " ".join(["EXPLAIN TIMESTAMP", *_output(output), "FOR", render(statement)])
        case ExplainFilterPushdown(subject=subject):
            return f"EXPLAIN FILTER PUSHDOWN FOR {_subject(subject, render)}"
        case ExplainSchema(part=part, subject=statement, output=output):
            return " ".join([f"EXPLAIN {part} SCHEMA", *_output(output), "FOR", render(statement)])
        case ExplainAnalyze():
            return _analyze(explained)
        case _:
            assert_never(explained)


def _output(output: Output | None) -> list[str]:
    return [f"AS {output}"] if output is not None else []


def _subject(subject: Statement | Named, render: Callable[[Statement], str]) -> str:
    return _named(subject) if isinstance(subject, Named) else render(subject)


def _named(named: Named) -> str:
    return f"{'REPLAN ' if named.replan else ''}{named.kind.value} {dotted(named.name.parts)}"


def _analyze(explained: ExplainAnalyze) -> str:
    parts = ["EXPLAIN ANALYZE", *(["CLUSTER"] if explained.subject is None else [])]
    if explained.properties:
        parts.append(", ".join(explained.properties))
    if explained.skew:
        parts.append("WITH SKEW")
    if explained.subject is not None:
        parts.append(f"FOR {_named(explained.subject)}")
    return " ".join([*parts, "AS SQL"] if explained.as_sql else parts)
