from __future__ import annotations

import pytest

from holdfast.sql.errors import NotSupported
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("declare c scroll cursor for select 1", "SCROLL cursors are not supported"),
        ("fetch backward 1 c", "FETCH BACKWARD is not supported"),
        ("fetch prior from c", "FETCH PRIOR is not supported"),
        ("fetch absolute 3 c", "FETCH ABSOLUTE is not supported"),
        ("move forward 3 in c", "MOVE is not supported"),
    ],
)
def test_a_cursor_goes_forward_only(text: str, message: str) -> None:
    with pytest.raises(NotSupported, match=message):
        parsed(text)


def test_a_cursor_may_be_named_as_a_direction_is() -> None:
    assert parsed("fetch backward") == Fetch("backward")
