from __future__ import annotations

from holdfast.sql.render import render
from holdfast.sql.syntax.statement.kind import Kind
from holdfast.sql.syntax.statement.privilege import AlterDefaultPrivileges, Grant, GrantRole, OnAll, OnObjects, OnSystem
from tests.sql.parser.statements.build import name, parsed


def test_privileges_are_on_objects_and_roles_are_granted() -> None:
    assert parsed("grant select, insert on t to public") == Grant(
        ("SELECT", "INSERT"), OnObjects(Kind.TABLE, (name("t"),)), ("public",)
    )
    assert parsed("grant all on all tables in schema s to r") == Grant((), OnAll(Kind.TABLE, (name("s"),)), ("r",))
    assert parsed("grant createdb on system to r") == Grant(("CREATEDB",), OnSystem(), ("r",))
    assert parsed('grant "insert", b to c') == GrantRole(("insert", "b"), ("c",))
    assert parsed(render(parsed('grant "insert", b to c'))) == GrantRole(("insert", "b"), ("c",))
    default = parsed("alter default privileges for all roles in database d grant usage on schemas to r")
    assert isinstance(default, AlterDefaultPrivileges)
    assert default.on == OnAll(Kind.SCHEMA, databases=("d",))
