"""A long mixed load on a replay: questions to slow models, telemetry, event streams, webhooks and ticks at once.

One web process (granian) and one job process on PostgreSQL and a Redis of their own. Telemetry is sent by a process of
its own: beside the threads of the other callers its latencies would be those of this program. A row is printed every
minute; at the end, whether telemetry stayed fast, nothing failed, and memory was flat over the second half.

    python -m tests.measure.mixed_load BARS [--minutes 60]
"""

from __future__ import annotations

import argparse
import multiprocessing
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import count
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import make_url

from service.config import SEATS
from tests import processes
from tests.conftest import POSTGRESQL, schema_of_its_own
from tests.measure import asking, load, servers
from tests.measure.fleet import children
from tests.measure.model_speed import seated
from tests.measure.servers import Server
from tests.own_redis import OwnRedis
from tests.processes import wait_until
from tests.receiver import Receiver, receiving

QUESTIONS, STREAMS, GETS_PER_S, GETTERS = 30, 5, 200, 4
MODEL_MS = 5_000
TICK_S, BAR_S = 5, 3600
PATHS = ("/api/v1/prices", "/api/v1/bot-battle", "/api/streaks", "/api/apex/status")
CALLS_PER_KEY = 1_900  # under the limit of a delegating key
LARGEST_P99_MS, LARGEST_GROWTH = 100.0, 0.05
WARM_S = 120  # until every document of a first start is there


@dataclass
class Seen:
    """What came back: GETs with their latencies, statuses and refusals of calls, the stream of each event."""

    latencies: list[float] = field(default_factory=list)
    answers: list[tuple[str, int]] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)

    @property
    def statuses(self) -> Counter[tuple[str, int]]:
        """How often each kind of call had each status; 0 stands for no answer. Threads append, which loses nothing."""
        return Counter(self.answers)

    def failed(self) -> int:
        """Answers that were a fault of the server, or none at all."""
        return sum(times for (_, status), times in self.statuses.items() if status >= 500 or not status)


