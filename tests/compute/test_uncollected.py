from __future__ import annotations

import gc

from holdfast.compute.uncollected import uncollected


def test_nothing_is_collected_until_the_last_block_has_ended() -> None:
    assert gc.isenabled()
    first, second = uncollected(), uncollected()
    with first:
        with second:
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_what_was_off_before_stays_off() -> None:
    gc.disable()
    try:
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
