"""What the session and the server know of themselves."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version

from holdfast.adapter.catalog.builtin.functions.visible import Visible
from holdfast.adapter.catalog.builtin.settings import all_settings
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.adapter.catalog.names import IMPLICIT
from holdfast.adapter.catalog.state import TEMPORARY
from holdfast.plan.errors import UndefinedObjectAtRunTime
from holdfast.plan.types import Interval


def schemas(visible: Visible, _: Shown) -> Callable[[bool], tuple[str, ...]]:
    searched = tuple(found.name for found in visible.schemas)
    implicit = (*IMPLICIT, TEMPORARY)
    named = tuple(name for name in searched if name not in implicit or name in visible.names.search_path)
    shown = tuple(name for name in searched if name != TEMPORARY or name in visible.names.search_path)
    return lambda all_: shown if all_ else named


def schema(visible: Visible, shown: Shown) -> Callable[[], str | None]:
    named = schemas(visible, shown)(False)
    return lambda: named[0] if named else None


def setting(_: Visible, shown: Shown) -> Callable[..., str | None]:
    values = {found.name.lower(): found.value for found in all_settings(shown)}

    def of(name: str, missing_ok: bool = False) -> str | None:
        found = values.get(name.lower())
        if found is None and not missing_ok:
            raise UndefinedObjectAtRunTime(f'unrecognized configuration parameter "{name}"')
        return found

    return of


def backend_pid(_: Visible, shown: Shown) -> Callable[[], int]:
    own = shown.introspection.session
    return lambda: own


def is_superuser(_: Visible, shown: Shown) -> Callable[[], bool]:
    own = shown.introspection.role.superuser
    return lambda: own


def start_time(_: Visible, shown: Shown) -> Callable[[], int]:
    started = shown.introspection.started
    return lambda: started


def uptime(_: Visible, shown: Shown) -> Callable[[], Interval]:
    up = shown.introspection.now - shown.introspection.started
    return lambda: Interval(0, 0, up)


def version_number(_visible: Visible, _shown: Shown) -> Callable[[], int]:
    """Of version 1.2.3 it is 100203."""
    major, minor, patch = (int(part) for part in version("holdfast").split(".")[:3])
    number = major * 100_000 + minor * 100 + patch
    return lambda: number


def environment_id(_: Visible, shown: Shown) -> Callable[[], str]:
    own = shown.introspection.environment_id
    return lambda: own


def temporary_schema(_: Visible, shown: Shown) -> Callable[[], int]:
    found = shown.state.schema_named(None, TEMPORARY)
    own = found.oid if found is not None and shown.state.items_of_session(shown.introspection.session) else 0
    return lambda: own
