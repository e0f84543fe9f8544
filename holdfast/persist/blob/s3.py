"""Blobs in S3, or in what speaks its protocol."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, cast

import obstore
import pyarrow as pa
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    GenericError,
    PermissionDeniedError,
    UnauthenticatedError,
)
from obstore.store import S3Store

from holdfast.errors import UsageError
from holdfast.persist.blob.contract import BlobMeta, BlobUnavailable, written_once
from holdfast.persist.blob.key import check_key, is_key, prefix_folder

if TYPE_CHECKING:  # obstore has these names in its stubs only
    from obstore.store import RetryConfig, S3Config

# An endpoint that is down is noticed in about ten seconds. `timeout` is for a whole request: a part of 100 MB fits in.
_DEFAULTS = {
    "connect_timeout": "3s",
    "timeout": "60s",
    # One DELETE for one key: every S3 knows it, and obstore repeats it after a timeout.
    "disable_bulk_delete": "true",
}
_RETRY: RetryConfig = {
    "max_retries": 3,
    "retry_timeout": timedelta(seconds=60),
    "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=2), "base": 2},
}
_PAGE = 1000
_SECRET_NAME = re.compile(r"key|secret|token|password", re.IGNORECASE)
_SECRET_IN_URL = re.compile(r"//[^/@\s]+@")
_HIDDEN = "[hidden]"
_CODE = re.compile(r"<Code>(\w+)</Code>")
_NO_BUCKET = "<Code>NoSuchBucket</Code>"  # 404 like a missing key, but then the whole store is missing

# The process that obstore's threads live in. A fork has the objects without the threads, and would wait for ever.
_process: int | None = None


class S3Blob:
    """A blob store in `bucket`, under `prefix` if that is not empty.

    `options` are obstore's S3 and client settings; what they leave out is taken from the `AWS_` environment variables.
    """

    def __init__(self, bucket: str, prefix: str, options: Mapping[str, str]) -> None:
        self._place = f"{bucket}/{prefix}" if prefix else bucket
        environment = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
        secrets = {
            value for name, value in (*environment.items(), *options.items()) if value and _SECRET_NAME.search(name)
        }
        self._secrets = sorted(secrets, key=len, reverse=True)  # one may be a part of another
        self._claim_process()
        try:
            self._store = S3Store(
                bucket,
                prefix=prefix or None,
                # What obstore calls a config takes the client's settings too; its type does not say so.
                config=cast("S3Config", {**_DEFAULTS, **options}),
                retry_config=_RETRY,
            )
        except BaseError as exc:
            failure = UsageError(f"blob store {self.url} has options that are not valid: {self._reason(exc)}")
        else:
            return
        raise failure

    @property
    def url(self) -> str:
        return f"s3://{self._place}"

    def get(self, key: str) -> pa.Buffer | None:
        check_key(key)
        with self._s3_errors("get", key):
            try:
                return pa.py_buffer(obstore.get(self._store, key).bytes())
            except FileNotFoundError as exc:
                if _NO_BUCKET in str(exc):
                    raise
                return None

    def put(self, key: str, data: bytes | pa.Buffer) -> None:
        check_key(key)
        content = pa.py_buffer(data)
        with self._s3_errors("put", key):
            try:
                # Conditional, so that obstore sends one request whatever the size: nothing unfinished can stay behind.
                obstore.put(self._store, key, _unsigned(content), mode="create")
                return
            except AlreadyExistsError:
                pass
        # An earlier put of ours, or the first of two attempts that obstore made in this one.
        existing = self.get(key)
        if existing is None:
            raise BlobUnavailable(self.url, "put", key, "it was written or deleted by another at the same moment")
        written_once(self.url, key, existing, content)

    def delete(self, key: str) -> None:
        check_key(key)
        with self._s3_errors("delete", key):
            try:
                obstore.delete(self._store, key)
            except FileNotFoundError as exc:
                if _NO_BUCKET in str(exc):
                    raise

    def list(self, prefix: str) -> Iterator[BlobMeta]:
        return self._list(prefix, prefix_folder(prefix))

    def list_leftovers(self) -> Iterator[BlobMeta]:
        return iter(())

    def local_path(self, key: str) -> Path | None:
        check_key(key)
        return None

    def spark_url(self, key: str) -> str | None:
        check_key(key)
        return f"s3a://{self._place}/{key}"

    def __repr__(self) -> str:
        return f"S3Blob({self.url!r})"

    def _list(self, prefix: str, folder: str) -> Iterator[BlobMeta]:
        # obstore lists whole folders; a prefix that ends within a name is ours to match.
        pages = obstore.list(self._store, folder or None, chunk_size=_PAGE)
        while True:
            with self._s3_errors("list", prefix):
                page = next(pages, None)
            if page is None:
                return
            for found in page:
                if is_key(found["path"]) and found["path"].startswith(prefix):
                    yield BlobMeta(found["path"], found["size"], int(found["last_modified"].timestamp() * 1000))

    def _claim_process(self) -> None:
        global _process
        if _process is None:
            _process = os.getpid()
        if _process != os.getpid():
            raise UsageError(f"blob store {self.url} cannot be used in a fork of process {_process}")

    @contextmanager
    def _s3_errors(self, action: str, key: str) -> Iterator[None]:
        self._claim_process()
        try:
            yield
        except (FileNotFoundError, GenericError, PermissionDeniedError, UnauthenticatedError) as exc:
            cause = type(exc)(self._hide(str(exc)))
            failure = BlobUnavailable(self.url, action, key, self._reason(exc))
        else:
            return
        # Raised out here, so that the original, where S3 may have quoted our credentials, is not its context.
        raise failure from cause

    def _reason(self, exc: Exception) -> str:
        """The line of obstore's text that people can use, with S3's own word for the error if it gave one."""
        text = self._hide(str(exc))
        line = text.partition("\n")[0].partition(": <")[0]
        code = _CODE.search(text)
        return f"{line}: {code[1]}" if code is not None else line

    def _hide(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return _SECRET_IN_URL.sub(f"//{_HIDDEN}@", text)


def _unsigned(buffer: pa.Buffer) -> bytes | memoryview:
    """`buffer` as obstore takes it: Arrow's own are of signed bytes, and an empty one cannot be cast."""
    return memoryview(buffer).cast("B") if buffer.size else b""
