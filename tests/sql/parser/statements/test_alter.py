from __future__ import annotations

from holdfast.sql.syntax.expression import StringLiteral
from holdfast.sql.syntax.option import Option, Phrase
from holdfast.sql.syntax.statement.alter import (
    AlterConnection,
    DropConnectionOption,
    Rename,
    SetConnectionOption,
    SetOptions,
)
from holdfast.sql.syntax.statement.drop import Drop
from holdfast.sql.syntax.statement.kind import Kind
from tests.sql.parser.statements.build import name, parsed


def test_alter_and_drop_name_a_kind_of_object() -> None:
    assert parsed("alter view if exists v rename to w") == Rename(Kind.VIEW, name("v"), "w", True)
    assert parsed("alter table t set (retain history = for '1h')") == SetOptions(
        Kind.TABLE, name("t"), (Option("RETAIN HISTORY", Phrase("FOR", (StringLiteral("1h"),))),)
    )
    assert parsed("alter connection c set (host 'h'), drop (ssl key), reset (port)") == AlterConnection(
        name("c"),
        (
            SetConnectionOption(Option("HOST", StringLiteral("h"))),
            DropConnectionOption("SSL KEY"),
            DropConnectionOption("PORT"),
        ),
    )
    assert parsed("drop user if exists r") == Drop(Kind.ROLE, (name("r"),), True)
