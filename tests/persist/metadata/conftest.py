"""The metadata stores, each fresh for every test."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from holdfast.persist.metadata import Metadata
from holdfast.persist.metadata.memory import MemoryMetadata
from holdfast.persist.metadata.postgres import PostgresMetadata
from holdfast.persist.metadata.sqlite import SqliteMetadata

_schemas = (f"holdfast_{number}" for number in itertools.count())


class Place:
    """Where one store is; `open` gives further clients of it, `fresh` another place of the same kind."""

    def __init__(self, kind: str, directory: Path, url: str | None) -> None:
        self.kind, self._directory, self._url = kind, directory, url
        self._opened = ExitStack()
        self.path = directory / f"{next(_schemas)}.db"
        self.schema = next(_schemas)
        self._memory = MemoryMetadata()

    def open(self) -> Metadata:
        return self._opened.enter_context(closing(self._client()))

    def _client(self) -> Metadata:
        if self.kind == "memory":
            return self._memory
        if self._url is None:
            return SqliteMetadata(self.path)
        return PostgresMetadata(self._url, schema=self.schema)

    @property
    def address(self) -> tuple[str, str]:
        """How another process finds it: a URL (of SQLite: a path) and a schema."""
        return (str(self.path), "") if self._url is None else (self._url, self.schema)

    def fresh(self) -> Place:
        return Place(self.kind, self._directory, self._url)

    def close(self) -> None:
        self._opened.close()


@dataclass(frozen=True, slots=True)
class Places:
    """Makes places of every kind."""

    make: Callable[[str], Place]


@pytest.fixture
def places(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Places]:
    with ExitStack() as made:

        def make(kind: str) -> Place:
            url = request.getfixturevalue("postgres") if kind == "postgres" else None
            return made.enter_context(closing(Place(kind, tmp_path, url)))

        yield Places(make)


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def place(request: pytest.FixtureRequest, places: Places) -> Place:
    return places.make(request.param)


@pytest.fixture(params=["sqlite", "postgres"])
def shared_place(request: pytest.FixtureRequest, places: Places) -> Place:
    """A store that several processes can use."""
    return places.make(request.param)


@pytest.fixture
def metadata(place: Place) -> Metadata:
    return place.open()
