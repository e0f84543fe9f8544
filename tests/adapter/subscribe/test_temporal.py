"""Which uses of mz_now() can be followed, and when their queries turn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapter.session.session import Session
from holdfast.adapter.subscribe.temporal import next_turn
from holdfast.repr.frontier import Timestamp
from tests.adapter.asking import ask, refusal


@given(points=st.lists(st.tuples(st.none() | st.integers(0, 9), st.none() | st.integers(0, 9))), now=st.integers(0, 9))
def test_the_next_turn_is_the_first_point_or_what_follows_one(points: list[tuple[object, ...]], now: int) -> None:
    found = next_turn(points, Timestamp(now))
    named = {point for row in points for point in row if isinstance(point, int)}
    assert found == next((time for time in range(now + 1, 12) if {time, time - 1} & named), None)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT mz_now(), a FROM s",
        "SELECT a FROM s ORDER BY mz_now() LIMIT 1",
        "SELECT a FROM s WHERE mz_now()::text = 'x'",
        "SELECT a FROM s WHERE mz_now() = mz_now()",
        "SELECT count(*) FILTER (WHERE mz_now() < e) FROM s",
        "SELECT x.a FROM s x LEFT JOIN s y ON mz_now() < y.e",
        "WITH MUTUALLY RECURSIVE c (a int) AS (SELECT a FROM s WHERE mz_now() < e UNION SELECT a FROM c) TABLE c",
        "SELECT 1 WHERE mz_now() > 5",
    ],
)
async def test_other_uses_are_refused(session: Session, query: str) -> None:
    await ask(session, "CREATE TABLE s (a int, e bigint)")
    code, message = await refusal(session, f"SUBSCRIBE ({query})")
    assert code == "0A000"
    assert "mz_now()" in message
