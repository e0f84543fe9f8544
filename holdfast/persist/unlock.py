"""Unlocking: the lock of a store taken from a writer that does not give it back."""

from __future__ import annotations

from dataclasses import replace

from holdfast.errors import UnavailableError
from holdfast.persist.location import Location
from holdfast.persist.metadata import Commit, Committed


class TakenOverMeanwhile(UnavailableError):
    """Another writer was first."""

    def __init__(self) -> None:
        super().__init__("the store was taken over in the meantime")


def unlock(location: Location) -> str | None:
    """Free the lock; returns who held it. A new epoch comes with it: should the writer still be there, it is fenced."""
    metadata = location.open_metadata(read_only=True)
    try:
        store = metadata.store()
    finally:
        metadata.close()
    if store.lock is None:
        return None
    metadata = location.open_metadata(read_only=False)
    try:
        outcome = metadata.commit(Commit(store.epoch, replace(store.release(), epoch=store.epoch + 1), ()))
    finally:
        metadata.close()
    if not isinstance(outcome, Committed):
        raise TakenOverMeanwhile
    return store.lock.holder
