"""IN CLUSTER and SET CLUSTER: there is one cluster, which all is in."""

from __future__ import annotations

from holdfast.adapter.catalog.ddl.target import target_of
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.privileges import require_owner
from holdfast.adapter.catalog.state import CLUSTER
from holdfast.sql.errors import UndefinedObject, WrongObjectType
from holdfast.sql.syntax.statement.alter import ChangeCluster


def cluster_of(name: str | None, location: int) -> str:
    """The cluster of an object that is made, given what its statement says."""
    if name not in (None, CLUSTER):
        raise UndefinedObject(f"unknown cluster '{name}'", location)
    return CLUSTER


def change_cluster(statement: ChangeCluster, work: Work) -> None:
    found = target_of(work, statement.kind, statement.name, skip=statement.if_exists)
    if found is None:
        return
    if not isinstance(found, Item) or found.kind != "materialized-view":
        raise WrongObjectType(f"ALTER {statement.kind.value} ... SET CLUSTER is not supported", statement.location)
    require_owner(work.state, work.role, found)
    cluster_of(statement.cluster, statement.location)
