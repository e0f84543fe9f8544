from __future__ import annotations

from holdfast.sql.syntax.statement.create import (
    CreateSink,
    SinkKey,
)
from holdfast.sql.syntax.statement.format import (
    Envelope,
)
from tests.sql.parser.statements.build import parsed


def test_sinks_need_no_name() -> None:
    sink = parsed(
        "create sink from m into kafka connection k (topic 't') key (a) not enforced format json envelope debezium"
    )
    assert isinstance(sink, CreateSink)
    assert (sink.name, sink.key, sink.envelope) == (None, SinkKey(("a",), False), Envelope("DEBEZIUM"))
