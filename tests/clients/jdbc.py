"""pgjdbc in a Java of its own, called from here by py4j: both are where Spark is."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyspark
from py4j.java_gateway import JavaGateway

from holdfast.spark.java import JavaUnavailable, java_home

GROUP, ARTIFACT, VERSION = "org.postgresql", "postgresql", "42.7.4"
_SECONDS = 120
_JARS = Path(pyspark.__file__).parent / "jars"


class Unavailable(Exception):
    """Why there is no pgjdbc here."""


def pgjdbc_jar(folder: Path) -> Path:
    """The driver, from the folder, where Ivy puts it first if it is not there."""
    jar = folder / f"{ARTIFACT}-{VERSION}.jar"
    if not jar.exists():
        (ivy,) = _JARS.glob("ivy-*.jar")
        wanted = ("-notransitive", "-dependency", GROUP, ARTIFACT, VERSION, "-confs", "default")
        place = ("-cache", str(folder / "ivy"), "-retrieve", f"{folder}/[artifact]-[revision].[ext]")
        try:
            subprocess.run(
                [_java(), "-jar", str(ivy), *wanted, *place], capture_output=True, timeout=_SECONDS, check=True
            )
        except (subprocess.SubprocessError, OSError) as error:
            raise Unavailable(f"pgjdbc cannot be fetched: {error}") from error
    if not jar.exists():
        raise Unavailable("pgjdbc cannot be fetched: no repository has it")
    return jar


def _java() -> str:
    try:
        return str(java_home() / "bin" / "java")
    except JavaUnavailable as error:
        raise Unavailable(str(error)) from error


@contextmanager
def running_java(jar: Path) -> Iterator[Any]:  # py4j has no types
    """What reaches the classes of a Java that has the driver."""
    (bridge,) = _JARS.glob("py4j-*.jar")
    gateway = JavaGateway.launch_gateway(
        classpath=str(jar), jarpath=str(bridge), java_path=_java(), die_on_exit=True, enable_auth=True
    )
    try:
        yield gateway.jvm
    finally:
        gateway.shutdown()
        gateway.java_process.stdin.close()
        gateway.java_process.wait(_SECONDS)
