"""A session with a deadline, a size limit and a JSON check, and which proxy it uses."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from threading import Event

import pytest
import requests

from service.config import Settings
from service.errors import SourceFailed
from service.sources import headlines, pools, sessions
from service.sources.feeds.exchange_client import ExchangeClient
from service.sources.headlines import FeedFailed, FeedState
from service.sources.odds.kalshi import KALSHI
from service.sources.odds.polymarket import POLYMARKET
from service.sources.sessions import BoundedSession, in_time, retry_after
from tests.processes import free_port
from tests.sources.conftest import NOTHING, ExchangeServer, self_signed, serve
from tests.sources.faults import body, drip, hang, late_and_hanging, redirect
from tests.sources.proxy_servers import ProxyServer, proxying

pytestmark = pytest.mark.usefixtures("without_proxy")

HOST = "source.test"  # a name that only a proxy resolves
REMOTE, LOCAL = f"https://{HOST}/path", "http://127.0.0.1:8190/path"
HTTP, SOCKS, OTHER = "http://proxy.test:3128", "socks5h://name:secret@proxy.test", "http://other.test:80"
SHORT_S = 0.4
ENOUGH_S = 5.0
REFUSALS = {"http": "Tunnel connection failed: 407 Proxy Authentication Required"}
REFUSALS |= {"socks5h": "SOCKS5 authentication failed"}
NOON = int(datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp())


def use(proxy: str) -> None:
    sessions.use_proxy(Settings(source_proxy=proxy))


def at_name(server: ExchangeServer) -> str:
    """The address of a server by a name instead of 127.0.0.1."""
    return server.address.replace("127.0.0.1", HOST)


@pytest.fixture
def session() -> Iterator[BoundedSession]:
    with BoundedSession() as session:
        session.deadline = time.monotonic() + ENOUGH_S
        yield session


@pytest.fixture
def https_server(tmp_path, session) -> Iterator[ExchangeServer]:
    """A server that speaks https; the session accepts its certificate."""
    session.verify = str(self_signed(HOST, tmp_path / "certificate.pem"))
    yield from serve(ExchangeServer(routes=lambda *_: NOTHING), tmp_path / "certificate.pem")


def test_an_answer_is_passed_on(server, session):
    """A redirect is not followed, and nothing is sent after the deadline."""
    response = session.get(server.address)
    assert (response.status_code, response.json()) == (200, NOTHING)
    server.fault = redirect
    assert session.get(server.address).status_code == 302
    assert server.requests == ["/"] * 2
    session.deadline = time.monotonic() - 1
    with pytest.raises(requests.Timeout):
        session.get(server.address)
    assert server.requests == ["/"] * 2


def test_an_answer_beyond_the_maximum_size_is_refused(server, session):
    """Only a success must be JSON: a page of an error keeps its status."""
    server.fault = body(b"<html>")
    with pytest.raises(requests.exceptions.InvalidJSONError):
        session.get(server.address)
    server.fault = body(b"<html>", 503)
    assert session.get(server.address).status_code == 503
    session.most_bytes, session.is_json = 100, False
    server.fault = body(b"x" * 101)
    with pytest.raises(requests.exceptions.ContentDecodingError, match="more than 100 bytes"):
        session.get(server.address)
    server.fault = body(b"x" * 100)
    assert session.get(server.address).content == b"x" * 100


def test_a_password_of_the_environment_is_not_sent(server, session, monkeypatch, tmp_path):
    """Requests would send the one that `.netrc` has for the host."""
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login someone password secret")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    headers = []
    server.fault = lambda handler: (headers.extend(handler.headers), handler.reply(200, b"{}"))
    session.get(server.address)
    assert "Host" in headers
    assert "Authorization" not in headers


@pytest.mark.parametrize(
    ("option", "variables", "url", "proxy"),
    [
        ("", {}, REMOTE, ""),
        (SOCKS, {}, REMOTE, SOCKS),
        (SOCKS, {"HTTPS_PROXY": HTTP}, REMOTE, SOCKS),
        ("", {"HTTPS_PROXY": HTTP}, REMOTE, HTTP),
        ("", {"https_proxy": HTTP, "HTTPS_PROXY": OTHER}, REMOTE, HTTP),
        ("", {"HTTPS_PROXY": HTTP, "ALL_PROXY": OTHER}, REMOTE, HTTP),
        ("", {"HTTP_PROXY": HTTP}, REMOTE, ""),
        ("", {"HTTP_PROXY": HTTP}, f"http://{HOST}/", HTTP),
        ("", {"ALL_PROXY": SOCKS}, REMOTE, SOCKS),
        ("", {"HTTPS_PROXY": "proxy.test:3128"}, REMOTE, HTTP),
    ],
)
def test_the_option_then_the_environment_name_the_proxy(monkeypatch, option, variables, url, proxy):
    """SOURCE_PROXY, else the variable of the URL's scheme, else ALL_PROXY; an address without a scheme is http."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    use(option)
    assert sessions.proxy_of(url) == proxy


