"""Who may ask: no page of another site, and nobody without a password unless trusted.

A browser sends requests to this machine for any page that it shows. What it sends with them tells which page: `Origin`,
`Sec-Fetch-Site`, and a content type that it does not send for others without asking first, which we never allow.
"""

from __future__ import annotations

import asyncio
import secrets
from base64 import b64decode
from binascii import Error as NotBase64
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from aiohttp import web

from holdfast.adapter.client_errors import CrossSite, PasswordRefused
from holdfast.adapter.database import Database
from holdfast.adapter.scram import matches, parse_verifier, verifier_of
from holdfast.server.http.settings import DEFAULT_USER, HttpSettings
from holdfast.server.pgwire.startup import is_loopback

_OWN_SITES = ("same-origin", "none")
_NOBODY = verifier_of(secrets.token_hex())
"""Checking a password against it takes as long as against a real one."""


@dataclass(frozen=True, slots=True)
class Credentials:
    user: str
    password: str | None = None


def check_site(request: web.Request, settings: HttpSettings) -> None:
    """Refuse what a page of another site sends."""
    if request.headers.get("Sec-Fetch-Site", "none") not in _OWN_SITES:
        raise CrossSite("requests from other sites are not answered")
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc.lower() != request.headers.get("Host", "").lower():
        raise CrossSite("requests from other origins are not answered")
    if is_trusted(request, settings) and not _is_known(request.headers.get("Host", ""), settings):
        raise CrossSite("the host is not one of this server's names")


def _is_known(host: str, settings: HttpSettings) -> bool:
    """Whether a name cannot have been made by someone else to point here."""
    name = (urlsplit(f"//{host}").hostname or "").lower()
    if name == "localhost" or name in settings.hosts:
        return True
    try:
        ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True


def is_trusted(request: web.Request, settings: HttpSettings) -> bool:
    """Whether whoever asks needs no password."""
    if settings.authentication == "loopback":
        return request.remote is None or is_loopback(request.remote)
    return settings.authentication == "trust"


def basic(header: str | None) -> Credentials | None:
    """What an Authorization header says, None if it is of another kind or says nothing."""
    scheme, _, encoded = (header or "").partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        user, colon, password = b64decode(encoded.strip(), validate=True).decode().partition(":")
    except (NotBase64, UnicodeDecodeError):
        return None
    return Credentials(user, password) if colon and user else None


async def admitted(
    database: Database, request: web.Request, credentials: Credentials | None, settings: HttpSettings
) -> str:
    """The user, who is trusted or knows the password."""
    user = DEFAULT_USER if credentials is None else credentials.user
    if is_trusted(request, settings):
        return user
    text = database.verifier(user)
    known = None if text is None else parse_verifier(text)
    password = (credentials.password if credentials is not None else None) or ""
    # Hashing is slow on purpose.
    right = await asyncio.to_thread(matches, known or _NOBODY, password)
    if known is None or not right:
        raise PasswordRefused(user)
    return user
