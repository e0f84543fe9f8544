"""Fills files with what the server answers: `python -m tests.slt.rewrite FILE...`. Read what it wrote, with care.

Rows, the texts of errors and of notices, and counts are replaced where they differ. A statement that fails although
nothing is said of an error is left as it is, and reported.
"""

from __future__ import annotations

import shlex
import sys
import tempfile
from pathlib import Path

from tests.serving import running_server
from tests.slt.cleaning import clean
from tests.slt.records import RULE, Failure, Query, Record, Statement
from tests.slt.runner import Answer, Runner, difference


def main(paths: list[Path]) -> None:
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder) / "data", "--http", "off") as server:
        for path in paths:
            runner = Runner(server.connect, server.restart)
            changed: list[tuple[Record, list[str]]] = []
            lines = path.read_text().split("\n")
            for record, answer in runner.answers(path):
                what = difference(record, answer, runner.values)
                if what is not None:
                    sys.stdout.write(f"{path.name}:{record.start + 1}: {what}\n")
                    changed.append((record, _rewritten(record, answer, lines)))
            for record, said in reversed(changed):
                lines[record.start : record.end] = said
            path.write_text("\n".join(lines))
            clean(server)


def _rewritten(record: Record, answer: Answer, lines: list[str]) -> list[str]:
    old = lines[record.start : record.end]
    head, body = old[0], old[1:]
    match record:
        case Failure() if answer.error is not None:
            return [f"{head.split(' error')[0]} error{_options(head)} {answer.error}", *body]
        case Statement(count=int()):
            return [head.replace(f"count {record.count}", f"count {answer.count}"), *body]
        case Statement(notice=notice) if notice is not None and answer.notices:
            return [f"statement notice{_options(head)} {answer.notices[0]}", *body]
        case Query() if answer.error is None:
            names = [shlex.join(answer.names)] if record.columns is not None else []
            return [head, *body[: body.index(RULE) + 1], *names, *answer.lines(record)]
    return old


def _options(head: str) -> str:
    return "".join(f" {word}" for word in head.split() if word.startswith(("conn=", "user=")))


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
