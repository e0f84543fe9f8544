from __future__ import annotations

import re
from pathlib import Path

from holdfast.server.http.prometheus import CONTENT_TYPE, Metric, Sources, pgwire_metrics, written
from holdfast.server.pgwire.metrics import PgwireMetrics
from tests.server.http.conftest import Site

SAMPLE = re.compile(r'(\w+)(\{\w+="(?:[^"\\\n]|\\.)*"(?:,\w+="(?:[^"\\\n]|\\.)*")*\})? (-?[0-9.e+-]+|\+Inf|NaN)')


def read(text: str) -> dict[str, float]:
    """Every sample, by its name and labels. Each line must be one, or say what the next ones are."""
    found: dict[str, float] = {}
    for line in text.splitlines():
        if not line.startswith("# HELP ") and not line.startswith("# TYPE "):
            sample = SAMPLE.fullmatch(line)
            assert sample is not None, line
            assert sample[1] + (sample[2] or "") not in found
            found[sample[1] + (sample[2] or "")] = float(sample[3])
    return found


def test_labels_are_escaped() -> None:
    metric = Metric("m", "gauge", "Help.", [("", {"name": 'a"b\\c\nd'}, 1), ("", {}, 0.5)])
    assert written([metric]) == '# HELP m Help.\n# TYPE m gauge\nm{name="a\\"b\\\\c\\nd"} 1\nm 0.5\n'


async def test_metrics_tell_what_the_server_has_done(site: Site) -> None:
    await site.sql('CREATE TABLE "t ""1" (a int)')
    await site.sql('INSERT INTO "t ""1" VALUES (1), (2)')
    await site.sql('SELECT * FROM "t ""1"')
    async with site.client.get(f"{site.url}/metrics") as response:
        assert response.headers["Content-Type"] == CONTENT_TYPE
        samples = read(await response.text())
    (table,) = (item for item in site.database.ledger.catalog.items.values() if item.kind == "table")
    assert samples[f'holdfast_adapter_table_rows{{id="{table.id}",name="t \\"1"}}'] == 2
    assert samples["holdfast_http_statements_total"] == 3
    assert samples["holdfast_http_rows_sent_total"] == 2
    assert samples["holdfast_persist_commits_total"] > 2
    assert samples['holdfast_spark_state{state="idle"}'] == 1
    assert samples["holdfast_adapter_read_ts"] > 1.7e12
    assert samples["holdfast_http_request_seconds_count"] == 3
    assert samples["holdfast_http_logins_failed_total"] == 0
    assert samples["process_resident_memory_bytes"] > 2**20


async def test_metrics_tell_what_views_have_done(site: Site) -> None:
    await site.sql("CREATE TABLE t (a int)")
    await site.sql("CREATE MATERIALIZED VIEW v AS SELECT count(*) FROM t")
    await site.sql("INSERT INTO t VALUES (1), (2)")
    await site.sql("SELECT * FROM v")
    async with site.client.get(f"{site.url}/metrics") as response:
        samples = read(await response.text())
    (view,) = (item for item in site.database.ledger.catalog.items.values() if item.kind == "materialized-view")
    labels = f'{{id="{view.id}",name="v"}}'
    assert samples[f"holdfast_adapter_view_steps_total{labels}"] == 2
    assert samples[f"holdfast_adapter_view_updates_in_total{labels}"] == 2
    assert samples[f"holdfast_adapter_view_failures_total{labels}"] == 0
    assert samples[f"holdfast_adapter_view_lag_seconds{labels}"] == 0
    assert samples["holdfast_adapter_arranged_updates"] > 0
    assert f"holdfast_adapter_table_rows{labels}" in samples


def test_a_histogram_counts_what_is_not_above_each_bound() -> None:
    metrics = PgwireMetrics()
    for seconds in (0.00005, 0.002, 0.002, 100.0):
        metrics.took(seconds)
    metrics.errors["42P01"] += 2
    samples = read(written(pgwire_metrics(metrics)))
    name = "holdfast_pgwire_statement_seconds"
    assert samples[f'{name}_bucket{{le="0.0001"}}'] == 1
    assert samples[f'{name}_bucket{{le="0.0025"}}'] == 3
    assert samples[f'{name}_bucket{{le="10.0"}}'] == 3
    assert samples[f'{name}_bucket{{le="+Inf"}}'] == samples[f"{name}_count"] == 4
    assert samples['holdfast_pgwire_errors_total{code="42P01"}'] == 2


async def test_health_is_told_to_everyone(site: Site) -> None:
    for path, said in (("livez", "alive\n"), ("readyz", "ready\n")):
        async with site.client.get(f"{site.url}/api/{path}") as response:
            assert (response.status, await response.text()) == (200, said)


async def test_the_reference_names_all_metrics(site: Site) -> None:
    reference = (Path(__file__).parent.parent.parent.parent / "docs" / "reference" / "server.md").read_text()
    documented = set(re.findall(r"^\| `(\w+)` \| (?:counter|gauge|histogram)", reference, re.MULTILINE))
    sources = Sources(site.database, site.server.metrics, PgwireMetrics())
    assert documented == {metric.name for metric in sources.metrics()}
