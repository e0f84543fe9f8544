"""TLS for connections: a certificate of the user's, or one that we sign ourselves."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from holdfast.errors import FileUnusable

_VALID_FOR = timedelta(days=3650)
_WEAK = ("md5", "sha1")


@dataclass(frozen=True, slots=True)
class Tls:
    """`binding` is the certificate's hash, by which SCRAM knows that nobody stands between."""

    context: ssl.SSLContext
    binding: bytes


def load_tls(certificate: Path, key: Path) -> Tls:
    """TLS with files of PEM. The first certificate in the file is the server's."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key)
        first = x509.load_pem_x509_certificate(certificate.read_bytes())
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        raise FileUnusable(f'could not load certificate "{certificate}" with key "{key}": {error}') from error
    return Tls(context, _binding(first))


def _binding(certificate: x509.Certificate) -> bytes:
    """By the hash of the certificate's own signature, or SHA-256 if that is weak or has none (RFC 5929)."""
    algorithm = certificate.signature_hash_algorithm
    data = certificate.public_bytes(serialization.Encoding.DER)
    if algorithm is None or algorithm.name in _WEAK:
        return sha256(data).digest()
    digest = hashes.Hash(algorithm)
    digest.update(data)
    return digest.finalize()


def self_signed(folder: Path, host: str) -> tuple[Path, Path]:
    """Certificate and key in `folder`, made when they are not there yet. Clients cannot tell it from another's."""
    certificate_path, key_path = folder / "server.crt", folder / "server.key"
    if certificate_path.exists() and key_path.exists():
        return certificate_path, key_path
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
    folder.mkdir(parents=True, exist_ok=True)
    encoded = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    key_path.touch(mode=0o600, exist_ok=True)
    key_path.chmod(0o600)
    key_path.write_bytes(encoded)
    certificate_path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return certificate_path, key_path


def _names(host: str) -> list[x509.GeneralName]:
    found: list[x509.GeneralName] = [x509.DNSName("localhost")]
    addresses = {ip_address("127.0.0.1"), ip_address("::1")}
    try:
        addresses.add(ip_address(host))
    except ValueError:
        found.append(x509.DNSName(host))
    return found + [x509.IPAddress(each) for each in sorted(addresses, key=str)]
