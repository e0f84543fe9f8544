"""SUBSCRIBE, whose clauses may come in any order, each once."""

from __future__ import annotations

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.options import with_options
from holdfast.sql.syntax.expression import Expression
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.query import AsOf, Query
from holdfast.sql.syntax.statement.subscribe import DebeziumOutput, OrderedOutput, Subscribe, UpsertOutput

_CLAUSES = ("AS OF", "UP TO", "ENVELOPE", "WITHIN TIMESTAMP", "WITH (")


def subscribe(cursor: Cursor) -> Subscribe:
    """After SUBSCRIBE."""
    location = cursor.location
    cursor.accept("TO")
    relation: ObjectName | Query = cursor.bracketed_query() if cursor.at_words("(") else cursor.name()
    output: UpsertOutput | DebeziumOutput | OrderedOutput | None = None
    options: tuple[Option, ...] = ()
    as_of: AsOf | None = None
    up_to: Expression | None = None
    while not cursor.done:
        if as_of is None and cursor.at_words("AS", "OF"):
            as_of = cursor.as_of(*_CLAUSES)
        elif up_to is None and cursor.accept("UP", "TO"):
            up_to = cursor.expression(*_CLAUSES)
        elif not options and cursor.at_words("WITH", "("):
            options = with_options(cursor)
        elif output is None and cursor.peek() in ("ENVELOPE", "WITHIN"):
            output = _output(cursor)
        else:
            break
    return Subscribe(relation, output, options, as_of, up_to, location=location)


def _output(cursor: Cursor) -> UpsertOutput | DebeziumOutput | OrderedOutput:
    location = cursor.location
    if cursor.accept("WITHIN"):
        cursor.expect("TIMESTAMP", "ORDER", "BY")
        return OrderedOutput(cursor.order_by(*_CLAUSES), location=location)
    cursor.expect("ENVELOPE")
    kind = cursor.expect_any("UPSERT", "DEBEZIUM")
    cursor.expect("(", "KEY")
    key = cursor.parenthesized(cursor.identifier)
    cursor.expect(")")
    return (UpsertOutput if kind == "UPSERT" else DebeziumOutput)(key, location=location)
