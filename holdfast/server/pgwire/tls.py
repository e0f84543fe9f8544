"""TLS for connections: a certificate of the user's, or one that we sign ourselves.

What certificates are made and read with takes long to load, so only those who offer TLS load it.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path

from holdfast.errors import FileUnusable


@dataclass(frozen=True, slots=True)
class Tls:
    """`binding` is the certificate's hash, by which SCRAM knows that nobody stands between."""

    context: ssl.SSLContext
    binding: bytes


def load_tls(certificate: Path, key: Path) -> Tls:
    """TLS with files of PEM. The first certificate in the file is the server's."""
    from holdfast.server.pgwire.certificate import binding_of

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key)
        binding = binding_of(certificate.read_bytes())
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        raise FileUnusable(f'could not load certificate "{certificate}" with key "{key}": {error}') from error
    return Tls(context, binding)


def self_signed(folder: Path, host: str) -> tuple[Path, Path]:
    """Certificate and key in `folder`, made when they are not there yet. Clients cannot tell it from another's."""
    certificate_path, key_path = folder / "server.crt", folder / "server.key"
    if not (certificate_path.exists() and key_path.exists()):
        from holdfast.server.pgwire.certificate import make

        certificate, key = make(host)
        folder.mkdir(parents=True, exist_ok=True)
        key_path.touch(mode=0o600, exist_ok=True)
        key_path.chmod(0o600)
        key_path.write_bytes(key)
        certificate_path.write_bytes(certificate)
    return certificate_path, key_path
