"""Garbage collection: deleting the blobs that no one can need.

Two kinds of garbage. *Retired* parts were named by earlier versions of a
shard; they go once no lease protects those versions: first the blob, then
the row that remembers it, so that a collection interrupted anywhere is
simply run again. *Leaked* blobs were written and never committed: their
epoch is over, or their stage is not in hand any more.
"""

from __future__ import annotations

from collections.abc import Collection

from holdfast.failpoint import reach
from holdfast.persist.blob import Blob, BlobMeta
from holdfast.persist.blob.key import is_leftover
from holdfast.persist.encoding import Stage
from holdfast.persist.metadata import Metadata
from holdfast.persist.shard import Retired


def delete_retired(blob: Blob, retired: Retired) -> str:
    """Delete a retired part; returns its key, to be forgotten next."""
    blob.delete(retired.part.key)
    reach("gc_blob_deleted")
    return retired.part.key


def leaked(blob: Blob, metadata: Metadata, epoch: int, in_hand: Collection[str]) -> list[BlobMeta]:
    """Blobs that no version names and no writer of `epoch` will ever commit.

    The order matters: what is listed was put before; if its stage then is not in hand, it was committed or given up
    before; so the metadata, read last, names it if anyone ever will. `in_hand` is therefore read once, in between.
    """
    listed = [*blob.list(""), *blob.list_leftovers()]
    still_in_hand = frozenset(in_hand)
    named = known_keys(metadata)
    return [meta for meta in listed if meta.key not in named and _over(meta.key, epoch, still_in_hand)]


def known_keys(metadata: Metadata) -> set[str]:
    """The keys of all blobs that some shard names or remembers."""
    states = metadata.load([summary.id for summary in metadata.summaries()]).values()
    keys = {key for state in states for key, part in state.named_parts().items() if part.inline is None}
    return keys | {retired.part.key for state in states for retired in state.retired}


def _over(key: str, epoch: int, in_hand: Collection[str]) -> bool:
    """Whether the stage of a part's key can no longer be committed. Keys that are not a part's are none of ours."""
    part_key = key.rpartition(".tmp-")[0] if is_leftover(key) else key
    stage = Stage.of_key(part_key)
    if stage is None:
        return False
    name = part_key.removeprefix(stage.key("").removesuffix(".parquet")).removesuffix(".parquet")
    if not name.isalnum():
        return False
    return stage.epoch < epoch or (stage.epoch == epoch and stage.id not in in_hand)
