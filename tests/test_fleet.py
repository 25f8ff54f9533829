"""Outgrowing one machine: two web and two job processes on PostgreSQL, as the README starts them."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from sqlalchemy import func, select

from service.store.database import Database
from service.store.tables import bar, job_run
from tests.processes import free_port, running, wait_until_ready

pytestmark = pytest.mark.slow


@pytest.fixture(params=["redis", "rabbitmq"])
def broker(request) -> str:
    """Each kind of broker that can dispatch jobs."""
    return request.getfixturevalue(f"{request.param}_url")


def test_two_web_and_two_job_processes_are_one_service(
    empty_postgresql: str, broker: str, redis_url: str, tmp_path: Path, in_ci: bool
):
    """Whichever process answers, the quota is one; whichever works, every slot is worked once."""
    if not in_ci and broker != redis_url:
        pytest.skip("one broker is enough outside CI")
    port = free_port()
    options = {
        "PORT": str(port),
        "DATA_DIR": str(tmp_path),
        "DATABASE_URL": empty_postgresql,
        "REDIS_URL": redis_url,
        "BROKER_URL": broker,
        "HISTORY_DAYS": "120",
    }
    with ExitStack() as processes:
        for what in ("work", "web"):
            command = [sys.executable, "app.py", what, "--processes", "2"]
            process = processes.enter_context(running(command, tmp_path / f"{what}.log", **options))
        wait_until_ready(port, process, tmp_path / "web.log")
        statuses = _ask_at_once(f"http://127.0.0.1:{port}", 20)
    assert sorted(statuses) == [200] * 10 + [429] * 10, (tmp_path / "web.log").read_text()
    _check_once(empty_postgresql)


def _ask_at_once(address: str, times: int) -> list[int]:
    with httpx.Client(base_url=address, timeout=60) as client:
        key = client.post("/api/v1/register", json={"email": "fleet@example.com"}).json()["api_key"]

        def ask(number: int) -> int:
            question = {"question": f"Will bitcoin rise more than {number + 1}% this week?"}
            return client.post("/api/v1/oracle", json=question, headers={"X-API-Key": key}).status_code

        with ThreadPoolExecutor(times) as pool:
            return list(pool.map(ask, range(times)))


def _check_once(url: str) -> None:
    """The first tick is done, whatever has come due since, and the market is there once."""
    database = Database(url)
    with database.reading() as db:
        first = select(job_run.c.state).where(job_run.c.job == "tick").order_by(job_run.c.slot).limit(1)
        state = db.scalar(first)
        bars, instants = db.execute(select(func.count(), func.count(bar.c.time.distinct()))).one()
    database.close()
    assert state == "done"
    assert bars >= instants > 120 * 288
