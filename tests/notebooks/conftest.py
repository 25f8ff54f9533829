"""A real service in this process for the workbench: what it answers, and a client with a key of the paid plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.client import Client
from service.jobs.answer import EVERY_S
from service.market.instants import utc
from service.store import keys
from service.store.secret import key_secret
from tests.houses import QUESTION, START, Residents, copied, resident
from tests.notebooks.doubles import Between

# No clock goes on in these tests, so a window that has filled never empties: each client has an address of its own.
ADDRESSES = (f"10.{number // 65536}.{number // 256 % 256}.{number % 256}" for number in count(1))


@pytest.fixture(scope="session")
def residents(furnished: Path, tmp_path_factory) -> Iterator[Residents]:
    """The furnished service with a challenge that was voted on; nothing in it may be changed by a test."""
    with resident(copied(furnished, tmp_path_factory.mktemp("workbench"))) as residents:
        with _client(residents) as client:
            deadline = f"{utc(START) + timedelta(days=9):%Y-%m-%d}"
            number = client.create_challenge(QUESTION, deadline)["number"]
            client.vote_challenge(number, "no")
        residents.move(EVERY_S)
        yield residents


@pytest.fixture(scope="session")
def connected(residents: Residents) -> Iterator[Callable[[], Client]]:
    """Makes clients of the furnished service, each with a key of its own."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(_client(residents))


@pytest.fixture
def client(connected: Callable[[], Client]) -> Client:
    return connected()


@pytest.fixture
def between(client: Client) -> Between:
    """A client like that, with the test in between."""
    return Between(client)


@pytest.fixture
def shown(residents: Residents) -> Iterator[Callable[..., Any]]:
    """Makes panels that have looked once and look again only when asked, and closes them after the test."""
    with ExitStack() as stack:

        def shown(panel: Callable[..., Any], client: Any, **options: Any) -> Any:
            made = panel(client, refreshing=False, now=lambda: utc(residents.wall), **options)
            stack.callback(made.close)
            assert made.loaded()
            return made

        yield shown


@pytest.fixture(scope="session")
def documents(connected: Callable[[], Client]) -> dict[str, Any]:
    """What the service answers, by the name of the client's method; under `months` three documents of the hospital."""
    client = connected()
    board = client.leaderboard()
    hospital = client.hospital()
    told = ("battle", "battle_history", "predictions", "challenges", "streaks", "shadow", "ai_vs_market")
    told += ("news", "apex", "fund", "prices", "widget", "ledger", "ledger_head", "ledger_roots", "usage")
    return {name: getattr(client, name)() for name in told} | {
        "leaderboard": board,
        "strategy": client.strategy(board["entries"][0]["key"]),
        "hospital": hospital,
        "months": [client.hospital(month) for month in hospital["links"]["months"][-3:]],
        "ask": client.ask(QUESTION),
        "ask_stream": list(client.ask_stream(QUESTION)),
        "export_ledger": list(client.export_ledger()),
    }


def _client(residents: Residents) -> Client:
    with residents.house.database.writing() as db:
        secret = key_secret(residents.house.settings)
        key, _ = keys.register(db, secret, "reader@example.com", residents.wall, plan="paid")
    transport = httpx.WSGITransport(residents.client.application, remote_addr=next(ADDRESSES))
    return Client("http://ninefold", key, transport=transport)
