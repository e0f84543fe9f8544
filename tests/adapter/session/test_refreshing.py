from __future__ import annotations

import re

import pytest

from holdfast.adapter.session.session import Session
from tests.adapter.asking import ask, refusal, rows

TIME = r"'\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00'"


async def options_of(session: Session, strategies: str) -> str:
    """The options of a view that was made with the strategies, as they are kept."""
    await ask(session, f"CREATE MATERIALIZED VIEW v WITH ({strategies}) AS SELECT 1 AS a")
    ((_, sql),) = await rows(session, "SHOW CREATE MATERIALIZED VIEW v")
    assert sql is not None
    found = re.search(r"WITH \((.*)\) AS SELECT", sql)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("REFRESH ON COMMIT", "REFRESH = ON COMMIT"),
        ("REFRESH AT CREATION", "REFRESH = AT CREATION"),
        ("REFRESH AT '2030-01-01'", "REFRESH = AT '2030-01-01'"),
        ("REFRESH AT '2030-01-01'::timestamp + '1 day'", "REFRESH = AT '2030-01-02 00:00:00+00'"),
        ("REFRESH AT 1704067200000", "REFRESH = AT '2024-01-01 00:00:00+00'"),
        (
            "REFRESH EVERY '1 day' ALIGNED TO '2024-01-01'::date + 1",
            "REFRESH = EVERY '1 day' ALIGNED TO '2024-01-02 00:00:00+00'",
        ),
    ],
)
async def test_times_are_kept_as_texts(session: Session, said: str, kept: str) -> None:
    assert await options_of(session, said) == kept


async def test_what_is_aligned_to_nothing_is_aligned_to_the_present(session: Session) -> None:
    kept = await options_of(session, "REFRESH EVERY '1 day'")
    assert re.fullmatch(rf"REFRESH = EVERY '1 day' ALIGNED TO {TIME}, REFRESH = AT CREATION", kept)
    assert await rows(
        session,
        "SELECT now() - aligned_to < '1 hour' AND now() >= aligned_to "
        "FROM mz_internal.mz_materialized_view_refresh_strategies WHERE type = 'every'",
    ) == [("t",)]


@pytest.mark.parametrize("also", ["", ", REFRESH AT CREATION", ", REFRESH EVERY '2 hours'"])
async def test_what_is_aligned_to_nothing_can_be_read_at_once(session: Session, also: str) -> None:
    kept = await options_of(session, f"REFRESH EVERY '1 day'{also}")
    assert kept.count("AT CREATION") == 1
    assert await rows(session, "SELECT a FROM v") == [("1",)]


async def test_the_time_of_the_statement_is_known(session: Session) -> None:
    assert re.fullmatch(rf"REFRESH = AT {TIME}", await options_of(session, "REFRESH AT mz_now()::text::int8 + 10000"))


@pytest.mark.parametrize(
    ("strategy", "code"), [("AT 'x'", "22023"), ("AT true", "42804"), ("AT NULL", "22000"), ("AT a", "0A000")]
)
async def test_what_is_no_time_is_refused(session: Session, strategy: str, code: str) -> None:
    found = await refusal(session, f"CREATE MATERIALIZED VIEW v WITH (REFRESH {strategy}) AS SELECT 1 AS a")
    assert found[0] == code
