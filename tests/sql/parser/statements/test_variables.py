from __future__ import annotations

from holdfast.sql.syntax.expression import IntegerLiteral, StringLiteral
from holdfast.sql.syntax.statement.session import ResetVariable, SetTransaction, SetVariable
from holdfast.sql.syntax.statement.transaction import Begin, Commit, Rollback, Savepoint
from tests.sql.parser.statements.build import parsed


def test_words_are_values_and_synonyms_are_one_statement() -> None:
    assert parsed("set search_path = a, 'B'") == SetVariable("search_path", (StringLiteral("a"), StringLiteral("B")))
    assert parsed("set x to default") == SetVariable("x", ())
    assert parsed("set local x to 1") == SetVariable("x", (IntegerLiteral(1),), True)
    assert parsed("set names utf8") == SetVariable("client_encoding", (StringLiteral("utf8"),))
    assert parsed("reset all") == ResetVariable(None)
    assert parsed("set transaction read only") == SetTransaction(("READ ONLY",))
    assert parsed("start transaction isolation level strict serializable, read only") == Begin(
        ("ISOLATION LEVEL STRICT SERIALIZABLE", "READ ONLY")
    )
    assert parsed("commit and chain") == Commit(True)
    assert parsed("abort work") == Rollback()
    assert parsed("rollback to savepoint a") == Savepoint("ROLLBACK TO", "a")