def telemetry(port: int, results: Queue[tuple[float, int] | None], stopping: Event) -> None:
    """GETs at a fixed rate over a few connections: the latency and the status of each, and None at the end."""
    addresses = load.sources()
    threads = [threading.Thread(target=getting, args=(port, results, stopping, addresses)) for _ in range(GETTERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put(None)


def getting(port: int, results: Queue[tuple[float, int] | None], stopping: Event, addresses: Iterator[str]) -> None:
    """GETs one after the other; a latency counts from the instant at which its GET was due."""
    free: list[load.Connection] = []
    due = time.perf_counter()
    for number in count():
        if stopping.is_set():
            return
        time.sleep(max(0.0, due - time.perf_counter()))
        status = 0
        with suppress(OSError):
            connection = free.pop() if free else load.Connection(port, next(addresses))
            status = _status(connection, PATHS[number % len(PATHS)])
            if connection.left:
                free.append(connection)
            else:
                connection.socket.close()
        results.put((time.perf_counter() - due, status))
        due += GETTERS / GETS_PER_S


def recorded(results: Queue[tuple[float, int] | None], seen: Seen) -> None:
    """Keep what the process that sends telemetry reports, until its end."""
    while (result := results.get()) is not None:
        latency, status = result
        seen.latencies.append(latency)
        seen.answers.append(("GET", status))


def _status(connection: load.Connection, path: str) -> int:
    connection.send(load.get(path))
    while (answer := connection.receive()) is None:
        pass
    return int(answer[9:12])


def questions(server: Server, seen: Seen, keys: Sequence[str], numbers: Iterator[int], after_s: float) -> None:
    """One question after the other, each for an end user of its own; callers do not all begin at the same instant."""
    with httpx.Client(timeout=60) as client:
        seen.stopping.wait(after_s)
        while not seen.stopping.is_set():
            number = next(numbers)
            status = 0
            with suppress(httpx.TransportError):
                answer = asking.ask(client, server, keys[number // CALLS_PER_KEY % len(keys)], number)
                status = answer.status_code
                if answer.is_client_error:
                    seen.refusals.append(answer.json()["detail"])
            seen.answers.append(("question", status))


def events(server: Server, seen: Seen, key: str, number: int) -> None:
    """One event stream, resumed after its last event when it ends."""
    last = ""
    while not seen.stopping.is_set():
        headers = {"X-API-Key": key, **({"Last-Event-ID": last} if last else {})}
        status = 0
        with (
            suppress(httpx.TransportError),
            httpx.stream("GET", f"{server.address}/api/v1/events", headers=headers, timeout=60) as stream,
        ):
            status = stream.status_code
            for line in stream.iter_lines():
                if line.startswith("id:"):
                    last = line.removeprefix("id:").strip()
                elif line.startswith("event:"):  # an id alone says how far the stream has come
                    seen.events.append(number)
                if seen.stopping.is_set():
                    return
        seen.answers.append(("stream", status))


def memory_mb(pid: int) -> float:
    """The memory of a process and all that it started, in MB; what several share counts once."""
    total, waiting = 0, [pid]
    while waiting:
        pid = waiting.pop()
        waiting += children(pid)
        with suppress(OSError):
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            total += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return total / 1024


def watch(seen: Seen, receiver: Receiver, web: int, work: int, minutes: int) -> list[float]:
    """Print a row every minute; the memory after each, of the web and the job process together."""
    columns = ("GETs", "p50 ms", "p99 ms", "answers", "events", "webhooks", "web MB", "jobs MB", "failed")
    print(f"{'minute':>6}", *(f"{name:>9}" for name in columns), sep="")
    memory: list[float] = []
    for minute in range(1, minutes + 1):
        begun, answered = len(seen.latencies), seen.statuses["question", 200]
        time.sleep(60)
        these = load.Load(60, seen.latencies[begun:])
        parts = memory_mb(web), memory_mb(work)
        memory.append(sum(parts))
        print(
            f"{minute:>6}{len(these.latencies):>9,}{these.quantile_ms(0.5):>9.1f}{these.quantile_ms(0.99):>9.1f}"
            f"{seen.statuses['question', 200] - answered:>9}{len(seen.events):>9,}{len(receiver.verified):>9,}"
            f"{parts[0]:>9.0f}{parts[1]:>9.0f}{seen.failed():>9}",
            flush=True,
        )
    return memory


def grown(memory: Sequence[float]) -> float:
    """The growth of the memory from the first third to the last one, by medians: a monthly refit runs a minute."""
    third = max(1, len(memory) // 3)
    return statistics.median(memory[-third:]) / statistics.median(memory[:third]) - 1


def summary(seen: Seen, receiver: Receiver, memory: Sequence[float]) -> int:
    """Print what the whole load came to; 1 if a goal was missed."""
    p99 = load.Load(1, seen.latencies).quantile_ms(0.99)
    growth = grown(memory[len(memory) // 2 :])
    repeated = len(receiver.ids) - len(set(receiver.ids))
    print(dict(seen.statuses), f"events of each stream: {sorted(Counter(seen.events).values())}", sep="\n")
    for refusal, times in Counter(seen.refusals).most_common(5):
        print(f"refused {times} times: {refusal}")
    print(f"GET p99 {p99:.1f} ms, memory {growth:+.1%} over the second half")
    print(f"{repeated} webhooks repeated, {receiver.forged} forged")
    return int(p99 > LARGEST_P99_MS or growth > LARGEST_GROWTH or bool(seen.failed()))


def run(bars: Path, minutes: int) -> int:
    """Start everything, watch it for so many minutes and stop it."""
    with ExitStack() as stack:
        url = stack.enter_context(schema_of_its_own(make_url(POSTGRESQL).set(drivername="postgresql+psycopg")))
        redis = OwnRedis()
        stack.callback(redis.stop)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        models = stack.enter_context(servers.running([sys.executable, "-m", "tests.measure.waiting_models"], "/open"))
        environment = seated(models, dict.fromkeys(SEATS, MODEL_MS)) | {
            "DATA_DIR": str(folder),
            "DATABASE_URL": url,
            "REDIS_URL": redis.url,
            "ORACLE_CONCURRENCY": str(QUESTIONS + 2),
            "WEBHOOK_PRIVATE": "1",
            "WORLD": "replay",
            "REPLAY_DIR": str(bars.resolve()),
            "WORLD_SPEED": str(BAR_S // TICK_S),
        }
        work = [sys.executable, "app.py", "work", "--processes", "1"]
        worker = stack.enter_context(processes.running(work, folder / "work.log", **environment, LOG_LEVEL="error"))
        with suppress(OSError):  # fewer shares for its session, as the compose file has it
            Path(f"/proc/{worker.pid}/autogroup").write_text("10")
        web = [sys.executable, "app.py", "web", "--processes", "1"]
        server = stack.enter_context(servers.running(web, PATHS[0], ready="/readyz", **environment))
        return _loaded(stack, server, environment, worker.pid, minutes)


def _loaded(stack: ExitStack, server: Server, environment: dict[str, str], worker: int, minutes: int) -> int:
    seen, receiver, numbers = Seen(), stack.enter_context(receiving()), count()
    stack.callback(seen.stopping.set)
    most_calls = minutes * 60 * QUESTIONS * 1000 // MODEL_MS
    callers = [asking.key(environment, owner=f"app-{n}") for n in range(1 + most_calls // CALLS_PER_KEY)]
    listeners = [asking.key(environment, "--plan", "paid", owner=f"listener-{n}") for n in range(2)]
    hook = {"url": receiver.url, "events": []}
    created = httpx.post(f"{server.address}/api/v1/webhooks", json=hook, headers={"X-API-Key": listeners[0]})
    receiver.secret = created.raise_for_status().json()["secret"]
    for path in PATHS:
        wait_until(lambda path=path: httpx.get(server.address + path).status_code == 200, WARM_S)
    spawning = multiprocessing.get_context("spawn")
    results, stopping = spawning.Queue(), spawning.Event()
    stack.callback(stopping.set)
    spawning.Process(target=telemetry, args=(server.port, results, stopping), daemon=True).start()
    work: list[tuple[Callable[..., None], tuple[Any, ...]]] = [(recorded, (results, seen))]
    work += [
        (questions, (server, seen, callers, numbers, MODEL_MS / 1000 * each / QUESTIONS)) for each in range(QUESTIONS)
    ]
    work += [(events, (server, seen, listeners[number % 2], number)) for number in range(STREAMS)]
    # Daemons, so that the measurement ends at once when it is interrupted.
    threads = [threading.Thread(target=target, args=arguments, daemon=True) for target, arguments in work]
    for thread in threads:
        thread.start()
    memory = watch(seen, receiver, server.pid, worker, minutes)
    seen.stopping.set()
    stopping.set()
    for thread in threads:
        thread.join(timeout=60)
    return summary(seen, receiver, memory)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bars", type=Path, help="a folder of hourly CSV files")
    parser.add_argument("--minutes", type=int, default=60)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was started is stopped
    return run(options.bars, options.minutes)


if __name__ == "__main__":
    sys.exit(main())
