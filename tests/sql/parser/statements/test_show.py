from __future__ import annotations

from holdfast.sql.syntax.statement.kind import Kind
from holdfast.sql.syntax.statement.show import ShowCreate, ShowLike, ShowObjects, ShowVariable
from tests.sql.parser.statements.build import name, parsed


def test_show_lists_objects_or_a_variable() -> None:
    assert parsed("show indexes on t in cluster c like 'x'") == ShowObjects(
        "INDEXES", None, name("t"), "c", ShowLike("x")
    )
    assert parsed("show redacted create view v") == ShowCreate(Kind.VIEW, name("v"), True)
    assert parsed('show "tables"') == ShowVariable("tables")
    assert parsed("show time zone") == ShowVariable("timezone")
