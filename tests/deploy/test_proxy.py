"""The reverse proxy of the examples, a real nginx, in front of each server."""

from __future__ import annotations

import shutil
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from service.api.serving import granian_command
from service.config import Settings
from tests.api.test_serving import half_sent
from tests.conftest import absent
from tests.processes import ROOT, free_port, running, wait_until_ready

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


@pytest.fixture(scope="module", params=["waitress", "granian"])
def proxy(request, tmp_path_factory, migrated_sqlite: Path) -> Iterator[int]:
    """The port of an nginx in front of a server."""
    nginx = shutil.which("nginx")
    if nginx is None:
        absent("no nginx: it is in the package nginx-light of Debian")
        return
    folder, port, behind = tmp_path_factory.mktemp("proxy"), free_port(), free_port()
    shutil.copy(migrated_sqlite, folder / "simulated.sqlite")
    options = {"PORT": str(behind), "DATA_DIR": str(folder), "TRUSTED_PROXIES": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "served.py"]
    if request.param == "granian":
        command = granian_command(Settings(port=behind, threads=8), 2, "served:web")
    configuration = (
        CONFIGURATION.read_text().replace("web:8000", f"127.0.0.1:{behind}").replace("listen 8000", f"listen {port}")
    )
    (folder / "nginx.conf").write_text(configuration.replace("/tmp/nginx.pid", str(folder / "nginx.pid")))
    with ExitStack() as stack:
        program_folder = ROOT / "tests" / "api"
        server = stack.enter_context(running(command, folder / "server.log", program_folder, **options))
        wait_until_ready(behind, server, folder / "server.log", "/healthz")
        web = [nginx, "-p", str(folder), "-c", "nginx.conf", "-g", "daemon off;"]
        process = stack.enter_context(running(web, folder / "nginx.log"))
        wait_until_ready(port, process, folder / "nginx.log", "/healthz")
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


def test_one_address_has_at_most_fifty_requests_at_once(proxy: int):
    """Half of these 120 have sent their head, by which they count."""
    with half_sent(proxy, 120) as connections, socket.create_connection(("127.0.0.1", proxy), timeout=5) as last:
        assert connections
        last.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert b" 429 " in last.recv(4096)


def test_metrics_are_not_public(proxy: int):
    assert httpx.get(f"http://127.0.0.1:{proxy}/metrics").status_code == 403
