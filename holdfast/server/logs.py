"""Logs: readable lines on stderr, with the fields of each after its message, and no passwords."""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from pathlib import Path
from typing import Literal, TypeAlias

LogLevel: TypeAlias = Literal["debug", "info", "warning", "error"]

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_SECRET = re.compile(r"password|secret|token|verifier", re.IGNORECASE)
_IN_URL = re.compile(r"(://[^\s:/@]*):[^\s@/]*@")
_IN_CONNINFO = re.compile(r"(password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&]+)", re.IGNORECASE)
_PLAIN = re.compile(r"[\w.,:;/@+*\[\]{}()<>$%-]+")


def redacted(text: str) -> str:
    """The text without the passwords that URLs and connection strings in it hold."""
    return _IN_CONNINFO.sub(r"\1***", _IN_URL.sub(r"\1:***@", text))


class Lines(logging.Formatter):
    """`2026-02-03 04:05:06.789Z INFO adapter.runtime: spark started master=local[2]`."""

    def format(self, record: logging.LogRecord) -> str:
        seconds = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(record.created))
        fields = "".join(
            f" {name}={'***' if _SECRET.search(name) else _shown(value)}"
            for name, value in vars(record).items()
            if name not in _STANDARD
        )
        name = record.name.removeprefix("holdfast.")
        line = f"{seconds}.{record.msecs:03.0f}Z {record.levelname} {name}: {record.getMessage()}{fields}"
        if record.exc_info:
            line = f"{line}\n{self.formatException(record.exc_info)}"
        return redacted(line)


def _shown(value: object) -> str:
    text = str(value)
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def log_to_stderr(level: LogLevel) -> None:
    """Of ours from `level` on, of others only what is a warning or worse."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    handler.addFilter(_is_not_py4j)
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("holdfast").setLevel(level.upper())


def _is_not_py4j(record: logging.LogRecord) -> bool:
    """py4j tells, by the root's logger, of each call that a dead Java did not answer. The runtime says it once."""
    return "py4j" not in Path(record.pathname).parts
