"""A database opened by the process that owns its folder, and given back at the end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from holdfast.adapter.database import Database, DatabaseSettings
from holdfast.adapter.ownership import FolderHeld, Ownership
from holdfast.persist.errors import LockHeld
from holdfast.persist.unlock import unlock

log = logging.getLogger(__name__)

_FAREWELL_SECONDS = 20.0
"""How long an owner that was fenced may take to be gone."""


@asynccontextmanager
async def owned(folder: Path, settings: DatabaseSettings, *, take_over: bool = False) -> AsyncIterator[Database]:
    """The database. With `take_over`, whoever has it now is fenced: it can commit nothing more, and ends."""
    ownership = await _owner(folder, settings, take_over=take_over)
    try:
        database = await _opened(replace(settings, reentrance_id=ownership.reentrance_id), take_over=take_over)
        try:
            yield database
        finally:
            await database.stop()
    finally:
        ownership.release()


async def _owner(folder: Path, settings: DatabaseSettings, *, take_over: bool) -> Ownership:
    try:
        return Ownership.take(folder)
    except FolderHeld:
        if not take_over:
            raise
    await _fence(settings)
    try:
        return await Ownership.wait(folder, _FAREWELL_SECONDS)
    except FolderHeld as error:
        error.hint = "It is fenced and can write nothing more, but its process does not end: kill it."
        raise


async def _opened(settings: DatabaseSettings, *, take_over: bool) -> Database:
    try:
        return await Database.open(settings)
    except LockHeld as error:
        if not take_over:
            error.hint = "Stop it first. If it is gone for good, or to fence it, start with --take-over."
            raise
    await _fence(settings)
    # For so long whoever was fenced may answer from memory, in the belief that nobody has written since.
    await asyncio.sleep(settings.ledger.lease_seconds)
    return await Database.open(settings)


async def _fence(settings: DatabaseSettings) -> None:
    holder = await asyncio.to_thread(unlock, settings.location)
    if holder is not None:
        log.warning("store taken over", extra={"holder": holder})
