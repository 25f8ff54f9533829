"""The reverse proxy of the examples, a real nginx, in front of each server."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from service.api.errors import HTTP, Problem
from tests.api.served import started
from tests.api.test_serving import half_sent
from tests.conftest import absent
from tests.processes import ROOT, free_port, running, wait_until

CONFIGURATION = ROOT / ".deploy" / "nginx.conf"
FORGERY = "203.0.113.9"
# Ten ways to give another address than one's own.
FORMS: list[list[tuple[str, str]]] = [
    [("X-Forwarded-For", FORGERY)],
    [("X_Forwarded_For", FORGERY)],
    [("X-Forwarded_For", FORGERY)],
    [("x_forwarded-for", FORGERY)],
    [("X-Forwarded-For", f"{FORGERY}, 127.0.0.1")],
    [("X-Forwarded-For", FORGERY), ("X-Forwarded-For", FORGERY)],
    [("X_Forwarded_For", FORGERY), ("X-Forwarded-For", "198.51.100.7"), ("X_Forwarded_For", FORGERY)],
    [("Forwarded", f"for={FORGERY}"), ("X-Real-IP", FORGERY), ("Client-IP", FORGERY)],
    [("Connection", "X-Forwarded-For"), ("X_Forwarded_For", FORGERY)],
    [("HTTP_X_FORWARDED_FOR", FORGERY), ("REMOTE_ADDR", FORGERY), ("Remote_Addr", FORGERY)],
]

pytestmark = pytest.mark.slow


@contextmanager
def nginx_before(folder: Path, behind: int) -> Iterator[int]:
    """The port of an nginx in front of another port."""
    nginx, port = shutil.which("nginx"), free_port()
    if nginx is None:
        absent("no nginx: it is in the package nginx-light of Debian")
        return
    configuration = (
        CONFIGURATION.read_text().replace("web:8000", f"127.0.0.1:{behind}").replace("listen 8000", f"listen {port}")
    )
    (folder / "nginx.conf").write_text(configuration.replace("/tmp/nginx.pid", str(folder / "nginx.pid")))
    web = [nginx, "-p", str(folder), "-c", "nginx.conf", "-g", "daemon off;"]
    with running(web, folder / "nginx.log") as process:
        wait_until(lambda: process.poll() is not None or listens(port))
        yield port


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module", params=["waitress", "granian"])
def proxy(request, tmp_path_factory, migrated_sqlite: Path) -> Iterator[int]:
    """The port of an nginx in front of a server."""
    folder = tmp_path_factory.mktemp("proxy")
    shutil.copy(migrated_sqlite, folder / "simulated.sqlite")
    with started(request.param, folder) as server, nginx_before(folder, server.port) as port:
        assert httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=20).status_code == 200
        yield port


@pytest.mark.parametrize("form", FORMS, ids=range(len(FORMS)))
def test_no_header_gives_a_caller_another_address(proxy: int, form: list[tuple[str, str]]):
    for _ in range(3):
        answer = httpx.get(f"http://127.0.0.1:{proxy}/address", headers=form)
        assert (answer.status_code, answer.text) == (200, "127.0.0.1")


def test_half_sent_requests_stay_in_the_proxy(proxy: int):
    """1,050 of one address leave the service free for others."""
    with half_sent(proxy, 1050):
        for host in ("127.0.0.2", "127.0.0.3"):
            with httpx.Client(transport=httpx.HTTPTransport(local_address=host), timeout=5) as client:
                assert client.get(f"http://127.0.0.1:{proxy}/healthz").status_code == 200


def check_problem(answer: httpx.Response, status: int) -> None:
    """An answer is a problem document of this status, with the words of the service for it."""
    assert (answer.status_code, answer.headers["Content-Type"]) == (status, "application/problem+json"), answer.text
    problem = Problem.model_validate(answer.json(), extra="forbid")
    assert (problem.status, bool(problem.title)) == (status, True)
    assert problem.type == f"urn:ninefold:problem:{problem.code}"
    assert problem.request_id == answer.headers["X-Request-ID"]
    assert answer.headers.get("Retry-After") == (str(problem.retry_after_s) if problem.retry_after_s else None)
    if status in HTTP:
        assert problem.code == HTTP[status][0]
        assert HTTP[status][1].startswith(problem.detail.rstrip("."))


@pytest.mark.parametrize(
    ("status", "request_line", "options"),
    [
        (404, "GET /metrics", {}),
        (405, "TRACE /healthz", {}),
        (413, "POST /api/v1/oracle", {"content": b" " * 70_000}),
        (414, f"GET /{'a' * 9000}", {}),
        (431, "GET /healthz", {"headers": {"X-Long": "a" * 9000}}),
        (400, "GET /healthz", {"headers": {"Host": "a b"}}),
    ],
)
def test_what_the_proxy_refuses_is_a_problem(proxy: int, status: int, request_line: str, options: dict):
    method, path = request_line.split()
    check_problem(httpx.request(method, f"http://127.0.0.1:{proxy}{path}", timeout=20, **options), status)


@pytest.mark.parametrize("head", [b"GET / HTTP/3.0\r\n", b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n"])
def test_a_form_that_the_proxy_does_not_know_is_a_problem(proxy: int, head: bytes):
    """Of the request, so that nobody sends it again."""
    with socket.create_connection(("127.0.0.1", proxy), 20) as connection:
        connection.sendall(head + b"Host: x\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 400 "), answer
    assert b'"code":"invalid_request"' in answer


def test_an_absent_service_is_a_problem(tmp_path: Path):
    with nginx_before(tmp_path, free_port()) as port:
        check_problem(httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=20), 503)


def test_too_many_connections_are_a_problem(proxy: int):
    with half_sent(proxy, 120):
        answer = httpx.get(f"http://127.0.0.1:{proxy}/healthz", timeout=20)
    check_problem(answer, 429)
