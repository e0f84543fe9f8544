from __future__ import annotations

from holdfast.sql.syntax.expression import StringLiteral
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.statement.copy import CopyFrom, CopyTo
from holdfast.sql.syntax.statement.subscribe import Subscribe
from tests.sql.parser.statements.build import name, parsed


def test_copy_goes_both_ways() -> None:
    csv = (Option("FORMAT", name("csv")), Option("HEADER"))
    assert parsed("copy t (a) from stdin with (format csv, header)") == CopyFrom(name("t"), ("a",), None, csv)
    out = parsed("copy (subscribe t) to 's3://b' with (aws connection = c)")
    assert out == CopyTo(Subscribe(name("t")), (), StringLiteral("s3://b"), (Option("AWS CONNECTION", name("c")),))
