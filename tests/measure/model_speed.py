"""What language models in all six seats cost beside the time that they take themselves: part of `make bench`.

The models are a server of this machine that waits and answers; nothing of what is measured is theirs.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import httpx

from service.config import SEATS
from tests.measure import load, servers
from tests.measure.servers import Figure, Server

WAITS_MS = dict(zip(SEATS, (200, 360, 520, 680, 840, 1000), strict=True))
SLOWEST_MS = max(WAITS_MS.values())
QUESTIONS = 10
CALLERS = 8
OPEN = 16
OPEN_MS = 15_000
LOAD_S = 10.0  # the 99th percentile of fewer seconds is another one each time
ROUNDS = 3


def figures(data: Path, addresses: Iterator[str]) -> list[Figure]:
    """The three figures of a service over `data`, whose first start is over."""
    key, numbers = servers.key({"DATA_DIR": str(data)}), count()
    command = [sys.executable, "-m", "tests.measure.waiting_models"]
    with servers.running(command, "/open") as models:
        with servers.service(data, **seated(models, WAITS_MS)) as service:
            one_by_one_and_at_once = [_alone(service, key, numbers), _at_once(service, key, numbers)]
        with servers.service(data, **seated(models, dict.fromkeys(SEATS, OPEN_MS))) as service:
            return [*one_by_one_and_at_once, _under_open_questions(service, models, key, numbers, addresses)]


def seated(models: Server, waits_ms: Mapping[str, int]) -> dict[str, str]:
    """What seats a model in each seat that answers after so many milliseconds."""
    options = {"ORACLE_DEADLINE_S": "30"}
    for seat, wait_ms in waits_ms.items():
        options[f"ORACLE_{seat.upper()}_MODEL"] = f"wait-{wait_ms}"
        options[f"ORACLE_{seat.upper()}_BASE_URL"] = f"{models.address}/v1"
    return options


def _alone(service: Server, key: str, numbers: Iterator[int]) -> Figure:
    """The whole answer to one caller at a time, without the slowest model's own time."""
    took = [_answer_ms(service, key, next(numbers)) for _ in range(QUESTIONS)]
    over = statistics.median(took) - SLOWEST_MS
    return Figure("answer of six models of 200 to 1000 ms - the slowest of them", over, "ms", 60, False)


def _at_once(service: Server, key: str, numbers: Iterator[int]) -> Figure:
    """The same for callers who ask different questions at once: the slowest answer; median over rounds."""
    slowest = []
    with ThreadPoolExecutor(CALLERS) as callers:
        for _ in range(ROUNDS):
            futures = [callers.submit(_answer_ms, service, key, next(numbers)) for _ in range(CALLERS)]
            slowest.append(max(answer.result() for answer in futures))
    over = statistics.median(slowest) - SLOWEST_MS
    return Figure(f"slowest answer of {CALLERS} callers at once - the slowest model", over, "ms", 300, False)


def _under_open_questions(
    service: Server, models: Server, key: str, numbers: Iterator[int], addresses: Iterator[str]
) -> Figure:
    """GET p99 while questions wait for their models, against idle; median over rounds, measured in turn."""
    idle, ratios = [], []
    with ThreadPoolExecutor(OPEN) as callers:
        for _ in range(ROUNDS):
            idle.append(_p99_ms(service, addresses))
            futures = [callers.submit(_answer_ms, service, key, next(numbers)) for _ in range(OPEN)]
            _wait_until_open(models, OPEN * len(SEATS))
            ratios.append(_p99_ms(service, addresses) / idle[-1])
            if any(answer.done() for answer in futures):
                raise RuntimeError("a question was answered before the load was over")
            for answer in futures:
                answer.result()
    name = f"GET p99 with {OPEN} questions open at six models / idle ({statistics.median(idle):.1f} ms)"
    return Figure(name, statistics.median(ratios), "x", 2, False)


def _answer_ms(service: Server, key: str, number: int) -> float:
    """Milliseconds until the whole answer is there; raises where a seat was not its model."""
    with httpx.Client(timeout=60) as client:
        began = time.perf_counter()
        answer = servers.ask(client, service, key, number)
        took = 1000 * (time.perf_counter() - began)
    votes = answer.raise_for_status().json()["votes"]
    others = [seat for seat in SEATS if not votes.get(seat, {}).get("engine", "").startswith("custom:wait-")]
    if others:
        raise RuntimeError(f"no vote of a model from {', '.join(others)}: {answer.text}")
    return took


def _wait_until_open(models: Server, target: int) -> None:
    until = time.monotonic() + OPEN_MS / 1000 - LOAD_S
    while (waiters := int(httpx.get(models.address + models.path).text)) < target:
        if time.monotonic() > until:
            raise RuntimeError(f"{waiters} of {target} models were asked")
        time.sleep(0.05)


def _p99_ms(service: Server, addresses: Iterator[str]) -> float:
    result = load.run(service.port, service.path, seconds=LOAD_S, connections=4, addresses=addresses)
    if result.failures:
        raise RuntimeError(f"{result.failures} of {len(result.latencies)} answers were not 200")
    return result.quantile_ms(0.99)
