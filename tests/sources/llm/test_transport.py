"""The transport keeps the deadline of a whole request and the maximum size of a response."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from email.utils import formatdate

import httpx2
import openai
import pytest

from service.sources.llm import transport
from service.sources.llm.modes import TooMuchText
from service.sources.llm.transport import (
    BAD_ANSWER,
    BROKEN_OFF,
    NO_CONNECTION,
    TIMEOUT,
    TOO_LONG,
    Fault,
    TooLong,
    Transport,
    fault_of,
)
from tests.processes import free_port
from tests.sources.certificates import self_signed
from tests.sources.conftest import ExchangeServer, serve
from tests.sources.faults import body, drip

DEADLINE_S = 0.3
HOST = "model.test"  # a name that only a proxy resolves


@pytest.fixture
def server() -> Iterator[ExchangeServer]:
    yield from serve(ExchangeServer(routes=lambda *_: {"answer": "yes"}))


@pytest.fixture
def client() -> Iterator[httpx2.Client]:
    with httpx2.Client(transport=Transport(), timeout=DEADLINE_S) as client:
        yield client


def test_a_response_is_passed_on(server, client):
    response = client.get(f"{server.address}/any")
    assert (response.status_code, response.json()) == (200, {"answer": "yes"})


def test_a_dripping_body_ends_at_the_deadline(server, client):
    server.fault, began = drip, time.monotonic()
    with pytest.raises(httpx2.ReadTimeout):
        client.get(f"{server.address}/any")
    assert DEADLINE_S <= time.monotonic() - began < DEADLINE_S + 0.5


def test_a_response_beyond_the_maximum_size_is_refused(server, client, monkeypatch):
    monkeypatch.setattr(transport, "MOST_BYTES", 100)
    server.fault = body(b" " * 101)
    with pytest.raises(TooLong):
        client.get(f"{server.address}/any")
    server.fault = body(b" " * 100)
    assert len(client.get(f"{server.address}/any").content) == 100


def test_a_compressed_response_is_refused(server, client):
    server.fault = body(b"x", Content_Encoding="gzip")
    with pytest.raises(httpx2.DecodingError, match="compressed"):
        client.get(f"{server.address}/any")


@pytest.fixture
def https_server(tmp_path, monkeypatch) -> Iterator[ExchangeServer]:
    """A server that speaks https and is called HOST; clients accept its certificate."""
    certificate = self_signed(HOST, tmp_path / "certificate.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    for server in serve(ExchangeServer(routes=lambda *_: {"answer": "yes"}), certificate):
        server.address = server.address.replace("127.0.0.1", HOST)
        yield server


@pytest.fixture
def collection() -> Iterator[None]:
    """Free what is left over: httpcore2 leaves the socket of a failed SOCKS handshake to the garbage collector."""
    yield
    gc.collect()


LEFT_OVER = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")


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


def test_http_is_requested_from_the_http_proxy(server, http_proxy):
    url = server.address.replace("127.0.0.1", HOST)
    with client_through(http_proxy.address) as client:
        assert client.get(f"{url}/any").json() == {"answer": "yes"}
    assert http_proxy.requests == [f"GET {url}/any"]


@LEFT_OVER
@pytest.mark.usefixtures("collection")
def test_a_proxy_that_hangs_ends_at_the_deadline(proxy):
    proxy.hangs = True
    with client_through(proxy.address, DEADLINE_S) as client, pytest.raises(httpx2.ReadTimeout):
        client.get(f"https://{HOST}/any")


def test_a_dripping_body_ends_at_the_deadline_behind_a_proxy(https_server, proxy):
    https_server.fault = drip
    with client_through(proxy.address, DEADLINE_S) as client, pytest.raises(httpx2.ReadTimeout):
        client.get(f"{https_server.address}/any")


@LEFT_OVER
@pytest.mark.usefixtures("collection")
def test_a_proxy_that_refuses_is_a_connection_error(proxy):
    proxy.password = "name:password"
    with client_through(proxy.with_password("name:wrong")) as client, pytest.raises(httpx2.ConnectError):
        client.get(f"https://{HOST}/any")


@pytest.mark.parametrize("proxy", [False, True])
def test_a_closed_port_is_a_connection_error(proxy):
    """Of the server or of its proxy."""
    nowhere = f"http://127.0.0.1:{free_port()}"
    client = client_through(nowhere) if proxy else httpx2.Client(transport=Transport(), timeout=10)
    with client, pytest.raises(httpx2.ConnectError):
        client.get(f"https://{HOST}/any" if proxy else nowhere)


REQUEST = httpx2.Request("POST", "http://model.example/v1/chat/completions")


def refused(status: int, message: str = "no", code: str | None = None, **headers: str) -> Fault:
    """The fault of an answer with this status."""
    raw_headers = [(name.replace("_", "-").encode(), text.encode("latin-1")) for name, text in headers.items()]
    response = httpx2.Response(status, request=REQUEST, headers=raw_headers)
    return fault_of(openai.APIStatusError(message, response=response, body={"code": code, "message": message}))


@pytest.mark.parametrize(
    ("status", "reason", "is_passing"),
    [
        (302, "has moved (302)", False),
        (400, "refused the request (400)", False),
        (401, "refused the key (401)", False),
        (402, "is out of credit (402)", False),
        (403, "refused the key (403)", False),
        (404, "was not found (404)", False),
        (429, "accepts no more requests at the moment (429)", True),
        (500, "failed (500)", True),
        (501, "failed (501)", False),
        (502, "failed (502)", True),
        (503, "failed (503)", True),
        (529, "failed (529)", True),
    ],
)
def test_a_status_has_a_reason(status: int, reason: str, is_passing: bool):
    """The text of the provider is never quoted; a refused request costs nothing."""
    fault = refused(status, "sk-secret")
    assert (fault.reason, fault.is_passing, fault.may_cost) == (reason, is_passing, False)
    assert fault.fails_inside == (status == 500)


def test_a_spent_account_is_not_asked_again():
    fault = refused(429, code="insufficient_quota")
    assert (fault.reason, fault.is_passing) == ("is out of credit (429)", False)


@pytest.mark.parametrize(
    ("retry_after", "wait_s"),
    [*(("7", 7), ("", 0), ("soon", 0), ("-5", 0), ("1e9", 0), ("nan", 0), ("Ù£", 0), ("9" * 400, 10**12 - 1))],
)
def test_a_server_may_ask_to_wait(retry_after: str, wait_s: float):
    """In seconds or until a date; an invalid header asks for nothing."""
    assert refused(429, Retry_After=retry_after).wait_s == wait_s
    assert 50 < refused(429, Retry_After=formatdate(time.time() + 60, usegmt=True)).wait_s <= 60
    assert refused(429, Retry_After=formatdate(time.time() - 60, usegmt=True)).wait_s == 0


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (httpx2.ReadTimeout("slow"), TIMEOUT),
        (httpx2.ConnectError("refused"), NO_CONNECTION),
        (httpx2.ReadError("reset"), BROKEN_OFF),
        (TooLong("too long"), TOO_LONG),
        (TooMuchText(), TOO_LONG),
        (ValueError("no JSON"), BAD_ANSWER),
        (httpx2.DecodingError("compressed"), BAD_ANSWER),
        (openai.APIError("overloaded", REQUEST, body=None), BROKEN_OFF),
    ],
)
def test_a_broken_connection_has_a_fault(error: Exception, fault: Fault):
    """An error inside a stream breaks it off."""
    assert fault_of(error) == fault


def test_the_cause_of_a_connection_error_counts():
    error = openai.APIConnectionError(request=REQUEST)
    error.__cause__ = httpx2.ConnectError("refused")
    assert fault_of(error) == NO_CONNECTION
