"""Outgrowing one machine: two web and two job processes on PostgreSQL, as the README starts them."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.processes import children, fleet, free_port, running

pytestmark = pytest.mark.slow


def test_two_web_and_two_job_processes_are_one_service(empty_postgresql: str, redis_url: str, tmp_path: Path):
    """Whichever process answers, the quota is one, and so are the metrics. Jobs have a lower priority."""
    port = free_port()
    with fleet(port, tmp_path, DATABASE_URL=empty_postgresql, REDIS_URL=redis_url) as processes:
        address = f"http://127.0.0.1:{port}"
        assert _niceness(processes["work"].pid) == {10}
        assert _niceness(processes["web"].pid) == {0}
        statuses = _ask_at_once(address, 20)
        assert sorted(statuses) == [200] * 10 + [429] * 10, (tmp_path / "web.log").read_text()
        _check_metrics(address)


@pytest.mark.parametrize("what", ["web", "work"])
def test_wrong_settings_end_a_fleet_with_a_sentence(empty_postgresql: str, tmp_path: Path, what: str):
    command = [sys.executable, "app.py", what]
    options = {"DATABASE_URL": empty_postgresql, "DATA_DIR": str(tmp_path / "var"), "PORT": str(free_port())}
    with running(command, tmp_path / "log", EVENTS_FILE="/none", **options) as process:
        assert process.wait(60) == 2
    log = (tmp_path / "log").read_text()
    assert "ninefold: EVENTS_FILE: /none cannot be read (FileNotFoundError)\n" in log
    assert "Traceback" not in log


def _niceness(pid: int) -> set[int]:
    return {os.getpriority(os.PRIO_PROCESS, child) for child in children(pid)}


def _ask_at_once(address: str, times: int) -> list[int]:
    with httpx.Client(base_url=address, timeout=60) as client:
        key = client.post("/api/v1/register", json={"email": "fleet@example.com"}).json()["api_key"]

        def ask(number: int) -> int:
            question = {"question": f"Will bitcoin rise more than {number + 1}% this week?"}
            return client.post("/api/v1/oracle", json=question, headers={"X-API-Key": key}).status_code

        with ThreadPoolExecutor(times) as pool:
            return list(pool.map(ask, range(times)))


def _check_metrics(address: str) -> None:
    """Whichever process is scraped, it has the requests of both and what the job processes did."""
    for _ in range(8):
        page = httpx.get(f"{address}/metrics", timeout=60).text
        for status in ("200", "429"):
            assert f'ninefold_requests_total{{method="POST",route="/api/v1/oracle",status="{status}"}} 10.0' in page
        assert 'ninefold_job_duration_seconds{name="tick"}' in page
