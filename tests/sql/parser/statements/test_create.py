from __future__ import annotations

from holdfast.sql.syntax.expression import BooleanLiteral, Column, StringLiteral
from holdfast.sql.syntax.option import Broker, Brokers, Option, OptionGroup, Phrase, SecretReference
from holdfast.sql.syntax.statement.create import (
    CreateCluster,
    CreateConnection,
    CreateIndex,
    CreateMaterializedView,
)
from tests.sql.parser.statements.build import name, parsed


def test_materialized_views_and_indexes_have_clusters_and_options() -> None:
    view = parsed("create materialized view m in cluster c with (refresh every '1 day', assert not null a) as select 1")
    assert isinstance(view, CreateMaterializedView)
    assert view.cluster == "c"
    assert view.options == (
        Option("REFRESH", Phrase("EVERY", (StringLiteral("1 day"),))),
        Option("ASSERT NOT NULL", name("a")),
    )
    assert parsed("create default index on t") == CreateIndex(name("t"), None)
    assert parsed("create index i in cluster c on t (a)") == CreateIndex(name("t"), (Column(("a",)),), "i", "c")


def test_connections_keep_brokers_and_secrets() -> None:
    kafka = parsed(
        "create connection k to kafka (brokers ('a' using ssh tunnel t), sasl password secret s) with (validate false)"
    )
    assert kafka == CreateConnection(
        name("k"),
        "KAFKA",
        (
            Option("BROKERS", Brokers((Broker("a", False, "SSH TUNNEL", name("t")),))),
            Option("SASL PASSWORD", SecretReference(name("s"))),
        ),
        (Option("VALIDATE", BooleanLiteral(False)),),
    )


def test_clusters_may_have_a_schedule() -> None:
    schedule = Option(
        "SCHEDULE", Phrase("ON REFRESH", (OptionGroup((Option("HYDRATION TIME ESTIMATE", StringLiteral("1h")),)),))
    )
    assert parsed("create cluster c (size 's', schedule = on refresh (hydration time estimate '1h'))") == CreateCluster(
        "c", (Option("SIZE", StringLiteral("s")), schedule)
    )
