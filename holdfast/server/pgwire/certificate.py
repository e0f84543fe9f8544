"""Certificates: the hash by which one is known, and new ones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_VALID_FOR = timedelta(days=3650)
_WEAK = ("md5", "sha1")


def binding_of(pem: bytes) -> bytes:
    """The first certificate's hash, by that of its own signature, or SHA-256 if that is weak or has none (RFC 5929).

    Raises ValueError if there is no certificate.
    """
    certificate = x509.load_pem_x509_certificate(pem)
    algorithm = certificate.signature_hash_algorithm
    data = certificate.public_bytes(serialization.Encoding.DER)
    if algorithm is None or algorithm.name in _WEAK:
        return sha256(data).digest()
    digest = hashes.Hash(algorithm)
    digest.update(data)
    return digest.finalize()


def make(host: str) -> tuple[bytes, bytes]:
    """A certificate that is signed by itself, and its key, in PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "holdfast")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + _VALID_FOR)
        .add_extension(x509.SubjectAlternativeName(_names(host)), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    encoded = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return certificate.public_bytes(serialization.Encoding.PEM), encoded


def _names(host: str) -> list[x509.GeneralName]:
    found: list[x509.GeneralName] = [x509.DNSName("localhost")]
    addresses = {ip_address("127.0.0.1"), ip_address("::1")}
    try:
        addresses.add(ip_address(host))
    except ValueError:
        found.append(x509.DNSName(host))
    return found + [x509.IPAddress(each) for each in sorted(addresses, key=str)]
