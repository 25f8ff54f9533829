"""The two servers, as processes of their own, and connections that begin a request and never end it."""

from __future__ import annotations

import resource
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from service.api import serving
from service.api.serving import PortTaken, open_port
from service.config import Settings, SettingsError
from tests.api.served import Server, started, tell
from tests.processes import free_port, wait_until

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", ["waitress", "granian"])
def test_a_request_in_flight_is_answered_before_the_server_ends(make_folder, kind: str):
    answers: list[httpx.Response] = []
    with started(kind, make_folder()) as server:
        thread = threading.Thread(target=lambda: answers.append(httpx.get(f"{server.url}/waiting", timeout=30)))
        thread.start()
        assert (server.folder / "begun").read_text() == "begun"
        server.process.terminate()
        wait_until(lambda: not server.answers())
        assert server.process.poll() is None
        tell(server.folder / "go-on", "here you are")
        thread.join(timeout=30)
        assert (answers[0].status_code, answers[0].text) == (200, "here you are")
        assert server.process.wait(timeout=30) == 0


def test_on_ctrl_c_an_idle_server_ends_and_its_parent_goes_on(make_folder):
    with started("waitress", make_folder()) as server, httpx.Client(base_url=server.url) as client:
        client.get("/healthz")
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(timeout=10) == 0
        assert {"ready", "ended"} <= set(server.log.read_text().splitlines())


def test_a_connection_goes_on_after_a_304(server: Server):
    with httpx.Client(base_url=server.url) as client:
        first = client.get("/api/v1/docs")
        revalidation = client.get("/api/v1/docs", headers={"If-None-Match": first.headers["ETag"]})
        repetition = client.get("/api/v1/docs")
        sockets = {
            response.extensions["network_stream"].get_extra_info("client_addr")
            for response in (first, revalidation, repetition)
        }
    assert (revalidation.status_code, revalidation.content, repetition.status_code) == (304, b"", 200)
    assert len(sockets) == 1
    assert "connection" not in revalidation.headers


def test_headers_of_64_kib_are_a_clear_refusal(server: Server):
    assert httpx.get(f"{server.url}/healthz", headers={"X-Long": "a" * 65536}).status_code == 431


@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_of_10_mb_is_a_problem(server: Server, is_chunked: bool):
    body = b"{" + b" " * 10_000_000
    headers = {"Content-Type": "application/json"}
    answer = httpx.post(f"{server.url}/api/v1/register", content=iter([body]) if is_chunked else body, headers=headers)
    assert (answer.status_code, answer.headers["Content-Type"]) == (413, "application/problem+json")
    assert answer.json()["code"] == "body_too_large"


def test_a_chunked_body_is_read_whole(server: Server):
    body = iter([b'{"email":', b'"you@example.com"}'])
    headers = {"Content-Type": "application/json"}
    assert httpx.post(f"{server.url}/api/v1/register", content=body, headers=headers).status_code == 200


def test_the_address_that_a_trusted_proxy_reports_arrives(server: Server):
    headers = {"X-Forwarded-For": "192.0.2.1, 203.0.113.9"}
    assert httpx.get(f"{server.url}/address", headers=headers).text == "203.0.113.9"
    assert httpx.get(f"{server.url}/address").text == "127.0.0.1"


def test_two_granians_on_one_port_both_answer(make_folder):
    with started("granian", make_folder()) as server, started("granian", server.folder, server.port):
        processes: set[str] = set()

        def enough() -> bool:
            processes.add(httpx.get(f"{server.url}/process").text)
            return len(processes) == 2

        wait_until(enough)


@pytest.mark.parametrize(
    ("header", "statuses"), [(b"broken", (b"400",)), (b"Transfer-Encoding: gzip", (b"400", b"501"))]
)
def test_a_refusal_by_waitress_is_a_problem_too(server: Server, header: bytes, statuses: tuple[bytes, ...]):
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n" + header + b"\r\n\r\n")
        answer = connection.makefile("rb").read()
    assert answer.split()[1] in statuses
    if "granian" not in server.process.args:
        assert b"application/problem+json" in answer
        assert b'"code":"invalid_request"' in answer


@pytest.mark.parametrize("is_shared", [False, hasattr(socket, "SO_REUSEPORT")])
def test_a_port_in_use_is_refused_in_a_sentence(is_shared: bool):
    """Also one that its holder would share."""
    port = free_port()
    holder = socket.create_server(("127.0.0.1", port), reuse_port=is_shared)
    with holder, pytest.raises(PortTaken, match=f"127.0.0.1:{port}.*in use.*PORT="):
        open_port("127.0.0.1", port)


def test_a_port_that_was_just_released_is_free():
    port = free_port()
    open_port("127.0.0.1", port).close()
    open_port("127.0.0.1", port).close()


def test_a_host_that_does_not_exist_is_refused_in_words():
    with pytest.raises(SettingsError, match=r"HOST: no such address: nowhere\.invalid"):
        open_port("nowhere.invalid", 8000)


CONNECTIONS = 1050
HEAD = b"POST /api/v1/oracle HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"


@contextmanager
def half_sent(port: int, count: int) -> Iterator[list[socket.socket]]:
    """Connections of which half have not finished their head, and half their body."""
    soft_limit, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard_limit), hard_limit))
    with ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft_limit, hard_limit))
        connections = []
        for number in range(count):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=5))
            connection.sendall(HEAD + (b"\r\n{" if number % 2 else b""))
            connections.append(connection)
        yield connections


def test_one_address_cannot_take_every_connection(make_folder):
    """Most of 1,050 half-sent requests are closed at once, so other addresses are answered meanwhile."""
    with (
        started("waitress", make_folder(), request_s=60, TRUSTED_PROXIES="0") as server,
        half_sent(server.port, CONNECTIONS) as connections,
    ):
        connections[-1].settimeout(5)
        assert _is_closed(connections[-1])
        other = httpx.HTTPTransport(local_address="127.0.0.2")
        with httpx.Client(transport=other, timeout=5) as client:
            assert client.get(f"{server.url}/healthz").status_code == 200


def test_a_request_that_never_ends_is_closed_in_time(make_folder):
    """Behind a proxy all connections have one address; there the time limit frees them."""
    with started("waitress", make_folder(), request_s=2) as server, half_sent(server.port, CONNECTIONS) as connections:
        wait_until(server.answers, 15)
        assert _is_closed(connections[0])


def test_connections_that_browsers_keep_make_room(make_folder):
    """Of more viewers than there are places each is answered; the connection that was idle for longest is closed."""
    with (
        started("waitress", make_folder(), request_s=60, EVENT_STREAMS="1") as server,
        half_sent(server.port, 0) as viewers,
        ExitStack() as stack,
    ):
        for _ in range(CONNECTIONS):
            viewers.append(stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=10)))
            viewers[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert viewers[-1].recv(65536).startswith(b"HTTP/1.1 200")
        assert _is_closed(viewers[0])
        viewers[-1].settimeout(0.2)
        assert not _is_closed(viewers[-1])


def test_every_byte_does_not_give_more_time(make_folder):
    with started("waitress", make_folder(), request_s=2) as server, half_sent(server.port, 1) as (connection,):
        connection.settimeout(0.2)
        while not _is_closed(connection):
            connection.sendall(b"X")


def test_granian_ends_a_head_that_never_ends():
    command = serving.granian_command(Settings())
    assert f"--http1-header-read-timeout={serving.REQUEST_S * 1000}" in command


def _is_closed(connection: socket.socket) -> bool:
    try:
        while connection.recv(4096):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True
