"""node-postgres: the tests in `node/`, where Node.js is, with what npm fetches for them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.serving import ServerProcess

FOLDER = Path(__file__).parent / "node"
SECONDS = 120


@pytest.fixture(scope="module")
def modules(pytestconfig: pytest.Config) -> Path:
    """Where the packages are that `package.json` names."""
    assert pytestconfig.cache is not None
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("there is no Node.js here")
    cache = pytestconfig.cache.mkdir("holdfast-node")
    wanted = (FOLDER / "package.json").read_text()
    if not (cache / "node_modules").exists() or (cache / "package.json").read_text() != wanted:
        (cache / "package.json").write_text(wanted)
        command = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--prefix", str(cache)]
        try:
            subprocess.run(command, capture_output=True, timeout=SECONDS, check=True)
        except subprocess.SubprocessError as error:
            pytest.skip(f"npm cannot fetch node-postgres: {error}")
    return cache / "node_modules"


def test_node_postgres_is_served(modules: Path, server: ServerProcess, schema: str) -> None:
    ended = subprocess.run(
        ["node", "--test", "--test-reporter=tap", str(FOLDER / "client.test.js")],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env={
            **os.environ,
            "NODE_PATH": str(modules),
            "HOLDFAST_PORT": str(server.port),
            "HOLDFAST_SCHEMA": schema,
        },
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
