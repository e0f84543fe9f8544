import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import UsageError
from holdfast.repr.frontier import EMPTY, MAX_TIME, MINIMUM, Frontier, Timestamp, after, timestamp
from tests.build import at, frontiers

times = st.integers(0, 6).map(Timestamp)


@pytest.mark.parametrize("value", [-1, 2**63])
def test_a_time_outside_the_timeline_is_refused(value: int) -> None:
    with pytest.raises(UsageError, match="outside the timeline"):
        timestamp(value)


def test_nothing_is_after_the_last_time() -> None:
    assert after(MAX_TIME) == EMPTY
    assert after(Timestamp(3)) == at(4)


def test_frontiers_print_as_sets() -> None:
    assert (str(at(3)), str(EMPTY)) == ("{3}", "{}")


@given(a=frontiers(), b=frontiers())
def test_frontiers_are_totally_ordered(a: Frontier, b: Frontier) -> None:
    assert a <= b or b <= a
    assert (a <= b and b <= a) == (a == b)
    assert (a < b) == (a <= b and a != b)
    assert MINIMUM <= a <= EMPTY


@given(a=frontiers(), b=frontiers(), time=times)
def test_join_is_both_and_meet_is_either(a: Frontier, b: Frontier, time: Timestamp) -> None:
    assert a.join(b).less_equal(time) == (a.less_equal(time) and b.less_equal(time))
    assert a.meet(b).less_equal(time) == (a.less_equal(time) or b.less_equal(time))


@given(since=frontiers(), time=times, later=times)
def test_advance_keeps_the_order_with_times_in_advance(since: Frontier, time: Timestamp, later: Timestamp) -> None:
    if since.less_equal(later):
        assert (since.advance(time) <= later) == (time <= later)


@given(time=times)
def test_the_empty_frontier_advances_nothing(time: Timestamp) -> None:
    assert EMPTY.advance(time) == time
