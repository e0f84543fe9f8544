"""The one classic session of a process, shared by all in it who need one.

The first to acquire it starts Spark, and the last to release it stops it, unless Spark ran before them: then it is
someone else's, and stays. A Connect session is not shared, as a process may have many.
"""

from __future__ import annotations

from pathlib import Path
from subprocess import Popen
from threading import Lock

from pyspark import SparkContext
from pyspark.sql import SparkSession

from holdfast.errors import HoldfastError
from holdfast.spark.errors import spark_errors
from holdfast.spark.session import SparkSettings, forget_java, start, stop


class _Classic:
    def __init__(self) -> None:
        self.lock = Lock()
        self.session: SparkSession | None = None
        self.users = 0
        self.is_ours = True


_classic = _Classic()


def acquire(settings: SparkSettings) -> SparkSession:
    """A session, which `release` or `abandon` gives back. It blocks while Spark starts."""
    if settings.is_connect:
        return start(settings)
    with _classic.lock:
        if _classic.session is None:
            _classic.is_ours = SparkSession._instantiatedSession is None
            _classic.session = start(settings)
        _classic.users += 1
        return _classic.session


def release(session: SparkSession, settings: SparkSettings) -> None:
    if settings.is_connect:
        stop(session)
        return
    with _classic.lock:
        if _given_back(session) and _classic.users == 0:
            _classic.session = None
            if _classic.is_ours:
                stop(session)


def abandon(session: SparkSession, settings: SparkSettings) -> None:
    """Give back a session that answers no more, without asking anything of it. The next to acquire one starts Spark."""
    if settings.is_connect:
        session.client.close()
        return
    with _classic.lock:
        if _given_back(session):
            _classic.session, _classic.users = None, 0
            forget_java()


def _given_back(session: SparkSession) -> bool:
    """Whether it was not abandoned before, by another who shared it."""
    if session is not _classic.session:
        return False
    _classic.users -= 1
    return True


def has_ended(session: SparkSession, settings: SparkSettings) -> bool:
    """Whether the session's Java is known to have ended. It takes no time to say, and nothing is asked of it."""
    if settings.is_connect or session is not _classic.session:
        return False
    gateway = SparkContext._gateway
    process: Popen[bytes] | None = None if gateway is None else gateway.proc
    if process is None:
        return False
    return process.poll() is not None or _is_ending(process.pid)


def _is_ending(pid: int) -> bool:
    """Whether a process that was killed is only waiting for the last of its threads, which the system knows sooner."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state in ("Z", "X")


def is_alive(session: SparkSession, settings: SparkSettings) -> bool:
    """Whether the session answers. One that hangs keeps the caller waiting."""
    try:
        with spark_errors():
            if settings.is_connect:
                session.conf.get("spark.sql.session.timeZone")
            else:
                # Asks Java each time, and a context that is stopped refuses.
                session.sparkContext.defaultParallelism  # noqa: B018
    except HoldfastError:
        return False
    return True
