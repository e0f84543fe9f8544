from __future__ import annotations

import logging
import sys
from collections.abc import Mapping

import pytest

from holdfast.server.logs import Lines, log_to_stderr, redacted


def line(message: str, error: BaseException | None = None, /, **fields: object) -> str:
    record = logging.LogRecord("holdfast.adapter.runtime", logging.INFO, __file__, 1, message, (), None)
    record.__dict__.update(fields)
    record.created, record.msecs = 0.0, 5.0
    if error is not None:
        record.exc_info = (type(error), error, error.__traceback__)
    return Lines().format(record)


def test_a_line_has_its_fields_after_the_message() -> None:
    said = line("spark started", master="local[2]", reason='it said "no" twice', at=None)
    assert said == (
        "1970-01-01 00:00:00.005Z INFO adapter.runtime: spark started master=local[2] "
        'reason="it said \\"no\\" twice" at=None'
    )


def test_a_field_cannot_begin_a_line_of_its_own() -> None:
    assert "\n" not in line("connected", user="a\n2026-01-01 ERROR x: y")


@pytest.mark.parametrize(
    "fields",
    [
        {"store": "postgresql://me:hush@there:5432/db"},
        {"dsn": "host=there password=hush user=me"},
        {"dsn": "password='hush hush' user=me"},
        {"url": "postgresql:///db?password=hush&x=1"},
        {"password": "hush"},
        {"client_secret": "hush"},
    ],
)
def test_passwords_are_left_out(fields: Mapping[str, str]) -> None:
    said = line("connected", **fields)
    assert "hush" not in said
    assert "***" in said


def test_what_py4j_says_of_a_dead_java_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    before = logging.getLogger().handlers[:], logging.getLogger().level, logging.getLogger("holdfast").level
    try:
        log_to_stderr("info")
        for path in ("/site-packages/py4j/java_gateway.py", "/elsewhere/java_gateway.py"):
            record = logging.LogRecord("root", logging.ERROR, path, 1, f"from {path}", (), None)
            logging.getLogger().handle(record)
    finally:
        logging.getLogger().handlers[:] = before[0]
        logging.getLogger().setLevel(before[1])
        logging.getLogger("holdfast").setLevel(before[2])
    said = capsys.readouterr().err
    assert "from /elsewhere" in said
    assert "py4j" not in said


def test_a_url_without_a_password_stays_as_it_is() -> None:
    for text in ("postgresql://me@there:5432/db", "http://127.0.0.1:6876/a@b", "s3://bucket/a:b"):
        assert redacted(text) == text


def test_a_traceback_is_kept_but_for_passwords() -> None:
    try:
        raise ValueError("cannot reach postgresql://me:hush@there/db")
    except ValueError as error:
        said = line("failed", error)
    assert "Traceback" in said
    assert "postgresql://me:***@there/db" in said
    assert sys.exc_info() == (None, None, None)