@pytest.mark.parametrize(
    ("exclusion", "url", "is_direct"),
    [
        *((exclusion, REMOTE, exclusion != "other.test") for exclusion in (HOST, ".test", "*", "other.test")),
        *(("10.0.0.0/8", f"http://{net}.1.2.3:11434/v1", net == 10) for net in (10, 11)),
    ],
)
@pytest.mark.parametrize("option", ["", SOCKS])
def test_hosts_of_no_proxy_are_reached_directly(monkeypatch, exclusion, url, is_direct, option):
    """NO_PROXY holds for SOURCE_PROXY as for the environment: names, ends of names, networks and `*`."""
    monkeypatch.setenv("ALL_PROXY", HTTP)
    monkeypatch.setenv("NO_PROXY", exclusion)
    use(option)
    assert (sessions.proxy_of(url) == "") == is_direct


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "localhost", "model.localhost", "[::1]", "0.0.0.0"])
def test_only_the_option_holds_for_this_machine(monkeypatch, host):
    """HTTPS_PROXY and so on do not apply to loopback addresses; SOURCE_PROXY does. Some names only look local."""
    url = f"http://{host}:8190/path"
    monkeypatch.setenv("ALL_PROXY", HTTP)
    assert sessions.proxy_of(url) == ""
    use(SOCKS)
    assert sessions.proxy_of(url) == SOCKS
    for name in ("localhost.example.com", "1127.0.0.1", "127.example.com"):
        assert not sessions.is_loopback(f"http://{name}/")


@pytest.mark.parametrize("proxy", ["http://", "socks5://n:sec@ret@proxy.test:port", "http://n:sec/ret@proxy.test"])
def test_an_option_that_is_no_address_is_refused_at_once(monkeypatch, proxy):
    """The sentence repeats nothing of the address, which may hold a password; a variable is named."""
    with pytest.raises(sessions.UnusableProxy, match=r"^SOURCE_PROXY: not a valid address") as failure:
        use(proxy)
    assert "sec" not in failure.value.detail
    monkeypatch.setenv("ALL_PROXY", "socks4://name:secret@proxy.test")
    with pytest.raises(SourceFailed, match="ALL_PROXY: not a valid address") as failure:
        KALSHI.list_open(REMOTE, ENOUGH_S)
    assert "secret" not in failure.value.detail


def test_http_is_requested_from_the_http_proxy(session, server, http_proxy):
    """SOCKS5 gets the address of the name: as with curl, only `socks5h` leaves names to the proxy."""
    use(http_proxy.address)
    assert session.get(f"{at_name(server)}/path").json() == NOTHING
    assert http_proxy.requests == [f"GET {at_name(server)}/path"]
    assert server.requests == ["/path"]
    with proxying("socks5") as socks_proxy:
        use(socks_proxy.address)
        session.get(server.address.replace("127.0.0.1", "localhost"))
    assert socks_proxy.requests == [f"SOCKS {server.address.removeprefix('http://')}"]


def test_https_goes_through_a_tunnel(session, https_server, proxy):
    """The proxy alone has the password, and sees the host only; the certificate is checked behind it."""
    use(proxy.address)
    assert session.get(f"{at_name(https_server)}/path").json() == NOTHING
    command = "CONNECT" if proxy.scheme == "http" else "SOCKS"
    assert proxy.requests == [f"{command} {at_name(https_server).removeprefix('https://')}"]
    proxy.password, headers = "name:p@ss", []
    use(proxy.with_password("name:p%40ss"))
    https_server.fault = lambda handler: (headers.extend(handler.headers), handler.reply(200, b"{}"))
    assert session.get(at_name(https_server)).status_code == 200
    assert "Host" in headers
    assert not [name for name in headers if "authorization" in name.lower()]


def test_an_exchange_is_asked_through_the_proxy(kraken, http_proxy):
    """The client of ccxt keeps the session that it is given."""
    use(http_proxy.address)
    kraken.bars = {"PEPE/USD": []}
    client = ExchangeClient("kraken", {"urls": {"api": {"public": at_name(kraken)}}, "enableRateLimit": False})
    assert client.list_coins(ENOUGH_S) == ({"pepe"}, "")
    assert {request.split("?")[0] for request in http_proxy.requests} == {f"GET {at_name(kraken)}/0/public/AssetPairs"}


