"""Places for stores: each test gets one of its own, and opens writers and readers there."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import psycopg.sql

from holdfast.persist import Location, Persist, PersistSettings
from holdfast.persist.blob import Blob
from holdfast.persist.blob.memory import MemoryBlob
from holdfast.persist.metadata import Metadata
from holdfast.persist.metadata.memory import MemoryMetadata
from tests.persist.conftest import S3Server

QUIET = PersistSettings(compact=False, notify=False)
"""Nothing happens but what a test does."""

BLOBS = replace(QUIET, inline_bytes=0)
"""And every part is a blob."""


@dataclass(frozen=True, slots=True)
class Place:
    """`metadata` and `blob` are given where instances share them in this process."""

    location: Location
    metadata: Metadata | None = None
    blob: Blob | None = None
    settings: PersistSettings = QUIET

    def of_blobs(self) -> Place:
        """The same place, where every part is a blob."""
        return replace(self, settings=BLOBS)

    async def open_writer(self, reentrance_id: str | None = None, settings: PersistSettings | None = None) -> Persist:
        return await Persist.open_writer(
            self.location,
            reentrance_id=reentrance_id,
            settings=settings or self.settings,
            metadata=self.metadata,
            blob=self.blob,
        )

    async def open_reader(self, *, independent: bool = False, settings: PersistSettings | None = None) -> Persist:
        return await Persist.open_reader(
            self.location,
            independent=independent,
            settings=settings or self.settings,
            metadata=self.metadata,
            blob=self.blob,
        )

    @asynccontextmanager
    async def writer(self, settings: PersistSettings | None = None) -> AsyncIterator[Persist]:
        async with await self.open_writer("test", settings) as persist:
            yield persist


def in_memory() -> Place:
    return Place(Location.of("memory:", "memory:"), MemoryMetadata(), MemoryBlob())


def in_folder(folder: Path) -> Place:
    return Place(Location.in_folder(folder))


def fresh_database(postgres: str) -> str:
    """A new database on the server of the URL."""
    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name)))
    return urlsplit(postgres)._replace(path=f"/{name}").geturl()


def on_servers(postgres: str, s3: S3Server) -> Place:
    return Place(Location.of(postgres, f"s3://{s3.bucket}/{uuid.uuid4().hex}", s3.options))
