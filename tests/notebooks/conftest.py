"""A real service in this process, clients with keys of the paid plan, and panels over them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from copy import deepcopy
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from notebooks.settings import LabSettings
from service.client import Client, ClientError
from service.jobs.apex import ANSWER_EVERY_S
from service.market.instants import HOUR, utc
from service.store import keys
from service.store.secret import key_secret
from tests.jobs.conftest import later, live_data, live_prices, outside_world  # noqa: F401  (three of them are fixtures)
from tests.processes import free_port, wait_until_ready
from tests.processes import running as process
from tests.running_service import HISTORY_DAYS, QUESTION, START, RunningService, copied, replaying, running_service

# The fixture of the data of each state of a service: its three worlds after the first start, and two days later.
STATES = {"simulated": "seeded", "live": "live_data", "replay": "replayed_start", "later": "later"}
# The clock stands still, so a full rate limit window never empties: each client has its own address.
ADDRESSES = (f"10.{number // 65536}.{number // 256 % 256}.{number % 256}" for number in count(1))


@pytest.fixture(scope="session")
def running(seeded: Path, tmp_path_factory) -> Iterator[RunningService]:
    """The seeded service with a challenge that has votes; tests must not change it."""
    with challenged_service(copied(seeded, tmp_path_factory.mktemp("workbench"))) as running:
        yield running


@contextmanager
def challenged_service(folder: Path) -> Iterator[RunningService]:
    """The service over the data in `folder` with a challenge that has votes."""
    with running_service(folder) as running:
        with client_of(running) as client:
            deadline = f"{utc(START) + timedelta(days=9):%Y-%m-%d}"
            number = client.create_challenge(QUESTION, deadline)["number"]
            client.vote(f"challenge-{number}", "no")
        running.move(ANSWER_EVERY_S)
        yield running


@pytest.fixture(scope="session")
def service_in(request, tmp_path_factory) -> Callable[[str], AbstractContextManager[RunningService]]:
    """Opens the service in one of STATES, and does what is due there."""

    @contextmanager
    def open_state(state: str) -> Iterator[RunningService]:
        fixture, is_live = request.getfixturevalue, state == "live"
        folder = copied(fixture(STATES[state]), tmp_path_factory.mktemp(state))
        options = fixture("outside_world").options if is_live else {}
        scope = running_service(folder, START + {"later": 48 * HOUR, "live": 60}.get(state, 0), **options)
        if state == "replay":
            scope = replaying(fixture("shared_data"), folder)
        with live_prices() if is_live else nullcontext(), scope as service:
            service.work()
            yield service

    return open_state


@pytest.fixture(scope="session")
def new_client(running: RunningService) -> Iterator[Callable[[], Client]]:
    """Builds clients of the seeded service, each with its own key."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(client_of(running))


@pytest.fixture
def client(new_client: Callable[[], Client]) -> Client:
    return new_client()


@pytest.fixture
def stub(client: Client) -> InterceptedClient:
    """A client whose responses the test changes."""
    return InterceptedClient(client)


@pytest.fixture
def open_panel(running: RunningService) -> Iterator[Callable[..., Any]]:
    """Opens panels that have refreshed once and refresh again only on request; closes them after the test."""
    with ExitStack() as stack:

        def open_panel(panel_class: Callable[..., Any], client: Any, **options: Any) -> Any:
            panel = panel_class(client, refreshing=False, now=lambda: utc(running.wall), **options)
            stack.callback(panel.close)
            assert panel.wait_until_loaded()
            return panel

        yield open_panel


@pytest.fixture(scope="session")
def documents(new_client: Callable[[], Client]) -> dict[str, Any]:
    """`documents_of` the seeded service."""
    return documents_of(new_client())


def documents_of(client: Client) -> dict[str, Any]:
    """The responses of a service by the name of the client's method; `months` holds three of the hospital."""
    board, hospital = client.leaderboard(), client.hospital()
    methods = ("battle", "battle_history", "predictions", "challenges", "streaks", "shadow", "ai_vs_market")
    methods += ("news", "apex", "fund", "prices", "widget", "ledger", "ledger_head", "ledger_roots", "usage")
    return {name: getattr(client, name)() for name in methods} | {
        "leaderboard": board,
        "strategy": client.strategy(board["entries"][0]["key"]),
        "candles": client.candles("btc", limit=50),
        "lane_equity": client.lane_equity("trend", limit=50),
        "lane_events": client.lane_events("trend", limit=50),
        "apex_calls": client.apex_calls(limit=20),
        "headlines": client.headlines(limit=50),
        "resolved": client.predictions("resolved", limit=50),
        "prediction": client.prediction(client.predictions("open")["markets"][0]["id"]),
        "forecast": client.forecast("btc"),
        "forecast_record": client.forecast_record(),
        "forecasters": client.forecasters(),
        "hospital": hospital,
        "months": [client.hospital(month) for month in hospital["links"]["months"][-3:]],
        "ask": client.ask(QUESTION),
        "ask_stream": list(client.ask_stream(QUESTION)),
        "export_ledger": list(client.export_ledger()),
        "answers": client.answers(),
    }


@pytest.fixture(scope="session")
def local_service(present: Path, tmp_path_factory) -> Iterator[LabSettings]:
    """A service in a process of its own, as the settings of a workbench for it."""
    folder, port = tmp_path_factory.mktemp("service"), free_port()
    options = {"DATA_DIR": str(folder / "var"), "PORT": str(port), "HISTORY_DAYS": str(HISTORY_DAYS)}
    copied(present, folder)
    with process([sys.executable, "app.py"], folder / "log", **options) as service:
        wait_until_ready(port, service, folder / "log", "/healthz")
        yield LabSettings(free_port(), f"http://127.0.0.1:{port}", data_dir=folder / "var", browser=False)


def client_of(running: RunningService) -> Client:
    """A client with a key of the paid plan and an address of its own."""
    with running.runtime.database.writing() as db:
        secret = key_secret(running.runtime.settings)
        key, _ = keys.register_key(db, secret, "reader@example.com", running.wall, plan="paid")
    transport = httpx.WSGITransport(running.client.application, remote_addr=next(ADDRESSES))
    return Client("http://ninefold", key, transport=transport)


class InterceptedClient:
    """A real client with a test in between.

    `fault` is raised instead of every response. `changes` maps a method of the client to a function of its response.
    `calls` holds the names of the called methods with their positional arguments.
    """

    def __init__(self, client: Client) -> None:
        self.client, self.timeout_s = client, client.timeout_s
        self.fault: ClientError | None = None
        self.changes: dict[str, Callable[[Any], Any]] = {}
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self.calls.append((name, *arguments))
            if self.fault:
                raise self.fault
            document = deepcopy(getattr(self.client, name)(*arguments, **options))
            return self.changes[name](document) if name in self.changes else document

        return call


def click(trace: Any, *places: int) -> None:
    """Click on the points of a trace at `places`, or beside all points."""
    (number,) = [number for number, other in enumerate(trace.figure.data) if other is trace]
    for place in places:
        trace.figure.widget._handle_custom_msg({"trace": number, "point": place}, [])
