"""Two real `dramatiq` worker processes behind a real broker, on PostgreSQL."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pika
import pytest
from dramatiq.common import dq_name, xq_name
from sqlalchemy import func, select

from service.store import runs

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DEADLINE_S = 30


@pytest.fixture
def queue() -> str:
    return f"test_{uuid.uuid4().hex}"


@pytest.fixture(params=["redis", "rabbitmq"])
def broker_url(request, queue, in_ci) -> Iterator[str]:
    """The address of a broker on which the test has a queue of its own."""
    if not in_ci:
        pytest.skip("starts worker processes: runs with CI=true")
    url = request.getfixturevalue(f"{request.param}_url")
    yield url
    if request.param == "rabbitmq":
        _delete_from_rabbitmq(url, queue)


def _delete_from_rabbitmq(url: str, queue: str) -> None:
    with pika.BlockingConnection(pika.URLParameters(url)) as connection:
        for name in (queue, dq_name(queue), xq_name(queue)):
            connection.channel().queue_delete(name)


@contextmanager
def two_workers(database_url: str, broker_url: str, queue: str) -> Iterator[subprocess.Popen]:
    command = [sys.executable, "-m", "dramatiq", "fleet:workers", "--processes", "2", "--threads", "2"]
    environment = os.environ | {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests/jobs'}",
        "FLEET_DATABASE": database_url,
        "FLEET_BROKER": broker_url,
        "FLEET_QUEUE": queue,
    }
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)
    yield process
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    process.communicate(timeout=DEADLINE_S)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_two_worker_processes_run_each_job_once(database, database_url, applied, broker_url, queue):
    with two_workers(database_url, broker_url, queue) as process:
        deadline = time.monotonic() + DEADLINE_S
        while not _is_done(database, "second"):
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < deadline, "waited in vain"
            time.sleep(0.02)
    assert process.returncode == 0
    with database.reading() as db:
        assert db.scalar(select(func.count()).select_from(applied)) == 2


def _is_done(database, job: str) -> bool:
    with database.reading() as db:
        return runs.done_up_to(db, job) is not None
