from __future__ import annotations

from holdfast.sql.syntax.expression import IntegerLiteral
from holdfast.sql.syntax.query import AsOf
from holdfast.sql.syntax.statement.inspect import Comment, Inspect, UnitTest, Verify
from holdfast.sql.syntax.statement.kind import Kind
from tests.sql.parser.statements.build import name, parsed


def test_objects_can_be_verified_and_commented_on() -> None:
    assert parsed("verify index i as of 3") == Verify(Kind.INDEX, name("i"), AsOf(IntegerLiteral(3)))
    assert parsed("inspect shard 's1'") == Inspect("s1")
    assert parsed("comment on column t.c is null") == Comment(None, name("t", "c"), None)
    test = parsed("execute unit test n for v mock t (a) as (select 1), u as (table x) expected as (select 2)")
    assert isinstance(test, UnitTest)
    assert [mock.name for mock in test.mocks] == [name("t"), name("u")]
