"""Spark's errors as ours.

Spark fails in many shapes: an exception of PySpark, classic or Connect, one
that py4j passed on from Java, a broken socket. Their one common form is text:
a condition in brackets, a message and a SQLSTATE, somewhere between stack
traces. What callers get keeps the three and nothing of Java.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException, PythonException

from holdfast.errors import HoldfastError, UnavailableError


class SparkUnavailable(UnavailableError):
    """Spark is gone, or could not be reached. What it was doing has no effect."""


class SparkJobFailed(HoldfastError):
    """Spark ran, and refused or failed.

    `condition` is Spark's name for what went wrong (`DIVIDE_BY_ZERO`), and
    `sqlstate` the code that belongs to it, where Spark gave them.
    """

    def __init__(self, message: str, condition: str | None = None, sqlstate: str | None = None) -> None:
        super().__init__(message)
        self.condition = condition
        self.sqlstate = sqlstate


class SparkReadFailed(SparkJobFailed):
    """A file could not be read: it is missing, cut short, not what was written, or out of reach just now.

    Spark does not tell these apart for sure. `path` is the file as Spark
    names it, a URL, where Spark named it.
    """

    def __init__(self, message: str, condition: str | None, sqlstate: str | None, path: str | None) -> None:
        super().__init__(message, condition, sqlstate)
        self.path = path


@contextmanager
def spark_errors() -> Iterator[None]:
    """Around calls of Spark: what they raise becomes one of ours."""
    try:
        yield
    except PythonException as error:
        raise SparkJobFailed(_last_line(str(error)), "PYTHON_EXCEPTION", "38000") from error
    except (PySparkException, Py4JJavaError) as error:
        if _is_gone(error):
            raise SparkUnavailable("Spark is gone") from error
        raise _translated(str(error)) from error
    except (Py4JError, ConnectionError, EOFError) as error:
        raise SparkUnavailable("Spark is gone") from error


# What Spark says when it ended under a job, or before, or did not even start.
# A part of a context that is null has been stopped: a job that ends just then trips over it.
GONE = re.compile(
    r"SparkContext was shut ?down|stopped SparkContext|JAVA_GATEWAY_EXITED|INVALID_HANDLE\.SESSION_"
    r"|return value of \S*SparkContext\.\w+\(\)\S* is null"
)
GONE_STATUS = ("UNAVAILABLE", "DEADLINE_EXCEEDED")
CONDITION = re.compile(r"\[([A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*)\]\s+(.*?)\s*(?:SQLSTATE: ([0-9A-Z]{5})|\Z)", re.DOTALL)
READ_CONDITIONS = ("FAILED_READ_FILE", "PATH_NOT_FOUND")
READ_PATH = re.compile(r"(?:reading file|does not exist:) (\S+?)\.?(?:\s|$)")
# `java.io.IOException: `, `org.apache.spark.SparkException`: two or more packages, then a class.
JAVA_NAME = re.compile(r"(?:[a-z]\w*\.){2,}[A-Z][\w$]*:?\s*")
JAVA_FRAME = re.compile(r"^\s+(?:at |\.\.\. \d+ more).*$", re.MULTILINE)


def _is_gone(error: Exception) -> bool:
    # Errors of Connect have a status. Their class would have to be imported, and gRPC with it.
    status = getattr(error, "getGrpcStatusCode", None)
    if status is not None and status().name in GONE_STATUS:
        return True
    return GONE.search(str(error)) is not None


def _translated(text: str) -> SparkJobFailed:
    said = JAVA_FRAME.sub("", text.partition("JVM stacktrace:")[0])
    found = CONDITION.search(said)
    if found is None:
        return SparkJobFailed(_message(_innermost(said)))
    condition, explanation, sqlstate = found.groups()
    if condition.startswith(READ_CONDITIONS):
        path = READ_PATH.search(explanation)
        return SparkReadFailed(_message(explanation), condition, sqlstate, path[1] if path else None)
    return SparkJobFailed(_message(explanation), condition, sqlstate)


def _innermost(text: str) -> str:
    """What the last cause says, of an error without a condition."""
    cause = text.rpartition("Caused by: ")[2]
    # Before the first cause py4j says which of its calls failed.
    return cause.partition("\n: ")[2] or cause


def _last_line(text: str) -> str:
    """The end of a traceback of Python's, where the exception is."""
    return text.partition("SQLSTATE:")[0].rstrip().rpartition("\n")[2]


def _message(explanation: str) -> str:
    """The first sentence, as our messages are: lowercase and without a full stop. Advice comes after it."""
    plain = JAVA_NAME.sub("", explanation).strip()
    sentence = re.split(r"\.(?:\s|$)|\n", plain, maxsplit=1)[0].strip()
    if not sentence:
        return "Spark job failed"
    return sentence if sentence[:2].isupper() else sentence[0].lower() + sentence[1:]
