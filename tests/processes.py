"""Starting the commands of the README as a stranger would, on free ports and folders of their own."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import redis

ROOT = Path(__file__).resolve().parents[1]
PATIENCE_S = 240  # of every wait for what must come, also on a slow machine; a wait that is over costs nothing


def free_port() -> int:
    """A port without a listener."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running(command: list[str], log: Path, folder: Path = ROOT, **environment: str) -> Iterator[subprocess.Popen]:
    """A process in `folder` that is ended with SIGTERM; what it says goes to `log`."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise


@contextmanager
def fleet(port: int, folder: Path, **options: str) -> Iterator[dict[str, subprocess.Popen]]:
    """Two job and two web processes, by the command of their supervisor, as soon as they are ready."""
    options |= {"PORT": str(port), "DATA_DIR": str(folder), "HISTORY_DAYS": "60"}
    with ExitStack() as stack:
        processes = {
            name: stack.enter_context(
                running([sys.executable, "app.py", name, "--processes", "2"], folder / f"{name}.log", **options)
            )
            for name in ("work", "web")
        }
        wait_until_ready(port, processes["web"], folder / "web.log")
        yield processes


def wait_until(true: Callable[[], bool], seconds: float = PATIENCE_S) -> None:
    """Wait until `true()`, for at most `seconds`."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.01)


def wait_until_ready(port: int, process: subprocess.Popen, log: Path, path: str = "/readyz") -> None:
    """Wait until `path` answers 200; what the process said is the reason when it does not come."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()
        try:
            if httpx.get(f"http://127.0.0.1:{port}{path}", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"not ready within {PATIENCE_S} s: {log.read_text()}")


def wait_until_said(pattern: str, process: subprocess.Popen, log: Path) -> re.Match[str]:
    """What stands in the log at a pattern, as soon as it does."""
    deadline = time.monotonic() + PATIENCE_S
    while not (match := re.search(pattern, log.read_text())):
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)
    return match


def children(pid: int) -> set[int]:
    """The processes that a process has started."""
    pids = set()
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # this thread has just ended
            pids.update(map(int, file.read_text().split()))
    return pids


def grandchildren(pid: int) -> set[int]:
    """The processes that those have started, such as what granian forks."""
    return set().union(*map(children, children(pid)))


def session(leader: int) -> set[int]:
    """The processes that live in the session of a process that `running` started."""
    pids = set()
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            state, _, _, leader_of_it = file.read_text().rpartition(")")[2].split()[:4]
            if int(leader_of_it) == leader and state != "Z":
                pids.add(int(file.parent.name))
    return pids


def respawn(work: Callable[[], None]) -> None:
    """Do the work in one forked process after the other, until one of them ends without a signal."""
    while True:
        child = os.fork()
        if not child:
            work()
            os._exit(0)
        if not os.WIFSIGNALED(os.waitpid(child, 0)[1]):
            return


class Respawned:
    """The processes of a program that calls `respawn`, one after the other; each says its process id first."""

    def __init__(self, program: Path, *words: str) -> None:
        command, environment = [sys.executable, program, *words], {"PYTHONPATH": str(ROOT)}
        self.parent = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=-1, stdout=-1, text=True, bufsize=1)
        self.pid = int(self.hear())

    def hear(self) -> str:
        """The next line that it says."""
        return self.parent.stdout.readline().strip()

    def tell(self, line: str) -> None:
        self.parent.stdin.write(f"{line}\n")

    def kill(self) -> None:
        """End the process now, whatever it does."""
        os.kill(self.pid, signal.SIGKILL)

    def replace(self) -> None:
        """Go on with the next process."""
        self.pid = int(self.hear())

    def end(self) -> None:
        self.parent.communicate(timeout=10)


class OwnRedis:
    """An empty Redis server that nobody else uses; it may be killed, frozen and wiped."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.client = redis.Redis.from_url(self.url, socket_timeout=5)
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        words = ["--port", str(self.port), "--save", "", "--appendonly", "no"]
        self.process = subprocess.Popen(["redis-server", *words], stdout=subprocess.DEVNULL)
        wait_until(self._answers)

    def stop(self) -> None:
        """End it at once, with all that it holds."""
        self.process.kill()
        self.process.wait()

    def _answers(self) -> bool:
        assert self.process.poll() is None, f"redis-server ended at once on port {self.port}"
        try:
            return bool(self.client.ping())
        except redis.RedisError:
            return False
