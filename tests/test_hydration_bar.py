from __future__ import annotations

import pytest

from holdfast.hydration_bar import bar


@pytest.mark.parametrize(
    ("done", "total", "shown"),
    [
        (None, 120_000, "[................................]   ? %  of 120,000 rows"),
        (0, 10, "[................................]   0 %  of 10 rows"),
        (5, 10, "[################................]  50 %  of 10 rows"),
        (12, 10, "[################################] 100 %  of 10 rows"),
        (None, None, "[................................]   ? %"),
    ],
)
def test_a_bar_is_as_full_as_what_is_done(done: int | None, total: int | None, shown: str) -> None:
    assert bar(done, total) == shown
