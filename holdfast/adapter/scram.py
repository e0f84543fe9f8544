"""Verifiers: what SCRAM-SHA-256 keeps of a password, enough to know it again and not enough to say it.

Their text is PostgreSQL's: `SCRAM-SHA-256$<iterations>:<salt>$<stored key>:<server key>`.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import stringprep
import unicodedata
from base64 import b64decode, b64encode
from dataclasses import dataclass, field

ITERATIONS = 4096
"""PostgreSQL's default. More cost an attacker more, and each login as well."""

_SALT_BYTES = 16
_BASE64 = r"[A-Za-z0-9+/]+={0,2}"
_VERIFIER = re.compile(rf"SCRAM-SHA-256\$(\d{{1,9}}):({_BASE64})\$({_BASE64}):({_BASE64})")


@dataclass(frozen=True, slots=True)
class Verifier:
    iterations: int
    salt: bytes
    stored_key: bytes = field(repr=False)
    server_key: bytes = field(repr=False)

    def __str__(self) -> str:
        salt, stored, server = (b64encode(each).decode() for each in (self.salt, self.stored_key, self.server_key))
        return f"SCRAM-SHA-256${self.iterations}:{salt}${stored}:{server}"


def verifier_of(password: str, *, salt: bytes | None = None, iterations: int = ITERATIONS) -> Verifier:
    """What is kept of a password."""
    salt = secrets.token_bytes(_SALT_BYTES) if salt is None else salt
    salted = hashlib.pbkdf2_hmac("sha256", prepared(password).encode(), salt, iterations)
    client_key, server_key = mac(salted, b"Client Key"), mac(salted, b"Server Key")
    return Verifier(iterations, salt, hashlib.sha256(client_key).digest(), server_key)


def parse_verifier(text: str) -> Verifier | None:
    """The verifier that a text is, or None if it is none: then it is taken for a password."""
    found = _VERIFIER.fullmatch(text)
    if found is None or int(found[1]) == 0:
        return None
    try:
        salt, stored, server = (b64decode(each, validate=True) for each in found.groups()[1:])
    except ValueError:
        return None
    if len(stored) != hashlib.sha256().digest_size or len(server) != len(stored):
        return None
    return Verifier(int(found[1]), salt, stored, server)


def mac(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "sha256")


def matches(verifier: Verifier, password: str) -> bool:
    """Whether this is the password."""
    tried = verifier_of(password, salt=verifier.salt, iterations=verifier.iterations)
    return hmac.compare_digest(tried.stored_key, verifier.stored_key)


def prepared(password: str) -> str:
    """The password as RFC 4013 (SASLprep) normalizes it, or as it is if that is not allowed, as PostgreSQL does."""
    if password.isascii():
        return password
    mapped = "".join(
        " " if stringprep.in_table_c12(each) else each for each in password if not stringprep.in_table_b1(each)
    )
    normal = unicodedata.ucd_3_2_0.normalize("NFKC", mapped)
    return normal if _is_allowed(normal) else password


def _is_allowed(text: str) -> bool:
    prohibited = (
        stringprep.in_table_c12,
        stringprep.in_table_c21_c22,
        stringprep.in_table_c3,
        stringprep.in_table_c4,
        stringprep.in_table_c5,
        stringprep.in_table_c6,
        stringprep.in_table_c7,
        stringprep.in_table_c8,
        stringprep.in_table_c9,
        stringprep.in_table_a1,
    )
    if not text or any(is_in(each) for each in text for is_in in prohibited):
        return False
    if not any(stringprep.in_table_d1(each) for each in text):
        return True
    # Text that runs from right to left does so from its first character to its last.
    edges = stringprep.in_table_d1(text[0]) and stringprep.in_table_d1(text[-1])
    return edges and not any(stringprep.in_table_d2(each) for each in text)
