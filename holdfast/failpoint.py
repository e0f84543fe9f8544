"""Named places where tests make a process die, fail or wait. Production code never installs a hook.

- blob put: `blob_put_before_sync`, `blob_put_after_sync`, `blob_put_after_rename`, `blob_put_done`
- blob delete: `blob_delete_before`, `blob_delete_after`
- metadata commit: `metadata_commit_before`, `metadata_commit_after`
- append: `append_staged`
- merge: `merge_written`, `merge_applied`
- garbage collection: `gc_blob_deleted`
- step of a maintained view: `step_computed`, `step_committed`
"""

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