def read_feed(url: str, seconds: float) -> object:
    try:
        return headlines.fetch(url, FeedState(), seconds, now=0)
    except FeedFailed as failure:
        if failure.detail == "it is not sent as XML":  # the answer arrived
            return None
        raise


SOURCES = {
    "polymarket": POLYMARKET.list_open,
    "kalshi": KALSHI.list_open,
    "settled markets": lambda url, seconds: KALSHI.settled(url, seconds, ["1"]),
    "pools": pools.fetch,
    "news": read_feed,
}


@pytest.mark.parametrize("source", SOURCES)
def test_every_other_source_is_asked_through_the_proxy(server, http_proxy, source):
    use(http_proxy.address)
    SOURCES[source](at_name(server), ENOUGH_S)
    assert http_proxy.requests
    assert len(http_proxy.requests) == len(server.requests)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "fault"),
    [
        *((source, fault) for source in SOURCES for fault in (hang, drip)),
        *((source, late_and_hanging) for source in SOURCES if source != "pools"),
    ],
)
def test_the_deadline_of_a_source_is_one_for_the_whole_answer(server, source, fault):
    server.fault = fault
    with pytest.raises(SourceFailed, match=r"no complete response|no pools|could not be read"):
        SOURCES[source](server.address, SHORT_S)


def broken(proxy: ProxyServer, fault: str) -> str:
    """The address of a proxy with a fault."""
    if fault == "absent":
        return f"{proxy.scheme}://127.0.0.1:{free_port()}"
    proxy.password, proxy.hangs = "name:password", fault == "hangs"
    return proxy.with_password("name:wrong")


@pytest.mark.parametrize("fault", ["absent", "refuses"])
def test_a_proxy_that_fails_is_one_sentence(session, proxy, fault):
    reason = REFUSALS[proxy.scheme] if fault == "refuses" else "Connection refused"
    use(broken(proxy, fault))
    sentence = f"^no connection through the proxy: .*{reason}$"
    with pytest.raises(requests.exceptions.ProxyError, match=sentence) as failure:
        session.get(REMOTE)
    assert len(str(failure.value)) < 120


@pytest.mark.parametrize("url", [REMOTE, f"http://{HOST}/"])
def test_a_proxy_that_hangs_ends_at_the_deadline(session, proxy, url):
    use(broken(proxy, "hangs"))
    session.deadline = time.monotonic() + SHORT_S
    with pytest.raises(requests.exceptions.Timeout):
        session.get(url)


@pytest.mark.parametrize("source", ["kalshi", "pools", "news"])
@pytest.mark.parametrize(
    ("fault", "seconds", "reason"),
    [
        *((fault, ENOUGH_S, "ProxyError") for fault in ("absent", "refuses")),
        ("hangs", SHORT_S, "no complete response in time|Timeout"),
    ],
)
def test_a_source_behind_a_broken_proxy_has_failed(http_proxy, source, fault, seconds, reason):
    use(broken(http_proxy, fault))
    with pytest.raises(SourceFailed, match=rf"^[\w :]*({reason})$"):
        SOURCES[source](REMOTE, seconds)


def test_a_wrong_certificate_is_no_fault_of_the_proxy(session, https_server, http_proxy):
    """Without a proxy an error stays as it is."""
    use(http_proxy.address)
    session.verify = True
    with pytest.raises(requests.exceptions.SSLError, match="certificate verify failed"):
        session.get(at_name(https_server))
    use("")
    with pytest.raises(requests.exceptions.ConnectionError) as failure:
        session.get(f"http://127.0.0.1:{free_port()}/")
    assert not isinstance(failure.value, requests.exceptions.ProxyError)


def test_a_call_returns_or_raises_in_time():
    """Where it does neither, its thread is abandoned, and a late result is dropped."""
    assert in_time(ENOUGH_S, lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        in_time(ENOUGH_S, lambda: 1 / 0)
    gate = Event()
    with pytest.raises(TimeoutError):
        in_time(0.0, gate.wait)
    gate.set()


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120.0),
        ("Sat, 21 Nov 2026 12:00:30 GMT", 30.0),
        ("Sat, 21 Nov 2026 11:59:00 GMT", -60.0),
        ("9" * 400, 999_999_999_999.0),
        *((header, None) for header in ("", "soon", "-5", "1.5", "1e9", "nan", "٣", "Ù£")),
    ],
)
def test_retry_after_is_a_number_or_a_date(header: str, seconds: float | None):
    assert retry_after(header, NOON) == seconds
