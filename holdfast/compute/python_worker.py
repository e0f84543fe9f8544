"""A process that runs functions of users for the one that started it: batches come at stdin, answers go to stdout.

It says `READY` when it has begun. A request is the batch to run, pickled, and the columns as a stream of Arrow's; an
answer is such a stream, of values and errors. Answers are never pickled, since what runs here may write what it likes.
The process ends with its stdin, and when the one that started it is gone.
"""

from __future__ import annotations

import importlib
import os
import pickle
import struct
import sys
import threading
import time
from typing import IO

import pyarrow as pa

READY = b"ready"
LENGTH = struct.Struct("<Q")
_WATCH_SECONDS = 1.0


def send(pipe: IO[bytes], *parts: bytes | pa.Buffer) -> None:
    for part in parts:
        pipe.write(LENGTH.pack(len(part)))
        pipe.write(part)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes:
    """One part; EOFError if there is none any more."""
    (length,) = LENGTH.unpack(_exactly(pipe, LENGTH.size))
    return _exactly(pipe, length)


def _exactly(pipe: IO[bytes], length: int) -> bytes:
    found = pipe.read(length)
    if len(found) < length:
        raise EOFError
    return found


def packed(columns: list[pa.Array], rows: int) -> pa.Buffer:
    """Columns of this many rows. They are counted by one more, as there may be none."""
    counted = pa.nulls(rows)
    batch = pa.record_batch([counted, *columns], names=[str(index) for index in range(len(columns) + 1)])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue()


def unpacked(part: bytes) -> list[pa.Array]:
    """The same, the one that counts among them."""
    (batch,) = pa.ipc.open_stream(part)
    return list(batch.columns)


def _serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    while True:
        try:
            batch, counted = pickle.loads(receive(requests)), unpacked(receive(requests))
        except EOFError:
            return
        columns = counted[1:] or counted
        send(answers, packed([batch(*columns)], len(counted[0])))


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_WATCH_SECONDS)
    os._exit(0)


def main() -> None:
    # What functions print must not get among the answers.
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    importlib.import_module("holdfast.compute.evaluate.batch")  # what all requests need, before the first comes
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()
    send(answers, READY)
    _serve(requests, answers)


if __name__ == "__main__":
    main()
    sys.exit(0)
