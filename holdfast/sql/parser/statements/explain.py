"""EXPLAIN, in all its forms."""

from __future__ import annotations

from typing import Literal, get_args

from holdfast.sql.errors import NotSupported
from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.options import with_options
from holdfast.sql.syntax.statement import Statement
from holdfast.sql.syntax.statement.create import CreateSink
from holdfast.sql.syntax.statement.explain import (
    Explain,
    ExplainAnalyze,
    ExplainFilterPushdown,
    ExplainPlan,
    ExplainSchema,
    ExplainTimestamp,
    Named,
    Output,
    Stage,
)
from holdfast.sql.syntax.statement.kind import Kind

_STAGES: tuple[Stage, ...] = get_args(Stage)
_NAMED = (Kind.MATERIALIZED_VIEW, Kind.VIEW, Kind.INDEX)
_STATEMENTS = ("SELECT", "WITH", "VALUES", "TABLE", "INSERT", "UPDATE", "DELETE")
"""What PostgreSQL analyzes."""


def explain(cursor: Cursor) -> Explain:
    """After EXPLAIN."""
    location = cursor.location
    if cursor.accept("ANALYZE"):
        return _analyze(cursor, location)
    if cursor.accept("TIMESTAMP"):
        output = _output(cursor)
        cursor.expect("FOR")
        return ExplainTimestamp(cursor.statement(), output, location=location)
    if cursor.accept("FILTER", "PUSHDOWN"):
        cursor.expect("FOR")
        return ExplainFilterPushdown(_subject(cursor), location=location)
    if cursor.at_words("KEY", "SCHEMA") or cursor.at_words("VALUE", "SCHEMA"):
        return _schema(cursor, location)
    stage = next((stage for stage in _STAGES if cursor.accept_phrase(stage)), None)
    if stage is None and cursor.accept("PLAN"):
        stage = "PHYSICAL PLAN"
    options = with_options(cursor) if cursor.at_words("WITH", "(") else ()
    output = _output(cursor)
    if stage is not None or options or output is not None:
        cursor.expect("FOR")
    else:
        cursor.accept("FOR")
    return ExplainPlan(_subject(cursor), stage, options, output, location=location)


def _output(cursor: Cursor) -> Output | None:
    if not cursor.accept("AS"):
        return None
    match cursor.expect_any("VERBOSE TEXT", "TEXT", "JSON"):
        case "VERBOSE TEXT":
            return "VERBOSE TEXT"
        case "TEXT":
            return "TEXT"
        case _:
            return "JSON"


def _subject(cursor: Cursor) -> Statement | Named:
    return _named(cursor) or cursor.statement()


def _named(cursor: Cursor) -> Named | None:
    location = cursor.location
    replan = cursor.accept("REPLAN")
    for kind in _NAMED:
        if cursor.accept_phrase(kind.value):
            return Named(kind, cursor.name(), replan, location=location)
    if replan:
        raise cursor.failure()
    return None


def _schema(cursor: Cursor, location: int) -> ExplainSchema:
    part: Literal["KEY", "VALUE"] = "KEY" if cursor.expect_any("KEY", "VALUE") == "KEY" else "VALUE"
    cursor.expect("SCHEMA")
    output = _output(cursor)
    cursor.expect("FOR")
    at = cursor.index
    statement = cursor.statement()
    if not isinstance(statement, CreateSink):
        raise cursor.source.syntax_error(at)
    return ExplainSchema(part, statement, output, location=location)


def _analyze(cursor: Cursor, location: int) -> ExplainAnalyze:
    whole = cursor.accept("CLUSTER")
    if not whole and cursor.accept("HINTS"):
        hinted = _analyzed(cursor)
        return ExplainAnalyze(("HINTS",), hinted, as_sql=cursor.accept("AS", "SQL"), location=location)
    if not whole and (cursor.accept("FOR") or not (cursor.at_words("CPU") or cursor.at_words("MEMORY"))):
        if any(map(cursor.at_words, _STATEMENTS)):
            raise NotSupported("EXPLAIN ANALYZE is supported for materialized views and indexes only", cursor.location)
        return ExplainAnalyze((), _maintained(cursor), location=location)
    properties = cursor.separated(lambda: _property(cursor))
    skew = cursor.accept("WITH", "SKEW")
    subject = None if whole else _analyzed(cursor)
    return ExplainAnalyze(properties, subject, skew, cursor.accept("AS", "SQL"), location=location)


def _analyzed(cursor: Cursor) -> Named:
    cursor.expect("FOR")
    return _maintained(cursor)


def _maintained(cursor: Cursor) -> Named:
    if (found := _named(cursor)) is None or found.replan or found.kind is Kind.VIEW:
        raise cursor.failure()
    return found


def _property(cursor: Cursor) -> Literal["CPU", "MEMORY"]:
    return "CPU" if cursor.expect_any("CPU", "MEMORY") == "CPU" else "MEMORY"
