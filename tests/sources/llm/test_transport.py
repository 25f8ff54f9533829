"""The transport keeps the deadline of a whole request and the maximum size of a response."""

from __future__ import annotations

import gc
import socket
import time
from collections.abc import Iterator
from email.utils import formatdate
from threading import Event

import httpx2
import openai
import pytest

from service.sources.llm import transport
from service.sources.llm.modes import TooMuchText
from service.sources.llm.transport import Fault, Transport, fault_of
from tests.sources.conftest import ExchangeServer, self_signed, serve
from tests.sources.faults import body, drip

DEADLINE_S = 0.3
HOST = "model.test"  # a name that only a proxy resolves
REQUEST = httpx2.Request("POST", "http://model.example/v1/chat/completions")
REFUSED_CONNECTION = openai.APIConnectionError(request=REQUEST)
REFUSED_CONNECTION.__cause__ = httpx2.ConnectError("refused")


@pytest.fixture
def server() -> Iterator[ExchangeServer]:
    yield from serve(ExchangeServer(routes=lambda *_: {"answer": "yes"}))


@pytest.fixture
def client() -> Iterator[httpx2.Client]:
    with httpx2.Client(transport=Transport(), timeout=DEADLINE_S) as client:
        yield client


def test_a_response_beyond_the_maximum_size_is_refused(server, client, monkeypatch):
    """A compressed one, which could grow, is refused too; others are passed on."""
    response = client.get(f"{server.address}/any")
    assert (response.status_code, response.json()) == (200, {"answer": "yes"})
    monkeypatch.setattr(transport, "MOST_BYTES", 100)
    server.fault = body(b" " * 101)
    with pytest.raises(TooMuchText):
        client.get(f"{server.address}/any")
    server.fault = body(b" " * 100)
    assert len(client.get(f"{server.address}/any").content) == 100
    server.fault = body(b"x", Content_Encoding="gzip")
    with pytest.raises(httpx2.DecodingError, match="compressed"):
        client.get(f"{server.address}/any")


def test_a_name_that_is_not_resolved_in_time_costs_nothing(monkeypatch):
    """Nothing was sent, so the reserved budget is free again."""
    silence = Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **_options: silence.wait())
    with httpx2.Client(transport=Transport(), timeout=0.05) as client, pytest.raises(httpx2.ConnectTimeout) as error:
        client.get("http://model.example/v1/models")
    silence.set()
    assert fault_of(error.value) == transport.NOT_SENT


@pytest.fixture
def https_server(tmp_path, monkeypatch) -> Iterator[ExchangeServer]:
    """A server that speaks https and is called HOST; clients accept its certificate."""
    certificate = self_signed(HOST, tmp_path / "certificate.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    for server in serve(ExchangeServer(routes=lambda *_: {"answer": "yes"}), certificate):
        server.address = server.address.replace("127.0.0.1", HOST)
        yield server


def client_through(proxy: str, seconds: float = 10.0) -> httpx2.Client:
    return httpx2.Client(transport=Transport(proxy), timeout=seconds)


def test_requests_go_through_the_proxy(https_server, proxy):
    """It gets the name of the host, and its own password; the connection stays open for the next request."""
    proxy.password = "name:p@ss"
    with client_through(proxy.with_password("name:p%40ss")) as client:
        answers = [client.get(f"{https_server.address}/{path}").json() for path in "ab"]
    assert answers == [{"answer": "yes"}] * 2
    assert {line.split()[1] for line in proxy.requests} == {https_server.address.removeprefix("https://")}
    assert https_server.requests == ["/a", "/b"]


# httpcore2 leaves the socket of a failed SOCKS handshake to the garbage collector.
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
def test_a_proxy_that_hangs_ends_at_the_deadline(proxy):
    """One that refuses is a connection error."""
    proxy.password = "name:password"
    with client_through(proxy.with_password("name:wrong")) as client, pytest.raises(httpx2.ConnectError):
        client.get(f"https://{HOST}/any")
    proxy.hangs = True
    with client_through(proxy.address, DEADLINE_S) as client, pytest.raises(httpx2.ReadTimeout):
        client.get(f"https://{HOST}/any")
    gc.collect()


def test_a_dripping_body_ends_at_the_deadline_behind_a_proxy(https_server, proxy):
    https_server.fault = drip
    with client_through(proxy.address, DEADLINE_S) as client, pytest.raises(httpx2.ReadTimeout):
        client.get(f"{https_server.address}/any")


def refused(status: int, message: str = "no", code: str | None = None, **headers: str) -> Fault:
    """The fault of an answer with this status."""
    raw_headers = [(name.replace("_", "-").encode(), text.encode("latin-1")) for name, text in headers.items()]
    response = httpx2.Response(status, request=REQUEST, headers=raw_headers)
    return fault_of(openai.APIStatusError(message, response=response, body={"code": code, "message": message}))


@pytest.mark.parametrize(
    ("status", "reason", "is_passing"),
    [
        (302, "has moved", False),
        (400, "refused the request", False),
        *((status, "refused the key", False) for status in (401, 403)),
        (402, "is out of credit", False),
        (404, "was not found", False),
        (429, "accepts no more requests at the moment", True),
        *((status, "failed", status != 501) for status in (500, 501, 502, 503, 529)),
    ],
)
def test_a_status_has_a_reason(status: int, reason: str, is_passing: bool):
    """The text of the provider is never quoted; a refused request costs nothing; a spent account is not asked again."""
    fault = refused(status, "sk-secret")
    assert (fault.reason, fault.is_passing, fault.may_cost) == (f"{reason} ({status})", is_passing, False)
    assert fault.fails_inside == (status == 500)
    fault = refused(429, code="insufficient_quota")
    assert (fault.reason, fault.is_passing) == ("is out of credit (429)", False)


def test_a_server_may_ask_to_wait():
    """In seconds or until a date; an invalid header and a date that is past ask for nothing."""
    past = formatdate(time.time() - 60, usegmt=True)
    assert [refused(429, Retry_After=header).wait_s for header in ("7", "soon", past)] == [7, 0, 0]


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (httpx2.ReadTimeout("slow"), transport.TIMEOUT),
        (httpx2.ConnectTimeout("no connection"), transport.NOT_SENT),
        (httpx2.ConnectError("refused"), transport.NO_CONNECTION),
        (httpx2.ReadError("reset"), transport.BROKEN_OFF),
        (TooMuchText(), transport.TOO_LONG),
        (ValueError("no JSON"), transport.BAD_ANSWER),
        (httpx2.DecodingError("compressed"), transport.BAD_ANSWER),
        (openai.APIError("overloaded", REQUEST, body=None), transport.BROKEN_OFF),
        (REFUSED_CONNECTION, transport.NO_CONNECTION),
    ],
)
def test_a_broken_connection_has_a_fault(error: Exception, fault: Fault):
    """An error inside a stream breaks it off; of an error of a connection the cause counts."""
    assert fault_of(error) == fault
