from __future__ import annotations

import pytest

from holdfast.sql.parser import parse_one
from holdfast.sql.render import render


@pytest.mark.parametrize(
    "text",
    [
        "CREATE SECRET s AS 'hunter2'",
        "ALTER SECRET s AS 'hunter2'",
        "CREATE ROLE r PASSWORD 'hunter2'",
        "ALTER ROLE r PASSWORD 'hunter2'",
        "CREATE CONNECTION c TO POSTGRES (HOST = 'h', PASSWORD = 'hunter2')",
        "CREATE CONNECTION c TO AWS (SECRET ACCESS KEY = 'hunter2')",
        "CREATE CONNECTION c TO KAFKA (BROKER 'h', SASL PASSWORD = 'hunter2', SSL KEY = 'hunter2')",
        "ALTER CONNECTION c SET (SESSION TOKEN = 'hunter2')",
    ],
)
def test_secrets_are_kept_and_never_shown(text: str) -> None:
    parsed = parse_one(text)
    assert "hunter2" not in repr(parsed)
    assert "'hunter2'" in render(parsed.statement)


def test_what_is_no_secret_is_shown() -> None:
    shown = repr(parse_one("CREATE CONNECTION c TO POSTGRES (HOST = 'visible', PASSWORD = SECRET s)"))
    assert "visible" in shown
    assert "SecretReference" in shown
