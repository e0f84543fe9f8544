"""How a connection begins: encryption, the version of the protocol, who it is, and what is set for its session."""

from __future__ import annotations

import re
import secrets
import ssl
from dataclasses import dataclass
from ipaddress import ip_address

from holdfast.adapter.client_errors import ClientGone, ProtocolViolation, UnsafeAddress
from holdfast.adapter.errors import LoginRefused
from holdfast.adapter.scram import parse_verifier
from holdfast.server.pgwire import backend, frontend
from holdfast.server.pgwire.channel import Channel
from holdfast.server.pgwire.frontend import Cancel, Startup
from holdfast.server.pgwire.scram import ScramExchange, mock_verifier
from holdfast.server.pgwire.settings import Authentication
from holdfast.server.pgwire.tls import Tls
from holdfast.sql.errors import NotSupported

_MAJOR, _NEWEST_MINOR = 3, 2
_SKIPPED_MINOR = 1
"""There never was a version 3.1."""

_OPTION = re.compile(r"(?:\\.|[^\\\s])+")
_MOCK_SECRET = secrets.token_bytes(32)


@dataclass(frozen=True, slots=True)
class Peer:
    """Who is at the other end. `host` is None where it is a socket of this machine."""

    host: str | None
    port: int | None

    @property
    def is_local(self) -> bool:
        return self.host is None or is_loopback(self.host)

    def __str__(self) -> str:
        return "[local]" if self.host is None else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The session that a client asks for."""

    user: str
    database: str | None
    options: dict[str, str]


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def check_address(host: str, authentication: Authentication, *, forced: bool) -> None:
    """Refuses to let anyone in from other machines without a password."""
    if authentication != "trust" or forced or is_loopback(host):
        return
    error = UnsafeAddress(f'refusing to listen on "{host}" without passwords')
    error.detail = "Everyone who reaches this address could read and change everything."
    error.hint = 'Set authentication to "password", listen on 127.0.0.1, or force it.'
    raise error


async def packet(channel: Channel) -> bytes:
    while (found := channel.startup()) is None:
        await channel.more(idle=True)
    return found


async def open_channel(channel: Channel, tls: Tls | None) -> tuple[Startup | Cancel, bool]:
    """What the client wants, after encryption if it asks for that, and whether the channel is encrypted by now."""
    encrypted = False
    while True:
        data = await packet(channel)
        match frontend.version_of(data):
            case frontend.CANCEL_REQUEST:
                return frontend.read_cancel(data), encrypted
            case frontend.SSL_REQUEST if tls is not None and not encrypted:
                await _encrypt(channel, tls)
                encrypted = True
            case frontend.SSL_REQUEST | frontend.GSS_REQUEST:
                channel.write(backend.ENCRYPTION_REFUSED)
            case _:
                return frontend.read_startup(data), encrypted


async def _encrypt(channel: Channel, tls: Tls) -> None:
    if channel.held:
        # What was said in the clear would be taken for said under encryption.
        raise ProtocolViolation("received unencrypted data after SSL request")
    channel.write(backend.SSL_ACCEPTED)
    try:
        await channel.start_tls(tls.context)
    except (ssl.SSLError, OSError) as error:  # the handshake failed; there is nobody to tell
        raise ClientGone from error


def negotiated(startup: Startup) -> bytes | None:
    """What to tell a client that asked for more than we know, or None if it did not."""
    if startup.major != _MAJOR:
        message = f"unsupported frontend protocol {startup.major}.{startup.minor}: server supports 3.0 to 3.2"
        raise NotSupported(message)
    unknown = [name for name in startup.parameters if name.startswith("_pq_.")]
    minor = 0 if startup.minor == _SKIPPED_MINOR else min(startup.minor, _NEWEST_MINOR)
    if minor == startup.minor and not unknown:
        return None
    return backend.negotiate_version(_MAJOR << 16 | minor, unknown)


def wanted(startup: Startup) -> Wanted:
    options = {name: value for name, value in startup.parameters.items() if not name.startswith("_pq_.")}
    user = options.pop("user", "")
    if not user:
        raise LoginRefused("no PostgreSQL user name specified in startup packet")
    database = options.pop("database", "") or None
    if options.pop("replication", "off").lower() not in ("off", "false", "no", "0"):
        raise NotSupported("replication connections are not supported")
    line = options.pop("options", "")
    return Wanted(user, database, {**read_options(line), **options})


def read_options(line: str) -> dict[str, str]:
    """Settings as on PostgreSQL's command line: `-c name=value`, `-cname=value` or `--name=value`.

    Spaces and backslashes that belong to a value have a backslash before them.
    """
    found: dict[str, str] = {}
    words = iter([re.sub(r"\\(.)", r"\1", word) for word in _OPTION.findall(line)])
    for word in words:
        if word == "-c":
            setting = next(words, "")
        elif word.startswith(("-c", "--")):
            setting = word[2:]
        else:
            raise ProtocolViolation(f"invalid command-line argument for server process: {word}")
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise ProtocolViolation(f"-c {setting} requires a value")
        found[name.replace("-", "_") if word.startswith("--") else name] = value
    return found


async def authenticate(channel: Channel, user: str, verifier_text: str | None, binding: bytes | None) -> None:
    """Returns once the client has proved that it knows the password of the user."""
    known = parse_verifier(verifier_text) if verifier_text is not None else None
    verifier = known or mock_verifier(_MOCK_SECRET, user)
    exchange = ScramExchange(user, verifier, is_mock=known is None, binding=binding)
    channel.write(backend.sasl(exchange.mechanisms()))
    mechanism, message = _initial(await _response(channel))
    channel.write(backend.sasl_continue(exchange.first(mechanism, message)))
    channel.write(backend.sasl_final(exchange.final(await _response(channel))))


def _initial(body: bytes) -> tuple[str, bytes]:
    """The mechanism that the client has chosen and what it begins with."""
    end = body.find(b"\0")
    length = int.from_bytes(body[end + 1 : end + 5], "big", signed=True)
    message = body[end + 5 :]
    if end < 0 or len(body) < end + 5 or length != len(message):
        raise ProtocolViolation("malformed SASL response")
    return frontend.utf8(body[:end]), message


async def _response(channel: Channel) -> bytes:
    while (message := channel.next()) is None:
        await channel.more(idle=True)
    kind, body = message
    if kind != frontend.PASSWORD:
        raise ProtocolViolation(f"expected SASL response, got message type {kind}")
    return bytes(body)
