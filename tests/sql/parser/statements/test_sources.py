from __future__ import annotations

from holdfast.sql.syntax.statement.create import (
    CreateSource,
    CreateWebhook,
    OfTables,
    UpstreamTable,
)
from holdfast.sql.syntax.statement.format import (
    CsvFormat,
    Envelope,
    Formats,
    IncludeHeader,
    IncludeMetadata,
    PlainFormat,
)
from tests.sql.parser.statements.build import name, parsed


def test_sources_keep_all_their_clauses() -> None:
    source = parsed(
        "create source s in cluster c from kafka connection k (topic 't') format csv with 2 columns"
        " include key as k, header 'h' as h bytes envelope upsert for tables (a as b)"
    )
    assert isinstance(source, CreateSource)
    assert source.upstream.kind == "KAFKA"
    assert source.formats == Formats(CsvFormat(2))
    assert source.include == (IncludeMetadata("KEY", "k"), IncludeHeader("h", "h", True))
    assert source.envelope == Envelope("UPSERT")
    assert source.references == OfTables((UpstreamTable(name("a"), name("b")),))
    hook = parsed("create source s from webhook body format json array check (with (secret x as y) a = y)")
    assert isinstance(hook, CreateWebhook)
    assert hook.body == PlainFormat("JSON ARRAY")
    assert hook.check is not None
    assert hook.check.inputs[0].secret == name("x")
