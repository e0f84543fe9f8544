from __future__ import annotations

from holdfast.sql.syntax.expression import IntegerLiteral
from holdfast.sql.syntax.option import Option, ValueList
from holdfast.sql.syntax.statement.create import (
    CreateTable,
    CreateTableFromSource,
    TableConstraint,
)
from tests.sql.parser.statements.build import name, parsed


def test_tables_have_columns_or_a_source() -> None:
    table = parsed("create table t (a int not null default 1 unique, b text, primary key (a, b))")
    assert isinstance(table, CreateTable)
    assert [(column.name, column.nullable, column.default) for column in table.columns] == [
        ("a", False, IntegerLiteral(1)),
        ("b", True, None),
    ]
    assert table.constraints == (TableConstraint("UNIQUE", ("a",)), TableConstraint("PRIMARY KEY", ("a", "b")))
    ours = parsed("create table t from source s (reference x.y) with (text columns (a, b))")
    assert isinstance(ours, CreateTableFromSource)
    assert ours.reference == name("x", "y")
    assert ours.options == (Option("TEXT COLUMNS", ValueList((name("a"), name("b")))),)
