"""The server's side of SCRAM-SHA-256 (RFC 5802 and 7677), with and without channel binding.

An exchange is two messages of the client, each with an answer. It never shows whether a role exists: for one that does
not, or has no password, it goes on with a salt that is always the same for the name, and fails at the end.
"""

from __future__ import annotations

import binascii
import hmac
import secrets
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import Literal, TypeAlias

from holdfast.adapter.client_errors import PasswordRefused, ProtocolViolation
from holdfast.adapter.scram import ITERATIONS, Verifier, mac

Mechanism: TypeAlias = Literal["SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"]

_NONCE_BYTES = 18
_BINDING = "p=tls-server-end-point"


def mock_verifier(secret: bytes, user: str) -> Verifier:
    """What stands in for a verifier that does not exist. No password matches it."""
    salt = mac(secret, user.encode())[:16]
    return Verifier(ITERATIONS, salt, bytes(32), bytes(32))


class ScramExchange:
    """One login. `binding` is the hash of the certificate that the client sees, or None without TLS.

    `verifier` is `mock` for a user that cannot log in: all goes as with any other wrong password.
    """

    def __init__(self, user: str, verifier: Verifier, *, is_mock: bool, binding: bytes | None) -> None:
        self._user, self._verifier, self._is_mock, self._binding = user, verifier, is_mock, binding
        self._first = ""
        self._server_first = ""
        self._header = b""
        self._nonce = ""

    def mechanisms(self) -> tuple[Mechanism, ...]:
        """The ones to choose from, the best first."""
        return ("SCRAM-SHA-256",) if self._binding is None else ("SCRAM-SHA-256-PLUS", "SCRAM-SHA-256")

    def first(self, mechanism: str, message: bytes) -> bytes:
        """The answer to how the client begins."""
        if mechanism not in self.mechanisms():
            raise ProtocolViolation("client selected an invalid SASL authentication mechanism")
        flag, _, rest = _text(message).partition(",")
        name, _, bare = rest.partition(",")
        self._check_flag(flag, mechanism)
        if name:
            raise ProtocolViolation("client uses authorization identity, but it is not supported")
        if bare.startswith("m="):
            raise ProtocolViolation("client requires an unsupported SCRAM extension")
        fields = bare.split(",")
        # The name in here is not looked at: PostgreSQL's clients leave it empty, and the startup said it.
        if len(fields) < 2 or not fields[0].startswith("n=") or not fields[1].startswith("r="):
            raise _malformed()
        nonce = fields[1][2:]
        if not nonce or not all("!" <= each <= "~" for each in nonce):
            raise ProtocolViolation("non-printable characters in SCRAM nonce")
        self._first, self._nonce = bare, nonce + b64encode(secrets.token_bytes(_NONCE_BYTES)).decode()
        self._header = f"{flag},,".encode() + (self._binding or b"" if flag == _BINDING else b"")
        salt = b64encode(self._verifier.salt).decode()
        self._server_first = f"r={self._nonce},s={salt},i={self._verifier.iterations}"
        return self._server_first.encode()

    def final(self, message: bytes) -> bytes:
        """The answer to the client's proof, if that is one."""
        text = _text(message)
        without_proof, separator, proof = text.rpartition(",p=")
        fields = without_proof.split(",")
        if not separator or len(fields) < 2 or not fields[0].startswith("c=") or not fields[1].startswith("r="):
            raise _malformed()
        if _decoded(fields[0][2:]) != self._header:
            raise ProtocolViolation("SCRAM channel binding check failed")
        if not hmac.compare_digest(fields[1][2:].encode(), self._nonce.encode()):
            raise ProtocolViolation("nonce does not match")
        said = f"{self._first},{self._server_first},{without_proof}".encode()
        signature = mac(self._verifier.stored_key, said)
        given = _decoded(proof)
        if len(given) != len(signature):
            raise _malformed()
        client_key = bytes(a ^ b for a, b in zip(given, signature, strict=True))
        is_right = hmac.compare_digest(sha256(client_key).digest(), self._verifier.stored_key)
        if not is_right or self._is_mock:
            raise PasswordRefused(self._user)
        return b"v=" + b64encode(mac(self._verifier.server_key, said))

    def _check_flag(self, flag: str, mechanism: str) -> None:
        """What the client says of binding to the channel."""
        if mechanism == "SCRAM-SHA-256-PLUS":
            if flag != _BINDING:
                raise ProtocolViolation("unsupported SCRAM channel-binding type")
        elif flag == "y":
            if self._binding is not None:
                # Someone in between took the better mechanism from the list.
                raise ProtocolViolation("SCRAM channel binding negotiation error")
        elif flag != "n":
            raise _malformed()


def _malformed() -> ProtocolViolation:
    return ProtocolViolation("malformed SCRAM message")


def _text(message: bytes) -> str:
    try:
        return message.decode()
    except UnicodeDecodeError:
        raise _malformed() from None


def _decoded(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise _malformed() from None
