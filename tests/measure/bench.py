"""`make bench`: how fast the service is, as ratios against others in the same run.

Absolute times drift with the machine; what is printed side by side was measured in turn, seconds apart.
Linux only: the load comes from many loopback addresses, so that the public limits are on.
"""

from __future__ import annotations

import gzip
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx

from tests.measure import load, model_speed, page_speed, servers, workbench
from tests.measure.servers import ROOT, Figure, Server

ROUNDS = 5
SECONDS = 2.0
CONNECTIONS = 16
QUESTIONS = 200
OTHERS = ROOT / ".venv-bench"


def main() -> int:
    """Print every figure; the exit code says whether all goals were met."""
    has_missed = False
    with tempfile.TemporaryDirectory() as folder:
        for figure in _figures(Path(folder), load.sources()):
            print(figure, flush=True)
            has_missed |= not str(figure).startswith("ok")
    return int(has_missed)


def _figures(data: Path, addresses: Iterator[str]) -> Iterator[Figure]:
    yield _first_start(data)
    yield from _throughput(data, addresses)
    yield _oracle(data)
    yield from model_speed.figures(data, addresses)
    yield from workbench.figures(data)
    yield from page_speed.figures(data)
    yield from workbench.first_chart_figures(data)


def _first_start(data: Path) -> Figure:
    began = time.perf_counter()
    with servers.service(data):
        # Ready means that every public document is there, the hospital and the track record too.
        return Figure("first start on an empty folder until ready", time.perf_counter() - began, "s", 15, False)


def _throughput(data: Path, addresses: Iterator[str]) -> list[Figure]:
    with servers.service(data) as service:
        document = data / "document.json"
        document.write_bytes(httpx.get(service.address + service.path).content)
    # The bare route sends as many bytes as the service does to whom takes gzip.
    size = len(gzip.compress(document.read_bytes(), 6))
    with ExitStack() as stack:
        waitress = stack.enter_context(servers.service(data))
        granian = stack.enter_context(servers.service_on_granian(data))
        bare_waitress = stack.enter_context(servers.bare_on_waitress(size))
        bare_granian = stack.enter_context(servers.bare_on_granian(size))
        fastapi = stack.enter_context(servers.fastapi_on_uvicorn(_others(), document))
        return [
            Figure(
                "GET with limits / bare Flask route, both on waitress",
                _ratio(waitress, bare_waitress, addresses),
                "x",
                0.5,
                True,
            ),
            Figure(
                "GET with limits / bare Flask route, both on granian",
                _ratio(granian, bare_granian, addresses),
                "x",
                0.5,
                True,
            ),
            Figure(
                "GET with limits on granian / FastAPI (def, response model) on uvicorn",
                _ratio(granian, fastapi, addresses),
                "x",
                1.25,
                True,
            ),
        ]


def _ratio(first: Server, second: Server, addresses: Iterator[str]) -> float:
    """Median over rounds of requests per second of `one` per those of `other`, measured in turn."""
    ratios = []
    for _ in range(ROUNDS):
        rates = [_rate(server, addresses) for server in (first, second)]
        ratios.append(rates[0] / rates[1])
    return statistics.median(ratios)


def _rate(server: Server, addresses: Iterator[str]) -> float:
    return load.rate(server.port, server.path, seconds=SECONDS, connections=CONNECTIONS, addresses=addresses)


def _oracle(data: Path) -> Figure:
    """Median time of an answer, each for an end user of its own."""
    with servers.service(data) as server, httpx.Client() as client:
        key, took = servers.key({"DATA_DIR": str(data)}), []
        for number in range(QUESTIONS):
            began = time.perf_counter()
            answer = servers.ask(client, server, key, number)
            took.append(1000 * (time.perf_counter() - began))
            answer.raise_for_status()
    return Figure("median of an oracle's answer with embedded engines", statistics.median(took), "ms", 15, False)


def _others() -> Path:
    """The Python of the environment that holds what we compare with, made at the first run."""
    python = OTHERS / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(OTHERS)], check=True)
        arguments = ["-r", str(ROOT / "tests" / "measure" / "requirements.txt")]
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *arguments], check=True)
    return python


if __name__ == "__main__":
    sys.exit(main())
