"""Named places where tests make a process die, fail or wait. Production code never installs a hook."""

from __future__ import annotations

from collections.abc import Callable

_hook: Callable[[str], None] | None = None


def install(hook: Callable[[str], None] | None) -> None:
    """Call `hook` with the name of every place reached from now on; None takes it away."""
    global _hook
    _hook = hook


def reach(name: str) -> None:
    if _hook is not None:
        _hook(name)
