from __future__ import annotations

from holdfast.sql.syntax.expression import StringLiteral
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.statement.cursor import Close, Declare, Fetch
from holdfast.sql.syntax.statement.subscribe import Subscribe
from tests.sql.parser.statements.build import name, parsed


def test_a_cursor_is_of_a_query_or_a_subscription() -> None:
    declared = parsed("declare c cursor for subscribe t")
    assert declared == Declare("c", Subscribe(name("t")))
    assert parsed("fetch c") == Fetch("c", 1)
    assert parsed("fetch all in c with (timeout = '1s')") == Fetch("c", None, (Option("TIMEOUT", StringLiteral("1s")),))
    assert parsed("close all") == Close(None)
