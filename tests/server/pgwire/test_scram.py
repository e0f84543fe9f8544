from __future__ import annotations

import hmac
from base64 import b64decode, b64encode
from hashlib import pbkdf2_hmac, sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapter.client_errors import PasswordRefused, ProtocolViolation
from holdfast.adapter.scram import Verifier, verifier_of
from holdfast.errors import HoldfastError
from holdfast.server.pgwire.scram import Mechanism, ScramExchange, mock_verifier

FEW = 2
KNOWN = verifier_of("secret", iterations=FEW)
HASH = sha256(b"certificate").digest()


def exchange(verifier: Verifier = KNOWN, *, is_mock: bool = False, binding: bytes | None = None) -> ScramExchange:
    return ScramExchange("ada", verifier, is_mock=is_mock, binding=binding)


def log_in(server: ScramExchange, password: str, mechanism: Mechanism = "SCRAM-SHA-256", binding: bytes = b"") -> None:
    """A client, written from the RFC alone."""
    header = "p=tls-server-end-point,," if binding else "n,,"
    first_bare = "n=,r=fyko+d2lbbFgONRv9qkxdawL"
    first = server.first(mechanism, (header + first_bare).encode()).decode()
    fields = dict(field.split("=", 1) for field in first.split(","))
    assert fields["r"].startswith("fyko+d2lbbFgONRv9qkxdawL")
    salted = pbkdf2_hmac("sha256", password.encode(), b64decode(fields["s"]), int(fields["i"]))
    client_key = hmac.digest(salted, b"Client Key", "sha256")
    final = f"c={b64encode(header.encode() + binding).decode()},r={fields['r']}"
    said = f"{first_bare},{first},{final}".encode()
    signature = hmac.digest(sha256(client_key).digest(), said, "sha256")
    proof = bytes(a ^ b for a, b in zip(client_key, signature, strict=True))
    answer = server.final(f"{final},p={b64encode(proof).decode()}".encode())
    server_key = hmac.digest(salted, b"Server Key", "sha256")
    assert answer == b"v=" + b64encode(hmac.digest(server_key, said, "sha256"))


def test_the_password_opens() -> None:
    log_in(exchange(), "secret")


def test_another_password_does_not() -> None:
    with pytest.raises(PasswordRefused, match='password authentication failed for user "ada"'):
        log_in(exchange(), "Secret")


def test_a_user_without_password_is_refused_at_the_end_like_any_other() -> None:
    mock = mock_verifier(b"of the server", "ada")
    with pytest.raises(PasswordRefused, match='password authentication failed for user "ada"'):
        log_in(exchange(mock, is_mock=True), "secret")
    assert mock == mock_verifier(b"of the server", "ada")
    assert mock.salt != mock_verifier(b"of the server", "bob").salt


def test_a_mock_is_refused_even_if_the_proof_were_right() -> None:
    with pytest.raises(PasswordRefused):
        log_in(exchange(KNOWN, is_mock=True), "secret")


def test_the_channel_can_be_bound() -> None:
    log_in(exchange(binding=HASH), "secret", "SCRAM-SHA-256-PLUS", HASH)
    log_in(exchange(binding=HASH), "secret")


def test_a_client_that_sees_another_certificate_is_refused() -> None:
    with pytest.raises(ProtocolViolation, match="SCRAM channel binding check failed"):
        log_in(exchange(binding=HASH), "secret", "SCRAM-SHA-256-PLUS", sha256(b"of another").digest())


def test_a_client_from_which_channel_binding_was_hidden_is_refused() -> None:
    with pytest.raises(ProtocolViolation, match="SCRAM channel binding negotiation error"):
        exchange(binding=HASH).first("SCRAM-SHA-256", b"y,,n=,r=abc")
    assert exchange().first("SCRAM-SHA-256", b"y,,n=,r=abc").startswith(b"r=abc")


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        ("PLAIN", b"n,,n=,r=abc"),
        ("SCRAM-SHA-256-PLUS", b"p=tls-server-end-point,,n=,r=abc"),
        ("SCRAM-SHA-256", b"p=tls-server-end-point,,n=,r=abc"),
        ("SCRAM-SHA-256", b"n,a=other,n=,r=abc"),
        ("SCRAM-SHA-256", b"n,,m=x,n=,r=abc"),
        ("SCRAM-SHA-256", b"n,,r=abc"),
        ("SCRAM-SHA-256", b"n,,n=,r="),
        ("SCRAM-SHA-256", b"n,,n=,r=a\x01"),
        ("SCRAM-SHA-256", b"\xff"),
        ("SCRAM-SHA-256", b""),
    ],
)
def test_what_does_not_follow_the_rfc_is_refused(mechanism: str, message: bytes) -> None:
    with pytest.raises(ProtocolViolation):
        exchange().first(mechanism, message)


@pytest.mark.parametrize("nonce", ["abc", "other"])
def test_a_proof_for_another_exchange_is_refused(nonce: str) -> None:
    server = exchange()
    server.first("SCRAM-SHA-256", b"n,,n=,r=abc")
    with pytest.raises(ProtocolViolation, match="nonce does not match"):
        server.final(f"c=biws,r={nonce},p=AAAA".encode())


@given(st.binary(max_size=80), st.binary(max_size=80))
def test_garbage_never_opens(first: bytes, final: bytes) -> None:
    server = exchange()
    try:
        server.first("SCRAM-SHA-256", first)
    except HoldfastError:
        server.first("SCRAM-SHA-256", b"n,,n=,r=abc")
    with pytest.raises(HoldfastError):
        server.final(final)
