"""Which function decides which statement, and what the client is told when it is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from holdfast.adapter.catalog.ddl.clusters import change_cluster
from holdfast.adapter.catalog.ddl.comments import comment
from holdfast.adapter.catalog.ddl.containers import create_database, create_schema
from holdfast.adapter.catalog.ddl.default_privileges import alter_default_privileges
from holdfast.adapter.catalog.ddl.drop import ITEM_KINDS, drop, drop_all
from holdfast.adapter.catalog.ddl.functions import create_function, drop_functions
from holdfast.adapter.catalog.ddl.grants import grant, revoke
from holdfast.adapter.catalog.ddl.indexes import create_index
from holdfast.adapter.catalog.ddl.materialized_views import create_materialized_view
from holdfast.adapter.catalog.ddl.options import reset_options, set_options
from holdfast.adapter.catalog.ddl.owners import change_owner, drop_owned, reassign_owned
from holdfast.adapter.catalog.ddl.rename import change_schema, rename, swap
from holdfast.adapter.catalog.ddl.roles import alter_role, create_role, drop_roles, grant_role, revoke_role
from holdfast.adapter.catalog.ddl.settings import alter_system
from holdfast.adapter.catalog.ddl.tables import add_column, create_table
from holdfast.adapter.catalog.ddl.types import create_type
from holdfast.adapter.catalog.ddl.views import create_view
from holdfast.adapter.catalog.ddl.work import CheckedParameter, Work
from holdfast.adapter.catalog.decision import Decision
from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.catalog.objects import Role
from holdfast.adapter.catalog.state import SYSTEM, CatalogState
from holdfast.sql.errors import NotSupported, StatementTooComplex, UndefinedObject
from holdfast.sql.parser.nesting import MAX_DEPTH
from holdfast.sql.syntax import statement as syntax
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.statement import alter, create, inspect, privilege
from holdfast.sql.syntax.statement import drop as dropping
from holdfast.sql.syntax.statement.kind import Kind

_Decide: TypeAlias = Callable[[Any, Work], None]  # each takes the class it stands beside

_DECIDE: Mapping[type[Node], tuple[str | None, _Decide]] = {
    create.CreateDatabase: ("CREATE DATABASE", create_database),
    create.CreateSchema: ("CREATE SCHEMA", create_schema),
    create.CreateTable: ("CREATE TABLE", create_table),
    create.CreateView: ("CREATE VIEW", create_view),
    create.CreateMaterializedView: ("CREATE MATERIALIZED VIEW", create_materialized_view),
    create.CreateIndex: ("CREATE INDEX", create_index),
    create.CreateType: ("CREATE TYPE", create_type),
    create.CreateFunction: ("CREATE FUNCTION", create_function),
    create.CreateRole: ("CREATE ROLE", create_role),
    alter.Rename: (None, rename),
    alter.Swap: (None, swap),
    alter.ChangeSchema: (None, change_schema),
    alter.ChangeOwner: (None, change_owner),
    alter.ChangeCluster: (None, change_cluster),
    alter.SetOptions: (None, set_options),
    alter.ResetOptions: (None, reset_options),
    alter.AddColumn: ("ALTER TABLE", add_column),
    alter.AlterRole: ("ALTER ROLE", alter_role),
    alter.AlterSystem: ("ALTER SYSTEM", alter_system),
    dropping.DropFunctions: ("DROP FUNCTION", drop_functions),
    dropping.DropOwned: ("DROP OWNED", drop_owned),
    dropping.ReassignOwned: ("REASSIGN OWNED", reassign_owned),
    privilege.Grant: ("GRANT", grant),
    privilege.Revoke: ("REVOKE", revoke),
    privilege.GrantRole: ("GRANT ROLE", grant_role),
    privilege.RevokeRole: ("REVOKE ROLE", revoke_role),
    privilege.AlterDefaultPrivileges: ("ALTER DEFAULT PRIVILEGES", alter_default_privileges),
    inspect.Comment: ("COMMENT", comment),
}
"""By the class of the statement. Without a tag, it is ALTER and the kind of object."""

_KINDS = frozenset({Kind.DATABASE, Kind.SCHEMA, Kind.ROLE, *ITEM_KINDS})

_NOT_YET: Mapping[type[Node], str] = {
    create.CreateTableFromSource: "CREATE TABLE ... FROM SOURCE",
    create.CreateSecret: "CREATE SECRET",
    create.CreateCluster: "CREATE CLUSTER",
    create.CreateClusterReplica: "CREATE CLUSTER REPLICA",
    create.CreateNetworkPolicy: "CREATE NETWORK POLICY",
    create.CreateConnection: "CREATE CONNECTION",
    create.CreateSource: "CREATE SOURCE",
    create.CreateWebhook: "CREATE ... FROM WEBHOOK",
    create.CreateSink: "CREATE SINK",
    alter.AlterConnection: "ALTER CONNECTION",
    alter.RotateKeys: "ALTER CONNECTION ... ROTATE KEYS",
    alter.ApplyReplacement: "ALTER MATERIALIZED VIEW ... APPLY REPLACEMENT",
    alter.AddSubsources: "ALTER SOURCE ... ADD SUBSOURCE",
    alter.RefreshReferences: "ALTER SOURCE ... REFRESH REFERENCES",
    alter.SetSinkFrom: "ALTER SINK ... SET FROM",
    alter.AlterSecret: "ALTER SECRET",
}


def as_written(name: str, values: Sequence[str]) -> tuple[str, str]:
    """Parameters that nobody checks."""
    return name.lower(), ", ".join(values)


def decide(
    statement: syntax.Statement, names: SessionNames, role: Role, checked: CheckedParameter = as_written
) -> Decision:
    """What the statement, run by the role, comes to. `checked` knows the parameters that there are."""
    current = names.state.roles.get(role.id)
    if current is None:
        raise UndefinedObject(f'role "{role.name}" does not exist')
    work = Work(names, current, checked)
    try:
        tag = _decided(statement, work)
    except RecursionError:
        raise StatementTooComplex(MAX_DEPTH) from None
    return work.decided(tag)


def _decided(statement: syntax.Statement, work: Work) -> str:
    kind: object = getattr(statement, "kind", None)
    if isinstance(kind, Kind) and kind not in _KINDS:
        word = {dropping.Drop: "DROP", inspect.Comment: "COMMENT ON"}.get(type(statement), "ALTER")
        raise NotSupported(f"{word} {kind.value} is not supported yet", statement.location)
    if isinstance(statement, dropping.Drop):
        (drop_roles if statement.kind is Kind.ROLE else drop)(statement, work)
        return f"DROP {statement.kind.value}"
    if type(statement) not in _DECIDE:
        shown = _NOT_YET.get(type(statement), type(statement).__name__)
        raise NotSupported(f"{shown} is not supported yet", statement.location)
    tag, function = _DECIDE[type(statement)]
    function(statement, work)
    return tag or f"ALTER {kind.value}" if isinstance(kind, Kind) else tag or ""


def session_ended(state: CatalogState, session: int) -> Decision:
    """The temporary items of a session are no more, and neither is what depends on them."""
    names = SessionNames(state, "", (), session)
    work = Work(names, state.roles[SYSTEM], as_written)
    drop_all(work, state.items_of_session(session), cascade=True, quiet=True)
    return work.decided("DISCARD TEMP")
