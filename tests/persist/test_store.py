from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.persist.errors import LockHeld, NewerEncoding
from holdfast.persist.store import ENCODING_VERSION, Lock, StoreState

locks = st.builds(Lock, st.sampled_from(["a", "b"]), st.none() | st.sampled_from(["x", "y"]))


def test_a_free_lock_is_taken_with_a_new_epoch() -> None:
    taken = StoreState(epoch=4, address="old:1").acquire(Lock("me", None))
    assert (taken.epoch, taken.lock, taken.address) == (5, Lock("me", None), "")


@pytest.mark.parametrize("reentrance_id", [None, "other"])
def test_a_lock_that_is_held_names_its_holder_and_the_way_out(reentrance_id: str | None) -> None:
    held = StoreState().acquire(Lock("process 7 on host", "mine"))
    with pytest.raises(LockHeld, match="locked by another writer: process 7 on host") as refused:
        held.acquire(Lock("me", reentrance_id))
    assert refused.value.hint is not None
    assert "holdfast unlock" in refused.value.hint


def test_a_lock_without_a_reentrance_id_cannot_be_taken_over() -> None:
    held = StoreState().acquire(Lock("them", None))
    for reentrance_id in (None, "x"):
        with pytest.raises(LockHeld):
            held.acquire(Lock("me", reentrance_id))


def test_the_same_reentrance_id_takes_over_and_fences() -> None:
    held = StoreState().acquire(Lock("them", "shared"))
    taken = held.acquire(Lock("me", "shared"))
    assert taken.epoch == held.epoch + 1
    assert taken.lock == Lock("me", "shared")


def test_a_released_lock_keeps_its_epoch_and_leaves_no_address() -> None:
    held = StoreState(epoch=3, lock=Lock("me", None), address="here:1")
    released = held.release()
    assert (released.epoch, released.lock, released.address) == (3, None, "")
    assert released.release() == released


@given(st.lists(st.none() | locks, max_size=12))
def test_no_two_holders_ever_have_the_same_epoch(steps: list[Lock | None]) -> None:
    """None releases. A later holder's epoch is always greater, so an earlier one can be told and refused."""
    state, given_out = StoreState(), [0]
    for lock in steps:
        if lock is None:
            state = state.release()
            continue
        held = state.lock
        free = held is None or (lock.reentrance_id is not None and lock.reentrance_id == held.reentrance_id)
        if not free:
            with pytest.raises(LockHeld):
                state.acquire(lock)
            continue
        state = state.acquire(lock)
        given_out.append(state.epoch)
    assert given_out == sorted(set(given_out))


def test_a_store_of_a_later_version_is_refused_with_both_versions() -> None:
    StoreState().check_encoding()
    later = ENCODING_VERSION + 1
    with pytest.raises(NewerEncoding, match=f"encoding version {later}, this program knows versions up to") as refused:
        StoreState(encoding_version=later).check_encoding()
    assert refused.value.hint is not None
    assert "Nothing was changed" in refused.value.hint
