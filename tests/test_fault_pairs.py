"""Pairs of faults: the second strikes a service of several processes before it is over the first.

`make soak` tries random pairs: FAULT_PAIRS is their number, by default 200, and FAULT_SEED repeats those of a run.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from threading import Event, Thread, Timer
from typing import NamedTuple

import httpx
import pytest
from sqlalchemy import func, make_url, select

from service.ledger.verifier import verify
from service.market.instants import DAY
from service.store import audit, ledger
from service.store.database import Database
from service.store.idempotency import HELD_S
from service.store.keys import register_key
from service.store.quotas import LEASE_S, release_expired
from service.store.secret import FILE
from service.store.tables import job_run, prediction
from tests.conftest import IN_SOAK
from tests.processes import (
    PATIENCE_S,
    children,
    fleet,
    free_port,
    grandchildren,
    session,
    wait_until,
)
from tests.relay import Relay

pytestmark = pytest.mark.slow

OUTAGE_S = 16.0
SOON_S = 5.0  # within which the second fault follows one that does not last
BACK_S = 30.0 if IN_SOAK else PATIENCE_S  # after the end of the second fault; as long as the first start, if longer
LONGEST_PAIR_S = 240.0
CALLERS = 4
RETRY_S = 1.0  # of a caller; a key has 60 questions a minute
# No answer at all, an answer, a retry during its first request, the limit of a minute, a fault that passes.
STATUSES = {0, 200, 409, 429, 503}


@dataclass
class Caller:
    """An end user who asks one question after the other, each under an Idempotency-Key until it is answered."""

    address: str
    headers: dict[str, str]
    answers: int = 0
    statuses: Counter[int] = field(default_factory=Counter)

    def ask(self) -> bool:
        """Whether the question that is to be answered next was answered now; after a pause, where it was not."""
        question = {"question": f"Will bitcoin rise more than {1 + self.answers / 100:g}% this week?"}
        status, headers = 0, self.headers | {"Idempotency-Key": f"question-{self.answers}"}
        with suppress(httpx.TransportError):
            status = httpx.post(f"{self.address}/api/v1/oracle", json=question, headers=headers, timeout=60).status_code
        self.statuses[status] += 1
        self.answers += status == 200
        if status != 200:
            time.sleep(RETRY_S)
        return status == 200

    def ask_on(self, stop: Event) -> None:
        """Ask until it is stopped and the last question was answered."""
        while not (self.ask() and stop.is_set()):
            stop.wait(RETRY_S)

    def usage(self) -> dict:
        """What the service says that was used; a process that waits for the database says nothing yet."""
        answers: list[httpx.Response] = []

        def is_answered() -> bool:
            with suppress(httpx.TransportError):
                answers.append(httpx.get(f"{self.address}/api/v1/me", headers=self.headers, timeout=60))
            return bool(answers) and answers[-1].status_code == 200

        wait_until(is_answered)
        return answers[-1].json()


@dataclass
class Fleet:
    """Two web and two job processes, the relays to what they need, and the database beside its relay."""

    address: str
    web: subprocess.Popen
    work: subprocess.Popen
    postgresql: Relay
    redis: Relay
    database: Database
    key_secret: bytes
    start_s: float

    def masters(self) -> set[int]:
        """Those of granian, of which each forks a web process."""
        return children(self.web.pid)

    def web_processes(self) -> set[int]:
        return grandchildren(self.web.pid)

    def job_processes(self) -> set[int]:
        return children(self.work.pid)

    def is_ready(self) -> bool:
        with suppress(httpx.TransportError):
            return httpx.get(f"{self.address}/readyz", timeout=30).status_code == 200
        return False

    def is_whole(self) -> bool:
        """Whether as many processes run as should, and no others: a supervisor with two, or two pairs."""
        is_counted = len(self.job_processes()) == len(self.masters()) == len(self.web_processes()) == 2
        return is_counted and (len(session(self.work.pid)), len(session(self.web.pid))) == (3, 5)

    def callers(self, owner: str, count: int) -> list[Caller]:
        """End users of a new key."""
        email, now = f"{owner}@example.com", time.time()
        with self.database.writing() as db:
            key, _ = register_key(db, self.key_secret, email, now, plan="paid", delegating=True)
        return [Caller(self.address, {"X-API-Key": key, "X-End-User": f"{owner}-{number}"}) for number in range(count)]


# A fault strikes a fleet and returns for how many seconds it lasts.
Fault = Callable[[Fleet], float]


def outage(name: str) -> Fault:
    def cut(fleet: Fleet) -> float:
        relay: Relay = getattr(fleet, name)
        relay.cut()
        Timer(OUTAGE_S, relay.mend).start()
        return OUTAGE_S

    return cut


def kill(*kinds: Callable[[Fleet], set[int]]) -> Fault:
    def strike(fleet: Fleet) -> float:
        for pids in kinds:
            wait_until(lambda pids=pids: any(_has_killed(pid) for pid in sorted(pids(fleet))))
        return 0.0

    return strike


def _has_killed(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        return True
    return False


def hang_up(*names: str) -> Fault:
    def strike(fleet: Fleet) -> float:
        for name in names:
            getattr(fleet, name).send_signal(signal.SIGHUP)
        return 0.0

    return strike


FAULTS: dict[str, Fault] = {
    "PostgreSQL away": outage("postgresql"),
    "Redis away": outage("redis"),
    "a web process killed": kill(Fleet.web_processes),
    "a job process killed": kill(Fleet.job_processes),
    "a master of granian killed": kill(Fleet.masters),
    "web hung up": hang_up("web"),
    "work hung up": hang_up("work"),
    "a web and a job process killed": kill(Fleet.web_processes, Fleet.job_processes),
    "both hung up": hang_up("web", "work"),
}
OUTAGES = {"PostgreSQL away", "Redis away"}


class Pair(NamedTuple):
    """Two faults, and how many seconds after the first the second strikes."""

    first: str
    second: str
    delay_s: float

    def __str__(self) -> str:
        return f"{self.first}, after {self.delay_s:.1f} s {self.second}"


PAIRS = (
    Pair("PostgreSQL away", "a web and a job process killed", 4.0),
    Pair("PostgreSQL away", "both hung up", 4.0),
    Pair("a web process killed", "a web process killed", 5.0),
)


def random_pairs(chance: random.Random) -> Iterator[Pair]:
    kinds = [kind for kind in product(FAULTS, repeat=2) if kind[0] != kind[1] or kind[0] not in OUTAGES]
    while True:
        first, second = chance.choice(kinds)
        yield Pair(first, second, chance.uniform(0, OUTAGE_S if first in OUTAGES else SOON_S))


@contextmanager
def started(url: str, redis_url: str, folder: Path) -> Iterator[Fleet]:
    """A fleet that is ready, of which no process is left afterwards."""
    port, database, limits = free_port(), make_url(url), make_url(redis_url)
    relays = [Relay(address.host or "127.0.0.1", address.port or 0) for address in (database, limits)]
    options = {
        "DATABASE_URL": database.set(host="127.0.0.1", port=relays[0].port).render_as_string(False),
        "REDIS_URL": limits.set(host="127.0.0.1", port=relays[1].port).render_as_string(False),
    }
    began = time.monotonic()
    with fleet(port, folder, **options) as processes, closing(Database(url)) as store:
        secret, start_s = (folder / FILE).read_bytes().strip(), time.monotonic() - began
        yield Fleet(f"http://127.0.0.1:{port}", processes["web"], processes["work"], *relays, store, secret, start_s)
    for process in processes.values():
        wait_until(lambda pid=process.pid: not session(pid))


def test_a_service_survives_a_second_fault(
    empty_postgresql: str, redis_url: str, tmp_path: Path, tries, record_property
):
    """After each pair it answers, in a soak within 30 s; every question was answered, charged and stored once.

    In the end every slot was worked once, and the record agrees with the ledger.
    """
    seed = int(os.environ.get("FAULT_SEED") or random.randrange(10**6))
    count = tries(len(PAIRS), len(PAIRS), int(os.environ.get("FAULT_PAIRS", "200")))
    pairs = random_pairs(random.Random(seed)) if IN_SOAK else iter(PAIRS)
    faults, seconds = [], {}
    with started(empty_postgresql, redis_url, tmp_path) as fleet:
        for number in range(count):
            pair = next(pairs)
            name = f"{number}: {pair}"
            try:
                seconds[name] = survive(fleet, pair, fleet.callers(f"pair-{number}", CALLERS + 1))
                print(f"{seconds[name]:8.1f} s until back  {name}", flush=True)
            except AssertionError as error:
                faults.append(f"{name}: {error}")
                print(faults[-1], flush=True)
        check_jobs(fleet.database, tmp_path / "work.log")
    record_property("seed", seed)
    record_property("longest_s", max(seconds.values(), default=0.0))
    assert not faults, f"FAULT_SEED={seed}"


def survive(fleet: Fleet, pair: Pair, callers: Sequence[Caller]) -> float:
    """Seconds from the end of the second fault until the service is ready and answers a question."""
    wait_until(lambda: -time.time() % DAY > LONGEST_PAIR_S, LONGEST_PAIR_S)  # at midnight usage begins anew
    stop, (prober, *others) = Event(), callers
    before = {"web": fleet.masters(), "work": fleet.job_processes()}
    threads = [Thread(target=caller.ask_on, args=(stop,), daemon=True) for caller in others]
    for thread in threads:
        thread.start()
    try:
        ends = [FAULTS[pair.first](fleet) + time.monotonic()]
        time.sleep(pair.delay_s)
        ends.append(FAULTS[pair.second](fleet) + time.monotonic())
        wait_until(lambda: time.monotonic() >= max(ends))
        wait_until(lambda: fleet.is_ready() and prober.ask(), max(BACK_S, fleet.start_s))
        seconds = time.monotonic() - max(ends)
    finally:
        stop.set()
        for thread in threads:
            thread.join(HELD_S + PATIENCE_S)
    assert not any(thread.is_alive() for thread in threads), "a question was never answered"
    for name, pids in before.items():
        if f"{name} hung up" in pair or "both hung up" in pair:
            # Two starts and two drains can follow one another.
            wait_until(lambda pids=pids: not pids & (fleet.masters() | fleet.job_processes()), 2 * PATIENCE_S)
    wait_until(fleet.is_whole)
    check_charges(fleet.database, callers)
    return seconds


def check_charges(database: Database, callers: Sequence[Caller]) -> None:
    """What a request that died was charged is refunded in the end, whatever it was."""
    with database.writing() as db:
        release_expired(db, time.time() + LEASE_S)
    for caller in callers:
        usage = caller.usage()
        author = f"key:{usage['key_id']}:{usage['end_user']}"
        with database.reading() as db:
            count = db.scalar(select(func.count()).where(prediction.c.author == author))
        assert (usage["used"], count) == (caller.answers, caller.answers), "(used, stored) is not what was answered"
        assert set(caller.statuses) <= STATUSES


def check_jobs(database: Database, log: Path) -> None:
    def is_idle() -> bool:
        with database.reading() as db:
            return not db.scalar(select(func.count()).where(job_run.c.state.in_(("due", "running"))))

    wait_until(is_idle)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    slots = Counter((line["job"], line["slot"]) for line in lines if line["event"] == "job_done")
    assert [slot for slot, times in slots.items() if times > 1] == []
    with database.snapshot() as db:
        assert verify(ledger.export(db)).fault is None
        assert list(audit.differences(db)) == []
