from __future__ import annotations

from holdfast.sql.render import render
from holdfast.sql.syntax.expression import IntegerLiteral
from holdfast.sql.syntax.statement.prepared import Deallocate, Execute, Prepare
from tests.sql.parser.statements.build import parsed


def test_any_statement_can_be_prepared() -> None:
    prepared = parsed("prepare p (int) as select $1 as of 5")
    assert isinstance(prepared, Prepare)
    assert render(prepared) == "PREPARE p (integer) AS SELECT $1 AS OF 5"
    assert parsed("execute p (1)") == Execute("p", (IntegerLiteral(1),))
    assert parsed("deallocate prepare all") == Deallocate(None)
