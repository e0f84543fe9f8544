from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from holdfast.repr.antichain import Antichain


@dataclass(frozen=True, slots=True)
class Pair:
    """Pairs ordered in both parts."""

    x: int
    y: int

    def less_equal(self, other: Pair) -> bool:
        return self.x <= other.x and self.y <= other.y

    def join(self, other: Pair) -> tuple[Pair, ...]:
        return (Pair(max(self.x, other.x), max(self.y, other.y)),)

    def sort_key(self) -> tuple[int, ...]:
        return (self.x, self.y)

    def __str__(self) -> str:
        return f"({self.x}, {self.y})"


EMPTY: Antichain[Pair] = Antichain.of(())
PAIRS = [Pair(x, y) for x, y in product(range(4), repeat=2)]
antichains = st.lists(st.sampled_from(PAIRS), max_size=5).map(Antichain.of)


def in_advance(antichain: Antichain[Pair]) -> set[Pair]:
    return {pair for pair in PAIRS if antichain.less_equal(pair)}


def test_an_antichain_keeps_its_least_elements() -> None:
    assert str(Antichain.of([Pair(2, 2), Pair(3, 0), Pair(1, 2), Pair(1, 2)])) == "{(1, 2), (3, 0)}"


@given(
    st.lists(st.sampled_from(PAIRS), max_size=5).flatmap(
        lambda pairs: st.tuples(st.just(pairs), st.permutations(pairs))
    )
)
def test_equality_does_not_depend_on_the_order_of_insertion(both: tuple[list[Pair], list[Pair]]) -> None:
    assert Antichain.of(both[0]) == Antichain.of(both[1])


@given(antichains)
def test_no_element_is_before_another(a: Antichain[Pair]) -> None:
    assert not any(s != t and s.less_equal(t) for s in a.elements for t in a.elements)
    assert a.is_empty == (not a.elements)


@given(antichains, antichains)
def test_the_order_is_inclusion_of_the_times_in_advance(a: Antichain[Pair], b: Antichain[Pair]) -> None:
    assert (a <= b) == (in_advance(a) >= in_advance(b))
    assert (a < b) == (in_advance(a) > in_advance(b))
    assert (a == b) == (in_advance(a) == in_advance(b))


@given(antichains)
def test_the_empty_antichain_is_the_greatest(a: Antichain[Pair]) -> None:
    assert a <= EMPTY
    assert a.join(EMPTY) == EMPTY
    assert a.meet(EMPTY) == a


@given(antichains, antichains)
def test_join_is_both_and_meet_is_either(a: Antichain[Pair], b: Antichain[Pair]) -> None:
    assert in_advance(a.join(b)) == in_advance(a) & in_advance(b)
    assert in_advance(a.meet(b)) == in_advance(a) | in_advance(b)


@given(antichains, antichains, antichains)
def test_antichains_are_a_distributive_lattice(a: Antichain[Pair], b: Antichain[Pair], c: Antichain[Pair]) -> None:
    assert (a <= b and b <= c) <= (a <= c)
    assert a.join(b) == b.join(a)
    assert a.meet(b) == b.meet(a)
    assert a.join(b).join(c) == a.join(b.join(c))
    assert a.meet(b).meet(c) == a.meet(b.meet(c))
    assert a.join(a.meet(b)) == a == a.meet(a.join(b))
    assert a.join(b.meet(c)) == a.join(b).meet(a.join(c))
    assert (a <= b) == (a.join(b) == b) == (a.meet(b) == a)
