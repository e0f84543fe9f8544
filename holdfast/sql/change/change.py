"""A change of rows, planned: the rows that go and come, and what is told of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from holdfast.plan.relation import Plan
from holdfast.plan.types import Type
from holdfast.sql.catalog import CatalogRelation
from holdfast.sql.plan import Planned

RETURNING: Final = "RETURNING"
"""What the plan of a RETURNING list gets the rows by that it is about."""

ChangeKind: TypeAlias = Literal["insert", "update", "delete"]


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """A change of the rows of `table`.

    - The rows of `plan` are: for an insert the new rows; for an update the old rows, each beside its new one; for a
      delete the old rows. Every value has the type of its column; whether it may be null is not looked at.
    - `returning` reads the columns `returned` of `plan` as `Get(RETURNING)`: the new rows, or for a delete the old
      ones, followed by what the list wants of the other relations of the statement. If it has queries inside, they
      read other relations too, as they were before the change.
    - `is_constant` is an insert that reads no relation, so that it is the same whenever it runs.
    """

    kind: ChangeKind
    table: CatalogRelation
    plan: Plan
    parameters: tuple[Type, ...]
    returning: Planned | None
    is_constant: bool

    @property
    def returned(self) -> range:
        """Which columns of `plan` the RETURNING list is about."""
        first = len(self.table.columns) if self.kind == "update" else 0
        return range(first, len(self.plan.names))
