from __future__ import annotations

import pytest

from tests.sql.parser.statements.build import parsed


@pytest.mark.parametrize(
    "text",
    [
        "drop frobnicator s",
        "alter table t",
        "alter role r",
        "comment on frobnicator c is 'x'",
        "grant select on t",
        "create function f() returns int language python",
    ],
)
def test_what_none_of_them_is_is_a_syntax_error(text: str) -> None:
    with pytest.raises(Exception, match="syntax error"):
        parsed(text)
