"""Looking at a store: its collections, frontiers, batches, parts and leases, as tables of text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from holdfast.persist.batch import bounded
from holdfast.persist.metadata import Metadata
from holdfast.persist.settings import wall_clock_ms
from holdfast.persist.shard import Reader, ShardState


@dataclass(frozen=True, slots=True)
class TextTable:
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        widths = [max(len(cell) for cell in column) for column in zip(self.header, *self.rows, strict=True)]
        lines = [self.title, _line(self.header, widths), "  ".join("-" * width for width in widths)]
        return "\n".join([*lines, *(_line(row, widths) for row in self.rows)])


def store_table(metadata: Metadata) -> TextTable:
    store = metadata.store()
    holder = store.lock.holder if store.lock else "nobody"
    rows = (
        ("encoding version", str(store.encoding_version)),
        ("commits", str(store.version)),
        ("writer epoch", str(store.epoch)),
        ("locked by", holder),
    )
    return TextTable(f"store {metadata.url}", ("", ""), rows)


def collections_table(metadata: Metadata) -> TextTable:
    states = metadata.load([summary.id for summary in metadata.summaries()])

    return TextTable("collections", _HEAD, tuple(_summary(state) for _, state in sorted(states.items())))


def collection_tables(state: ShardState) -> list[TextTable]:
    """One collection in detail."""
    batches = [
        (
            str(batch.lower),
            str(end),
            str(batch.since),
            str(len(batch.parts)),
            str(batch.rows),
            _size(batch.size),
        )
        for batch, end in bounded(state.batches, state.upper)
    ]
    parts = [
        (
            part.key,
            "unsealed" if part in state.unsealed else "sealed",
            f"{part.min_time}..{part.max_time}",
            str(part.rows),
            str(part.sums.diffs),
            _size(part.size),
            "blobs" if part.inline is None else "metadata",
            part.sha256[:12],
        )
        for part in state.named_parts().values()
    ]
    parts += [
        (r.part.key, f"retired at {r.seqno}", "", str(r.part.rows), "", _size(r.part.size), "blobs", "")
        for r in state.retired
    ]
    columns = [(field.name, str(field.type), "yes" if field.nullable else "no") for field in state.row_type.schema]
    return [
        TextTable(f'collection "{state.name}" (shard {state.id}, version {state.seqno})', _HEAD, (_summary(state),)),
        TextTable("columns", ("name", "type", "nullable"), tuple(columns)),
        TextTable("batches", ("lower", "upper", "compacted to", "parts", "updates", "bytes"), tuple(batches)),
        TextTable("parts", ("key", "state", "times", "updates", "diffs", "bytes", "in", "sha256"), tuple(parts)),
        TextTable("holds", ("reader", "since", "lease ends in", "protects from", "label"), _holds(state.readers)),
    ]


_HEAD = ("id", "collection", "since", "upper", "batches", "parts", "updates", "bytes", "garbage", "readers")


def _summary(state: ShardState) -> tuple[str, ...]:
    parts = state.named_parts().values()
    return (
        str(state.id),
        f"{state.name} (finalized)" if state.finalized else state.name,
        str(state.since),
        str(state.upper),
        str(len(state.batches)),
        str(len(parts)),
        str(sum(part.rows for part in parts)),
        _size(sum(part.size for part in parts)),
        str(len(state.retired)),
        str(len(state.readers)),
    )


def _holds(readers: Iterable[Reader]) -> tuple[tuple[str, ...], ...]:
    now = wall_clock_ms()
    return tuple(
        (
            reader.id,
            str(reader.since),
            f"{(reader.lease.expires_at - now) / 1000:.0f} s" if reader.lease else "never",
            f"version {reader.lease.seqno}" if reader.lease else "",
            reader.label,
        )
        for reader in readers
    )


def _size(size: int) -> str:
    value, unit = float(size), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if value < 1024 or unit == "TiB":
            break
        value /= 1024
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
