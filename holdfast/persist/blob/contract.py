"""What every blob store promises."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from holdfast.errors import UnavailableError, UsageError


class BlobUnavailable(UnavailableError):
    """The store could not do what was asked: no space, no permission, no network.

    After a failed put the blob may be there or not, and that is not an `OutcomeUnknown`: nobody names the key before
    its put has returned, and putting the same bytes again is harmless. The same holds for a failed delete.
    """

    def __init__(self, url: str, action: str, key: str, reason: str) -> None:
        what = f'{action} "{key}"' if key else action
        super().__init__(f"blob store {url} could not {what}: {reason}")
        self.url, self.action, self.key, self.reason = url, action, key, reason


@dataclass(frozen=True, slots=True)
class BlobMeta:
    """What a listing tells of a blob. `modified_ms` is by the store's clock; S3 counts whole seconds."""

    key: str
    size: int
    modified_ms: int


class Blob(Protocol):
    """A store of immutable blobs. Calls block and are safe from any thread.

    - A reader sees all of a blob or nothing, while it is being put and after a crash.
    - What `put` returned for survives the loss of power, as far as the store survives it.
    - Calls on one key are linearizable.
    - Keys are as `holdfast.persist.blob.key` says, and no key is a folder of another; others are a `UsageError`.
    - Every call may raise `BlobUnavailable`.
    """

    @property
    def url(self) -> str:
        """What people call the place. It holds no secrets."""
        ...

    def get(self, key: str) -> pa.Buffer | None:
        """The blob, or None if there is none. The buffer outlives a deletion of the blob."""
        ...

    def put(self, key: str, data: bytes | pa.Buffer) -> None:
        """Write `data` under `key`, once.

        The same bytes again are fine: that is a retry. Other bytes are a `UsageError` if an earlier put has returned;
        of two that run at once, either may win.
        """
        ...

    def delete(self, key: str) -> None:
        """Remove the blob if it is there. It may come back after a loss of power: delete it again."""
        ...

    def list(self, prefix: str) -> Iterator[BlobMeta]:
        """The blobs whose keys start with `prefix`, in no order. Those put or deleted meanwhile may be in it or not."""
        ...

    def list_leftovers(self) -> Iterator[BlobMeta]:
        """What interrupted puts left behind. Its keys are good for `delete` alone.

        A put that is still running looks the same. To delete its leftover makes it fail as unavailable.
        """
        ...

    def local_path(self, key: str) -> Path | None:
        """Where a process on this machine can read the blob in place, if anywhere."""
        ...

    def spark_url(self, key: str) -> str | None:
        """What Spark calls the blob, if Spark can reach it."""
        ...


def written_once(url: str, key: str, existing: pa.Buffer, data: pa.Buffer) -> None:
    """Complain if a put of `data` is no retry of the put that wrote `existing`."""
    if not existing.equals(data):
        raise UsageError(f'blob store {url} already holds other bytes under "{key}"')
