from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.adapter.ownership import FolderHeld, Ownership
from holdfast.errors import FileUnusable

OWNER = """
import sys
from pathlib import Path
from holdfast.adapter.ownership import Ownership
owner = Ownership.take(Path(sys.argv[1]))
print(owner.reentrance_id, flush=True)
sys.stdin.read()
"""


def test_a_folder_has_one_owner_and_keeps_its_reentrance_id(tmp_path: Path) -> None:
    first = Ownership.take(tmp_path / "a" / "b")
    with pytest.raises(FolderHeld, match=rf"is in use by process {os.getpid()} on "):
        Ownership.take(tmp_path / "a" / "b")
    first.release()
    second = Ownership.take(tmp_path / "a" / "b")
    assert second.reentrance_id == first.reentrance_id
    other = Ownership.take(tmp_path / "other")
    assert other.reentrance_id != first.reentrance_id
    second.release()
    other.release()


def test_a_new_folder_is_for_its_user_alone(tmp_path: Path) -> None:
    Ownership.take(tmp_path / "data").release()
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


def owner(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", OWNER, str(folder)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


async def test_an_owner_that_is_killed_owns_no_more(tmp_path: Path) -> None:
    with owner(tmp_path) as process:
        assert process.stdout is not None
        reentrance_id = process.stdout.readline().strip()
        with pytest.raises(FolderHeld, match=f"process {process.pid} on "):
            await Ownership.wait(tmp_path, 0.1)
        process.send_signal(signal.SIGKILL)
        taken = await Ownership.wait(tmp_path, 30)
    assert taken.reentrance_id == reentrance_id
    taken.release()


def test_a_folder_that_cannot_be_is_an_error_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileUnusable, match="cannot be used: "):
        Ownership.take(tmp_path / "file")
