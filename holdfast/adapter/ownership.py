"""Ownership: which process a data folder belongs to.

The process that owns a folder holds a lock of the operating system's on a file in it, which ends with the process
however it ends. So whoever gets that lock knows that the owner before is gone, also if it was killed, and takes the
store's lock over by the reentrance id that the file keeps. A store whose owner ran with another folder, perhaps on
another machine, has another reentrance id: it is refused, as its owner may well be alive.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import socket
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from holdfast.errors import FileUnusable, HoldfastError

_FILE = "owner"
_POLL_SECONDS = 0.05


class FolderHeld(HoldfastError):
    """Another process owns the folder."""

    def __init__(self, folder: Path, holder: str) -> None:
        super().__init__(f'data folder "{folder}" is in use by {holder}')
        self.hint = "Stop it first, or start with --take-over to fence it."


class Ownership:
    """Of a folder, from `take` to `release`. `reentrance_id` is for the lock of the store in it."""

    def __init__(self, file: TextIO, reentrance_id: str) -> None:
        self._file, self.reentrance_id = file, reentrance_id

    @classmethod
    def take(cls, folder: Path) -> Ownership:
        """The folder, which is made if it is not there."""
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = (folder / _FILE).open("a+")
        except OSError as error:
            raise FileUnusable(f'data folder "{folder}" cannot be used: {error.strerror}') from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            with file:
                _, holder = _said(file)
            if isinstance(error, BlockingIOError):
                raise FolderHeld(folder, holder or "another process") from None
            raise FileUnusable(f'data folder "{folder}" cannot be locked: {error.strerror}') from error
        return cls(file, _signed(file))

    @classmethod
    async def wait(cls, folder: Path, seconds: float) -> Ownership:
        """The same, waiting for the owner before to go."""
        deadline = asyncio.get_running_loop().time() + seconds
        while True:
            try:
                return cls.take(folder)
            except FolderHeld:
                if asyncio.get_running_loop().time() > deadline:
                    raise
            await asyncio.sleep(_POLL_SECONDS)

    def release(self) -> None:
        self._file.close()


def _said(file: TextIO) -> tuple[str | None, str | None]:
    """The reentrance id and the holder, as far as they were written."""
    file.seek(0)
    reentrance_id, _, holder = file.read().partition("\n")
    return reentrance_id or None, holder.strip() or None


def _signed(file: TextIO) -> str:
    """Say in the file that it is ours; returns its reentrance id."""
    reentrance_id = _said(file)[0] or uuid.uuid4().hex
    now = datetime.now(UTC).isoformat(sep=" ", timespec="seconds")
    file.seek(0)
    file.truncate()
    file.write(f"{reentrance_id}\nprocess {os.getpid()} on {socket.gethostname()}, since {now}\n")
    file.flush()
    return reentrance_id
