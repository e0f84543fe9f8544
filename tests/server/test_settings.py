"""Settings of the server, wherever they are said."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping

import pytest

from holdfast.server.settings import Address, ServerSettings, add_flags, read_settings


def settings(*flags: str, environment: Mapping[str, str] | None = None) -> ServerSettings:
    parser = ArgumentParser()
    add_flags(parser)
    return read_settings(parser.parse_args(flags), environment or {})


@pytest.mark.parametrize("environment", [{}, {"HOLDFAST_HTTP": "127.0.0.1:1"}])
def test_a_flag_that_turns_something_off_is_heard(environment: Mapping[str, str]) -> None:
    assert settings("--http", "off", environment=environment).http is None
    assert not settings("--no-spark-ui", environment={"HOLDFAST_SPARK_UI": "yes"}).spark_ui


def test_what_is_not_said_is_the_default() -> None:
    assert settings() == ServerSettings()
    assert settings("--listen", "127.0.0.1:1").http == Address("127.0.0.1", 6876)
