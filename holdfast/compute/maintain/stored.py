"""What is stored of views that there are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from holdfast.compute.maintain.collection import Ending
from holdfast.compute.maintain.names import errors_of, is_ours, output_of, owner_of, states_of
from holdfast.compute.maintain.view import ViewDescription
from holdfast.errors import DataCorruption
from holdfast.persist import Persist, WriteHandle
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId


@dataclass(frozen=True, slots=True)
class StoredView:
    """The collections of a view, by their names."""

    id: GlobalId
    collections: dict[str, WriteHandle] = field(default_factory=dict)

    @property
    def output(self) -> WriteHandle:
        """Its rows."""
        found = self.collections.get(output_of(self.id))
        if found is None:
            raise DataCorruption(f"view {self.id} is in the catalog, but nothing is stored of it")
        return found

    @property
    def errors(self) -> WriteHandle | None:
        """When it errs; None if it never did."""
        return self.collections.get(errors_of(self.id))

    @property
    def done(self) -> Timestamp | None:
        """The last time that rows were written for. None: none were."""
        return _last(self.output)

    @property
    def errs_until(self) -> Timestamp | None:
        """The last time for which it was written whether it errs. None: it never was."""
        return None if self.errors is None else _last(self.errors)


async def find(
    persist: Persist, ending: Ending, views: Iterable[ViewDescription], others: Collection[GlobalId]
) -> Mapping[GlobalId, StoredView]:
    """What there is of views, and of `others` that nothing else is known of. What is left of all else is ended."""
    views = list(views)
    known = [name for view in views for name in (output_of(view.id), errors_of(view.id), *states_of(view).values())]
    found = {str(id): StoredView(id) for id in (*(view.id for view in views), *others)}
    if others:
        kept = set(map(str, others))
        known += [name for name in await persist.names() if owner_of(name) in kept]
    for name, handle in (await persist.writers(known)).items():
        owner = owner_of(name)
        assert owner is not None  # it is called as those of views are
        found[owner].collections[name] = handle
    await ending.end_strays(is_ours, known)
    return {stored.id: stored for stored in found.values()}


def _last(handle: WriteHandle) -> Timestamp | None:
    """The last time up to which something was written. None: nothing was."""
    return Timestamp(handle.upper.time - 1) if handle.upper.time else None
