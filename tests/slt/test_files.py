"""Every file in `files`, over connections to a server in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serving import ServerProcess, running_server
from tests.slt.cleaning import clean
from tests.slt.runner import Runner
from tests.verified import verify_all

FILES = sorted((Path(__file__).parent / "files").glob("*.slt"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running_server(tmp_path_factory.mktemp("slt") / "data", "--http", "off") as running:
        yield running
        assert running.complaints == []


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_the_server_answers_as_the_file_says(server: ServerProcess, path: Path) -> None:
    try:
        Runner(server.connect, server.restart).run(path)
        with server.connect() as connection:
            verify_all(connection)
    finally:
        clean(server)
