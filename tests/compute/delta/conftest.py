from __future__ import annotations

from collections.abc import Iterator

import pytest

from holdfast.compute.delta import sieve


@pytest.fixture(autouse=True, scope="package")
def every_change_is_sifted() -> Iterator[None]:
    """However few there are: views here have few rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sieve, "MANY", 0)
        yield
