"""Blobs: immutable bytes by key, where the parts of shards are kept.

A key is written once, as a whole, and is durable when `put` returns; it never
changes until it is deleted. Which keys matter is for the metadata to say: it
names a key only after the put returned, so a crash leaves blobs that nobody
names, never names without a blob.

Three stores keep the same contract: memory, a local folder and S3.
"""

from holdfast.persist.blob.contract import Blob, BlobMeta, BlobUnavailable
from holdfast.persist.blob.location import BlobLocation, open_blob

__all__ = ["Blob", "BlobLocation", "BlobMeta", "BlobUnavailable", "open_blob"]
