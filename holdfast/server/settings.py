"""Settings of the server: from flags, the environment and a file, under the same names.

What is said in several places holds in this order: a flag (`--data-dir`), the environment (`HOLDFAST_DATA_DIR`), the
file (`data_dir`, in TOML), the default.
"""

from __future__ import annotations

import json
import re
import tomllib
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from holdfast.adapter.client_errors import SettingInvalid
from holdfast.adapter.database import DatabaseSettings
from holdfast.adapter.ledger import LedgerSettings
from holdfast.adapter.runtime import RuntimeSettings
from holdfast.adapter.tables import TableSettings
from holdfast.persist import PersistSettings
from holdfast.persist.location import Location
from holdfast.server.logs import LogLevel
from holdfast.server.pgwire.settings import Authentication
from holdfast.spark import SparkSettings

PREFIX = "HOLDFAST_"
_UNITS = {"": 1, "kb": 2**10, "mb": 2**20, "gb": 2**30}
_SIZE = re.compile(r"(\d+)\s*(kb|mb|gb)?", re.IGNORECASE)
_TRUE, _FALSE = frozenset(("true", "on", "yes", "1")), frozenset(("false", "off", "no", "0"))


@dataclass(frozen=True, slots=True)
class Address:
    """Port 0 is any that is free."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def _address(value: object) -> Address:
    text = _text(value)
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise ValueError("it is not HOST:PORT")
    return Address(host, int(port))


def _address_or_off(value: object) -> Address | None:
    return None if value is False or value in ("off", "") else _address(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("it is not text")
    return value


def _path(value: object) -> Path:
    return Path(_text(value)).expanduser()


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    text = _text(value).lower()
    if text not in _TRUE | _FALSE:
        raise ValueError("it is neither true nor false")
    return text in _TRUE


def _count(value: object) -> int:
    if isinstance(value, bool) or not str(value).isascii() or not str(value).isdigit() or int(str(value)) == 0:
        raise ValueError("it is not a positive number")
    return int(str(value))


def _size(value: object) -> int:
    found = _SIZE.fullmatch(str(value))
    if isinstance(value, bool) or found is None:
        raise ValueError("it is not a number of bytes, kB, MB or GB")
    return int(found[1]) * _UNITS[(found[2] or "").lower()]


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(_text(each) for each in value)
    return tuple(part.strip() for part in _text(value).split(",") if part.strip())


def _table(value: object) -> Mapping[str, str]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise ValueError("it is not an object of JSON") from None
    if not isinstance(value, dict):
        raise ValueError("it is not a table of names and texts")
    return {str(key): part if isinstance(part, str) else json.dumps(part) for key, part in value.items()}


def _choice(choices: tuple[str, ...]) -> Callable[[object], Any]:  # a literal of the field's type
    def read(value: object) -> str:
        if value not in choices:
            raise ValueError(f"it is not one of {', '.join(choices)}")
        return str(value)

    return read


@dataclass(frozen=True)
class ServerSettings:
    """What each means is in `SETTINGS`. Those that may hold a password are not shown."""

    data_dir: Path = Path("holdfast-data")
    listen: Address = Address("127.0.0.1", 6875)
    http: Address | None = Address("127.0.0.1", 6876)
    http_hosts: tuple[str, ...] = ()
    metadata: str | None = field(default=None, repr=False)
    blob: str | None = None
    blob_options: Mapping[str, str] = field(default_factory=dict, repr=False)
    take_over: bool = False
    authentication: Authentication = "loopback"
    force_trust: bool = False
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    tls_self_signed: bool = False
    require_tls: bool = False
    max_connections: int = 5000
    memory: int = 512 * 2**20
    cache: int = 256 * 2**20
    spark_master: str = field(default="local[*]", repr=False)
    spark_driver_memory: str = "2g"
    spark_jars: tuple[str, ...] = ()
    spark_python: str | None = None
    spark_ui: bool = False
    spark_conf: Mapping[str, str] = field(default_factory=dict, repr=False)
    spark_jobs: int = 16
    spark_eager: bool = True
    log_level: LogLevel = "info"

    @property
    def location(self) -> Location:
        default = Location.in_folder(self.data_dir)
        metadata = self.metadata or default.metadata
        blob = self.blob or default.blob.url
        return Location.of(metadata, blob, self.blob_options)

    @property
    def database(self) -> DatabaseSettings:
        return DatabaseSettings(
            self.location,
            spark=self.spark,
            persist=PersistSettings(cache_bytes=self.cache),
            ledger=LedgerSettings(tables=TableSettings(memory_bytes=self.memory)),
            runtime=RuntimeSettings(jobs=self.spark_jobs),
            max_sessions=self.max_connections,
            eager_spark=self.spark_eager,
        )

    @property
    def spark(self) -> SparkSettings:
        return SparkSettings(
            master=self.spark_master,
            driver_memory=self.spark_driver_memory,
            ui=self.spark_ui,
            jars=self.spark_jars,
            python=self.spark_python,
            conf=self.spark_conf,
        )


@dataclass(frozen=True, slots=True)
class Setting:
    """How its value is read and what it means. `shows` stands for a value in help."""

    read: Callable[[object], Any]  # a value of the field's type, or a ValueError that says what is wrong
    help: str
    shows: str = ""


SETTINGS: Mapping[str, Setting] = {
    "data_dir": Setting(_path, "the folder of the store", "DIR"),
    "listen": Setting(_address, "where PostgreSQL clients connect", "HOST:PORT"),
    "http": Setting(_address_or_off, "where HTTP clients connect, or `off`", "HOST:PORT"),
    "http_hosts": Setting(_texts, "names by which browsers may call beside `localhost`, with commas between", "NAMES"),
    "metadata": Setting(_text, "where the metadata is instead: sqlite:///FILE or postgresql://...", "URL"),
    "blob": Setting(_text, "where the parts are instead: a folder or s3://BUCKET/PREFIX", "URL"),
    "blob_options": Setting(_table, "options of S3, as an object of JSON", "JSON"),
    "take_over": Setting(_flag, "fence a server that has the store, instead of refusing to start beside it"),
    "authentication": Setting(
        _choice(get_args(Authentication)),
        "who needs no password: those on this machine (loopback), all (trust), or nobody (password)",
        "WHO",
    ),
    "force_trust": Setting(_flag, "let everyone in without a password on an address that other machines reach"),
    "tls_certificate": Setting(_path, "the certificate for TLS, in PEM", "FILE"),
    "tls_key": Setting(_path, "the key of the certificate, in PEM", "FILE"),
    "tls_self_signed": Setting(_flag, "offer TLS with a certificate that the server signs itself"),
    "require_tls": Setting(_flag, "refuse connections from other machines without TLS"),
    "max_connections": Setting(_count, "how many sessions there may be", "N"),
    "memory": Setting(_size, "how much of tables is kept in memory", "SIZE"),
    "cache": Setting(_size, "how much of parts is kept in memory", "SIZE"),
    "spark_master": Setting(_text, "which Spark: local[N], spark://..., k8s://..., yarn or sc://... (Connect)", "URL"),
    "spark_driver_memory": Setting(_text, "memory of Spark's driver, as Spark writes it", "SIZE"),
    "spark_jars": Setting(_texts, "jars for Spark, with commas between", "JARS"),
    "spark_python": Setting(_text, "the Python that executors run", "PROGRAM"),
    "spark_ui": Setting(_flag, "serve Spark's own web pages"),
    "spark_conf": Setting(_table, "more settings of Spark's, as an object of JSON", "JSON"),
    "spark_jobs": Setting(_count, "how many queries may run on Spark at a time", "N"),
    "spark_eager": Setting(_flag, "start Spark with the server, not with the first query that needs it"),
    "log_level": Setting(_choice(get_args(LogLevel)), "what is logged: debug, info, warning or error", "LEVEL"),
}


def add_flags(parser: ArgumentParser) -> None:
    """A flag for each setting, and one for the file. Those that are not given are no attributes of what is parsed."""
    parser.add_argument("--config", metavar="FILE", help=f"a file of settings, in TOML (or {PREFIX}CONFIG)")
    for name, setting in SETTINGS.items():
        flag, text = f"--{name.replace('_', '-')}", setting.help
        if setting.read is _flag:
            parser.add_argument(flag, action=BooleanOptionalAction, default=SUPPRESS, help=text)
        else:
            shown = default_text(name)
            text = f"{text} (default: {shown})" if shown else text
            text, read = text.replace("%", "%%"), _argument(setting)
            parser.add_argument(flag, type=read, default=SUPPRESS, metavar=setting.shows, help=text)


def _argument(setting: Setting) -> Callable[[str], Any]:  # a value of the field's type
    def read(text: str) -> Any:
        try:
            return setting.read(text)
        except ValueError as error:
            raise ArgumentTypeError(f"{text!r}: {error}") from None

    return read


def default_text(name: str) -> str:
    """As one would write it, or nothing."""
    value = getattr(ServerSettings(), name)
    if SETTINGS[name].read is _size:
        return f"{value // 2**20}MB"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if value else ""


def read_settings(flags: Namespace, environment: Mapping[str, str]) -> ServerSettings:
    """`flags` are those that `add_flags` gave a parser, or fewer."""
    config = getattr(flags, "config", None) or environment.get(f"{PREFIX}CONFIG")
    file = _read_file(Path(config)) if config else {}
    values: dict[str, Any] = {}  # by the types of the fields
    for name, setting in SETTINGS.items():
        variable = f"{PREFIX}{name.upper()}"
        if hasattr(flags, name):  # its value may be None
            values[name] = getattr(flags, name)
        elif variable in environment:
            values[name] = _read(setting, environment[variable], variable)
        elif name in file:
            values[name] = _read(setting, file[name], f"{name} in {config}")
    return ServerSettings(**values)


def _read(setting: Setting, value: object, name: str) -> Any:  # a value of the field's type
    try:
        return setting.read(value)
    except ValueError as error:
        # The value is not repeated: it may be a secret.
        raise SettingInvalid(f"the value of {name} is wrong: {error}") from None


def _read_file(path: Path) -> Mapping[str, object]:
    try:
        found = tomllib.loads(path.read_text())
    except OSError as error:
        raise SettingInvalid(f'settings file "{path}" cannot be read: {error.strerror}') from error
    except ValueError as error:  # it is no text, or not TOML
        raise SettingInvalid(f'settings file "{path}" is not TOML: {error}') from error
    unknown = found.keys() - SETTINGS.keys()
    if unknown:
        raise SettingInvalid(f'there is no setting "{min(unknown)}", which "{path}" has')
    return found


def settings_table() -> str:
    """All settings, as the reference shows them."""
    rows = (
        f"| `{name}` | {f'`{text}`' if (text := default_text(name)) else ''} | {setting.help} |"
        for name, setting in SETTINGS.items()
    )
    return "\n".join(("| setting | default | what it is |", "| --- | --- | --- |", *rows))
