from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import fields
from pathlib import Path

import pytest

from holdfast.adapter.client_errors import SettingInvalid
from holdfast.server.settings import (
    SETTINGS,
    Address,
    ServerSettings,
    add_flags,
    default_text,
    read_settings,
    settings_table,
)


def settings(*flags: str, **environment: str) -> ServerSettings:
    parser = ArgumentParser()
    add_flags(parser)
    return read_settings(parser.parse_args(flags), environment)


def in_file(folder: Path, text: str) -> str:
    path = folder / "holdfast.toml"
    path.write_text(text)
    return str(path)


def test_every_setting_is_described_and_has_its_flag() -> None:
    assert list(SETTINGS) == [each.name for each in fields(ServerSettings)]
    parser = ArgumentParser()
    add_flags(parser)
    shown = parser.format_help()
    for name in SETTINGS:
        assert f"--{name.replace('_', '-')}" in shown


def test_what_nobody_says_is_the_default() -> None:
    found = settings()
    assert found == ServerSettings()
    assert (found.data_dir, str(found.listen), str(found.http)) == (
        Path("holdfast-data"),
        "127.0.0.1:6875",
        "127.0.0.1:6876",
    )


def test_a_default_is_written_as_one_would_write_it() -> None:
    for name, setting in SETTINGS.items():
        text = default_text(name)
        if text:
            assert setting.read(text) == getattr(ServerSettings(), name)


def test_flags_are_before_the_environment_and_that_is_before_the_file(tmp_path: Path) -> None:
    file = 'listen = "1.1.1.1:1"\nhttp = "1.1.1.1:2"\nspark_master = "yarn"\n'
    found = settings(
        "--listen",
        "[::1]:3",
        HOLDFAST_CONFIG=in_file(tmp_path, file),
        HOLDFAST_LISTEN="a:1",
        HOLDFAST_HTTP="b:4",
    )
    assert (found.listen, found.http, found.spark_master) == (Address("::1", 3), Address("b", 4), "yarn")
    assert str(found.listen) == "[::1]:3"


def test_values_of_each_kind_are_the_same_in_the_environment_and_in_the_file(tmp_path: Path) -> None:
    file = """
data_dir = "~/there"
http = false
take_over = true
max_connections = 7
memory = "2GB"
spark_jars = ["a.jar", "b.jar"]
log_level = "debug"
[spark_conf]
"spark.ui.port" = 4041
"spark.a" = "b"
"""
    by_file = settings("--config", in_file(tmp_path, file))
    by_environment = settings(
        HOLDFAST_DATA_DIR="~/there",
        HOLDFAST_HTTP="off",
        HOLDFAST_TAKE_OVER="yes",
        HOLDFAST_MAX_CONNECTIONS="7",
        HOLDFAST_MEMORY="2 gb",
        HOLDFAST_SPARK_JARS="a.jar, b.jar",
        HOLDFAST_LOG_LEVEL="debug",
        HOLDFAST_SPARK_CONF='{"spark.ui.port": 4041, "spark.a": "b"}',
    )
    assert by_file == by_environment
    assert by_file.data_dir == Path.home() / "there"
    assert (by_file.http, by_file.take_over, by_file.memory) == (None, True, 2 << 30)
    assert by_file.spark.conf == {"spark.ui.port": "4041", "spark.a": "b"}
    assert by_file.spark.jars == ("a.jar", "b.jar")


def test_a_flag_can_be_taken_back() -> None:
    assert settings("--no-take-over", HOLDFAST_TAKE_OVER="1").take_over is False


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("LISTEN", "nowhere"),
        ("LISTEN", "host:70000"),
        ("LISTEN", ":1"),
        ("TAKE_OVER", "perhaps"),
        ("MAX_CONNECTIONS", "0"),
        ("MAX_CONNECTIONS", "-1"),
        ("MEMORY", "much"),
        ("SPARK_CONF", "{"),
        ("SPARK_CONF", "[]"),
        ("AUTHENTICATION", "kerberos"),
        ("LOG_LEVEL", "INFO!"),
    ],
)
def test_a_value_that_cannot_be_is_refused_without_repeating_it(variable: str, value: str) -> None:
    with pytest.raises(SettingInvalid, match=f"the value of HOLDFAST_{variable} is wrong: it is n") as caught:
        settings(**{f"HOLDFAST_{variable}": value})
    assert value not in str(caught.value).partition(" is wrong: ")[0]


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("listen = 5\n", "the value of listen in .* is wrong: it is not text"),
        ("lisen = 'a:1'\n", 'there is no setting "lisen"'),
        ("listen\n", "is not TOML"),
        ("max_connections = true\n", "it is not a positive number"),
    ],
)
def test_a_file_that_is_wrong_says_where(tmp_path: Path, file: str, message: str) -> None:
    with pytest.raises(SettingInvalid, match=message):
        settings("--config", in_file(tmp_path, file))


def test_a_file_that_is_not_there_is_an_error() -> None:
    with pytest.raises(SettingInvalid, match="cannot be read: No such file or directory"):
        settings("--config", "/no/such/file")


def test_secrets_are_not_shown() -> None:
    found = settings(
        HOLDFAST_METADATA="postgresql://me:hush@there/db",
        HOLDFAST_BLOB="s3://bucket",
        HOLDFAST_BLOB_OPTIONS='{"aws_secret_access_key": "hush"}',
        HOLDFAST_SPARK_CONF='{"spark.hadoop.fs.s3a.secret.key": "hush"}',
    )
    assert "hush" not in repr(found)
    assert "hush" not in repr(found.location)
    assert found.location.blob.options == {"aws_secret_access_key": "hush"}


def test_the_reference_has_all_settings() -> None:
    reference = Path(__file__).parent.parent.parent / "docs" / "reference" / "server.md"
    assert settings_table() in reference.read_text()
