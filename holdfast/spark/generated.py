"""Generated files: what Spark's own programs must find on disk, kept in the user's cache.

A file's folder is named for its content, so a file never changes once it is
there, and processes that write it at the same time write the same bytes.
"""

from __future__ import annotations

import atexit
import hashlib
import logging
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

log = logging.getLogger(__name__)

DOCUMENT = 0o644
PROGRAM = 0o755


def generated(name: str, text: str, mode: int = DOCUMENT) -> Path:
    """The path of a file that holds `text`; it ends in `name`, which may have folders.

    Where the cache cannot be written, or may hold no programs and this is one,
    the file is in a temporary folder that goes away with the process.
    """
    place = Path(hashlib.sha256(text.encode()).hexdigest()[:16]) / name
    path = _cache_folder() / place
    try:
        _ensure(path, text, mode)
    except OSError as error:
        log.debug("cache folder not usable", extra={"path": str(path), "reason": str(error)})
        path = _temporary_folder() / place
        _ensure(path, text, mode)
    return path


def _cache_folder() -> Path:
    # An XDG folder that is not absolute is to be ignored, says its specification.
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (named if named.is_absolute() else Path(os.path.expanduser("~/.cache"))) / "holdfast"


@cache
def _temporary_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="holdfast-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _ensure(path: Path, text: str, mode: int) -> None:
    if not _is_in_place(path, text, mode):
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, text, mode)
    if not _is_in_place(path, text, mode):
        raise PermissionError(f"{path} cannot be used once written")


def _is_in_place(path: Path, text: str, mode: int) -> bool:
    wanted = os.X_OK if mode & 0o100 else os.R_OK
    return os.access(path, wanted) and path.read_text() == text


def _write(path: Path, text: str, mode: int) -> None:
    """Write the file aside and move it into place: it is there whole or not at all."""
    descriptor, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
        os.chmod(aside, mode)
        os.replace(aside, path)
    except BaseException:
        os.unlink(aside)
        raise
