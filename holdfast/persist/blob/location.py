"""Locations: where a blob store is, as a value that another process can open."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from holdfast.errors import UsageError
from holdfast.persist.blob.contract import Blob
from holdfast.persist.blob.file import FileBlob
from holdfast.persist.blob.memory import MemoryBlob
from holdfast.persist.blob.s3 import S3Blob

_MEMORY = "memory:"
_FILE = "file://"
_FOLDER = r"(?!\.{1,2}(?:/|$))[A-Za-z0-9._=-]+"
_S3 = re.compile(
    rf"s3://(?P<bucket>[a-z0-9][a-z0-9.-]{{1,61}}[a-z0-9])(?:/(?P<prefix>{_FOLDER}(?:/{_FOLDER})*))?/?", re.ASCII
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:", re.ASCII)


@dataclass(frozen=True, slots=True)
class BlobLocation:
    """A place for blobs: `memory:`, a path, `file:///folder` or `s3://bucket/prefix`.

    - `url` names the same place from any working directory, and holds no secrets.
    - `options` may hold secrets, and are not shown. They are for S3 only.
    - What follows `file://` is a path as it is, without percent-encoding, as Spark reads it.

    It does not carry the environment: an S3 location without keys in its options is opened with those that the
    opening process has in its own.
    """

    url: str
    options: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "url", _absolute(self.url))
        if self.options and not self.url.startswith("s3:"):
            raise UsageError(f"blob store {self.url} takes no options, got {', '.join(sorted(self.options))}")

    def open(self) -> Blob:
        """The store. Each call opens it anew; in memory, that is another and empty one."""
        if self.url == _MEMORY:
            return MemoryBlob()
        s3 = _S3.fullmatch(self.url)
        if s3 is None:
            return FileBlob(Path(self.url.removeprefix(_FILE)))
        return S3Blob(s3["bucket"], s3["prefix"] or "", self.options)

    def __reduce__(self) -> tuple[type[BlobLocation], tuple[str, Mapping[str, str]]]:
        if self.url == _MEMORY:
            raise UsageError("a blob store in memory cannot be opened by another process")
        return BlobLocation, (self.url, dict(self.options))


def open_blob(url: str, options: Mapping[str, str] | None = None) -> Blob:
    """The blob store at `url`; see `BlobLocation` for what `url` and `options` may be."""
    return BlobLocation(url, options or {}).open()


def _absolute(url: str) -> str:
    if url == _MEMORY:
        return url
    if url.startswith(f"{_FILE}/"):
        return f"{_FILE}{Path(url.removeprefix(_FILE)).resolve()}"
    # What does not fit is not repeated in the message: it may be a URL with a password in it.
    if url.startswith("s3:"):
        if _S3.fullmatch(url) is None:
            raise UsageError("blob store url is not of the form s3://bucket/prefix")
        return url.rstrip("/")
    if not url or _SCHEME.match(url) is not None:
        raise UsageError("blob store url is not a path, file:///folder, s3://bucket/prefix or memory:")
    return f"{_FILE}{Path(url).resolve()}"
