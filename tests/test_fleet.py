"""Outgrowing one machine: two web and two job processes on PostgreSQL, as the README starts them."""

from __future__ import annotations

import json
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import httpx
import pytest
from sqlalchemy import func, select

from service.store.database import Database
from service.store.tables import bar, job_run
from tests.processes import children, free_port, grandchildren, running, wait_until, wait_until_ready

pytestmark = pytest.mark.slow

DAYS = 60  # of history


def test_two_web_and_two_job_processes_are_one_service(empty_postgresql: str, redis_url: str, tmp_path: Path):
    """Whichever process answers, the quota is one; whichever works, every slot is worked once.

    One that is killed is replaced, of either kind. Every process logs lines of JSON. Jobs have a lower priority.
    """
    port = free_port()
    options = {
        "PORT": str(port),
        "DATA_DIR": str(tmp_path),
        "DATABASE_URL": empty_postgresql,
        "REDIS_URL": redis_url,
        "HISTORY_DAYS": str(DAYS),
    }
    with ExitStack() as processes:
        started = {}
        for what in ("work", "web"):
            command = [sys.executable, "app.py", what, "--processes", "2"]
            started[what] = processes.enter_context(running(command, tmp_path / f"{what}.log", **options))
        wait_until_ready(port, started["web"], tmp_path / "web.log")
        address = f"http://127.0.0.1:{port}"
        assert _niceness(started["work"].pid) == {10}
        assert _niceness(started["web"].pid) == {0}
        statuses = _ask_at_once(address, 20)
        _check_metrics(address)
        for what, listed in (("work", children), ("web", grandchildren)):
            pids = partial(listed, started[what].pid)
            victim = _kill_one_of(pids())
            wait_until(lambda pids=pids, victim=victim: len(pids() - {victim}) == 2)
            assert started[what].poll() is None, (tmp_path / f"{what}.log").read_text()
        wait_until_ready(port, started["web"], tmp_path / "web.log")
    assert sorted(statuses) == [200] * 10 + [429] * 10, (tmp_path / "web.log").read_text()
    _check_once(empty_postgresql)
    for what in ("work", "web"):
        events = [json.loads(line)["event"] for line in (tmp_path / f"{what}.log").read_text().splitlines()]
        assert events.count("start") >= 3, what
        assert "job_done" in events or what == "web"


def _kill_one_of(pids: set[int]) -> int:
    """Kill one of two processes; the other remains and serves on."""
    assert len(pids) == 2
    os.kill(min(pids), signal.SIGKILL)
    return min(pids)


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
        assert 'ninefold_job_duration_seconds{job="tick"}' in page


def _check_once(url: str) -> None:
    """The first tick is done, whatever has come due since, and the market is there once."""
    database = Database(url)
    with database.reading() as db:
        first = select(job_run.c.state).where(job_run.c.job == "tick").order_by(job_run.c.slot).limit(1)
        state = db.scalar(first)
        bars, instants = db.execute(select(func.count(), func.count(bar.c.time.distinct()))).one()
    database.close()
    assert state == "done"
    assert bars >= instants > DAYS * 288
