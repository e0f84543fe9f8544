from __future__ import annotations

from holdfast.sql.syntax.expression import BooleanLiteral, Column, IntegerLiteral, Order
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.query import AsOf
from holdfast.sql.syntax.statement.subscribe import OrderedOutput, Subscribe, UpsertOutput
from tests.sql.parser.statements.build import name, parsed


def test_subscribe_takes_its_clauses_in_any_order() -> None:
    options = (Option("SNAPSHOT", BooleanLiteral(False)), Option("PROGRESS"))
    meant = Subscribe(
        name("t"), UpsertOutput(("k",)), options, AsOf(IntegerLiteral(1), at_least=True), IntegerLiteral(2)
    )
    assert (
        parsed("subscribe t envelope upsert (key (k)) with (snapshot = false, progress) as of at least 1 up to 2")
        == meant
    )
    assert (
        parsed("subscribe to t as of at least 1 up to 2 with (snapshot false, progress) envelope upsert (key (k))")
        == meant
    )
    ordered = parsed("subscribe t within timestamp order by a, b desc up to 3")
    keys = (Order(Column(("a",))), Order(Column(("b",)), "DESC"))
    assert ordered == Subscribe(name("t"), OrderedOutput(keys), up_to=IntegerLiteral(3))
