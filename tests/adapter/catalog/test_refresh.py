from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapter.catalog.objects import Refresh
from holdfast.adapter.catalog.refresh import last_refresh, next_refresh

times = st.integers(-30, 30)
strategies = st.lists(
    st.one_of(
        st.just(Refresh("at-creation")),
        st.builds(Refresh, st.just("at"), times),
        st.builds(Refresh, st.just("every"), times, st.integers(1, 9)),
    ),
    max_size=3,
)


def refreshes(given: list[Refresh]) -> set[int]:
    """Those around the times that are asked for, by their definition."""
    found: set[int] = set()
    for each in given:
        if each.kind == "at" and each.at is not None:
            found.add(each.at)
        elif each.at is not None and each.interval is not None:
            found |= {each.at + number * each.interval for number in range(-100, 101)}
    return found


@given(strategies, times)
def test_the_next_refresh_is_the_first_from_then_on(given: list[Refresh], time: int) -> None:
    assert next_refresh(given, time) == min((each for each in refreshes(given) if each >= time), default=None)


@given(strategies, times)
def test_the_last_refresh_is_before(given: list[Refresh], time: int) -> None:
    assert last_refresh(given, time) == max((each for each in refreshes(given) if each < time), default=None)


def test_a_view_that_is_only_made_is_never_refreshed() -> None:
    assert next_refresh([Refresh("at-creation")], 0) is None
    assert last_refresh([Refresh("at-creation")], 0) is None
