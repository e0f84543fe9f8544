"""Who is answered over HTTP, and who is not."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import WSServerHandshakeError, encode_basic_auth

from holdfast.adapter.client_errors import UnsafeAddress
from holdfast.server.http.server import serve
from holdfast.server.http.settings import HttpSettings
from tests.adapter.asking import database
from tests.server.http.conftest import Site, serving, talking

ASKING = {"query": "SELECT current_user"}


Login = tuple[str, str] | None


def authorization(login: Login) -> dict[str, str]:
    return {} if login is None else {"Authorization": encode_basic_auth(*login)}


async def status(site: Site, headers: dict[str, str], login: Login = None) -> int:
    headers = {**headers, **authorization(login)}
    async with site.client.post(f"{site.url}/api/sql", json=ASKING, headers=headers) as response:
        return response.status


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        # A name that someone lets point here, with an origin that agrees.
        ({"Host": "evil.example", "Origin": "http://evil.example"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": "localhost:6876"}, 200),
        ({"Host": "[::1]:6876", "Origin": "http://[::1]:6876"}, 200),
        ({"Host": "localhost:6876", "Origin": "http://localhost:1"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ],
)
async def test_pages_of_other_sites_are_refused(site: Site, headers: dict[str, str], code: int) -> None:
    assert await status(site, headers) == code


async def test_names_can_be_allowed() -> None:
    async with serving(HttpSettings(hosts=("db.example",))) as site:
        assert await status(site, {"Host": "DB.example:6876", "Origin": "http://db.example:6876"}) == 200
        assert await status(site, {"Host": "other.example"}) == 403


async def test_a_socket_of_a_page_of_another_site_is_refused(site: Site) -> None:
    with pytest.raises(WSServerHandshakeError, match="403"):
        await site.client.ws_connect(f"{site.url}/api/experimental/sql", origin="http://evil.example")


async def test_a_preflight_is_not_answered(site: Site) -> None:
    headers = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    async with site.client.options(f"{site.url}/api/sql", headers=headers) as response:
        assert response.status == 403
        assert not [name for name in response.headers if name.lower().startswith("access-control")]


async def test_those_on_this_machine_need_no_password_and_may_say_who_they_are(site: Site) -> None:
    assert await site.rows("SELECT current_user") == [["materialize"]]
    headers = authorization(("ada", "whatever"))
    async with site.client.post(f"{site.url}/api/sql", json=ASKING, headers=headers) as response:
        assert (await response.json())["results"][0]["rows"] == [["ada"]]


@pytest.mark.parametrize(
    ("login", "code"),
    [
        (("ada", "open sesame"), 200),
        (("ada", "wrong"), 401),
        (("ada", ""), 401),
        (("nobody", "open sesame"), 401),
        (("materialize", ""), 401),
        (None, 401),
    ],
)
async def test_with_passwords_the_right_one_is_needed(login: Login, code: int) -> None:
    async with serving(HttpSettings(authentication="password")) as site:
        session = await site.database.connect("materialize")
        async for _ in session.run("CREATE ROLE ada LOGIN PASSWORD 'open sesame'"):
            pass
        await site.database.disconnect(session)
        assert await status(site, {}, login) == code
        assert await status(site, {"Host": "db.example"}, login) == code
        async with site.client.get(f"{site.url}/metrics", headers=authorization(login)) as response:
            assert response.status == code
            assert (response.headers.get("WWW-Authenticate") is None) == (code == 200)
        said = {} if login is None else {"user": login[0], "password": login[1]}
        async with talking(site, **said) as talk:
            message = await talk.socket.receive()
            assert (message.type.name == "TEXT") == (code == 200)


@pytest.mark.parametrize("header", ["Basic", "Basic ?", "Basic YQ==", "Bearer x", "Basic /w=="])
async def test_an_authorization_that_says_nothing_lets_nobody_in(header: str) -> None:
    async with serving(HttpSettings(authentication="password")) as site:
        assert await status(site, {"Authorization": header}) == 401


async def test_a_body_that_is_too_long_is_refused() -> None:
    async with serving(HttpSettings(body_limit=1000)) as site:
        body = {"query": f"SELECT '{'x' * 2000}'"}
        async with site.client.post(f"{site.url}/api/sql", json=body) as response:
            assert response.status == 413
        async with talking(site) as talk:
            await talk.until_ready()
            await talk.socket.send_json(body)
            message = await talk.socket.receive()
            assert (message.type.name, message.data) == ("CLOSE", 1009)


async def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    async with serving(HttpSettings(body_timeout=0.1)) as site:
        reader, writer = await asyncio.open_connection("127.0.0.1", site.server.port)
        head = (
            "POST /api/sql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"
        )
        writer.write(head.encode())
        assert (await reader.readline()).startswith(b"HTTP/1.1 408 ")
        writer.close()
        await writer.wait_closed()
        assert site.database.sessions == ()


async def test_trust_on_an_address_that_others_reach_is_refused() -> None:
    async with database() as opened:
        with pytest.raises(UnsafeAddress):
            await serve(opened, "0.0.0.0", 0, HttpSettings(authentication="trust"))


@pytest.mark.parametrize("path", ["/", "/api", "/api/sql/", "/metrics/x", "/api/sql?x", "/%2e%2e/etc/passwd"])
async def test_other_paths_lead_nowhere(site: Site, path: str) -> None:
    async with site.client.get(f"{site.url}{path}") as response:
        assert response.status in (404, 405)
        assert response.headers["X-Content-Type-Options"] == "nosniff"
