"""Statements: one module for each group of them, and `Statement`, which is any of them.

DDL that is the same for several kinds of object is one statement with a
`kind`, so that what can be said of each kind stands in a table, not in a class.
"""

from __future__ import annotations

from holdfast.sql.syntax.statement.alter import Alter
from holdfast.sql.syntax.statement.copy import CopyFrom, CopyTo
from holdfast.sql.syntax.statement.create import Create
from holdfast.sql.syntax.statement.cursor import Close, Declare, Fetch
from holdfast.sql.syntax.statement.dml import Delete, Insert, SelectStatement, Update
from holdfast.sql.syntax.statement.drop import Drop, DropFunctions, DropOwned, ReassignOwned
from holdfast.sql.syntax.statement.explain import Explain
from holdfast.sql.syntax.statement.inspect import Comment, Inspect, UnitTest, ValidateConnection, Verify
from holdfast.sql.syntax.statement.prepared import Deallocate, Execute, Prepare
from holdfast.sql.syntax.statement.privilege import AlterDefaultPrivileges, Grant, GrantRole, Revoke, RevokeRole
from holdfast.sql.syntax.statement.session import Discard, ResetVariable, SetTransaction, SetVariable, Unlisten
from holdfast.sql.syntax.statement.show import Show
from holdfast.sql.syntax.statement.subscribe import Subscribe
from holdfast.sql.syntax.statement.transaction import Begin, Commit, Rollback, Savepoint

Statement = (
    SelectStatement
    | Insert
    | Update
    | Delete
    | Subscribe
    | Declare
    | Fetch
    | Close
    | CopyFrom
    | CopyTo
    | Create
    | Alter
    | Drop
    | DropFunctions
    | DropOwned
    | ReassignOwned
    | Show
    | SetVariable
    | ResetVariable
    | SetTransaction
    | Discard
    | Unlisten
    | Explain
    | Verify
    | Inspect
    | UnitTest
    | ValidateConnection
    | Comment
    | Begin
    | Commit
    | Rollback
    | Savepoint
    | Grant
    | Revoke
    | GrantRole
    | RevokeRole
    | AlterDefaultPrivileges
    | Prepare
    | Execute
    | Deallocate
)
