"""The feeds of the three worlds (simulated, replay, live) behind one interface, and the choice of a first start."""

from __future__ import annotations

import time
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

from service.config import Settings
from service.errors import SourceFailed
from service.market.instants import DAY, HOUR
from service.sources.feeds.feed import Feed, FetchedBars
from service.sources.feeds.replay import open_replay
from service.sources.feeds.simulated import SimulatedFeed
from service.sources.feeds.simulated_days import EPOCH

__all__ = ["Feed", "FetchedBars", "choose_world", "open_feed"]


def open_feed(settings: Settings, wall: int) -> Feed:
    """The feed of the configured world, opened at the unix second `wall`; raises SettingsError if it is not allowed."""
    if settings.world == "replay":
        return open_replay(settings)
    midnight = wall - wall % DAY
    history_from = midnight - settings.history_days * DAY
    if settings.world != "live":
        return SimulatedFeed(settings.simulated_seed, max(history_from, EPOCH))
    # Imported only for the live world, because importing ccxt takes seconds.
    from service.sources.feeds.exchange import open_exchanges

    return open_exchanges(settings, history_from)


if TYPE_CHECKING:
    from service.sources.feeds.exchange import ExchangeFeed

ASKED_S = 4.0  # for which the exchanges have to answer, once their library is loaded


def choose_world(settings: Settings) -> tuple[str, str]:
    """The world, and a sentence that says why it was chosen. Raises SettingsError where EXCHANGES cannot be used.

    All exchanges are asked at once in threads of their own, which are abandoned: a name that no server resolves, or a
    host that never answers, holds up nothing.
    """
    from service.sources.feeds.exchange import ExchangeFeed, open_exchanges  # importing ccxt takes seconds

    clients = open_exchanges(settings, 0).clients[: len(settings.exchanges)]  # without BARS_DIR
    deadline = time.monotonic() + ASKED_S
    answers: SimpleQueue[tuple[str, str]] = SimpleQueue()  # the name of an exchange and its fault
    for client in clients:
        Thread(target=_ask, args=(ExchangeFeed((client,), 0, ASKED_S), answers), daemon=True).start()
    place = "The database" if settings.database_url else str(settings.world_file)
    faults = {client.name: "no answer in time" for client in clients}
    with suppress(Empty):
        for _ in clients:
            exchange, fault = answers.get(timeout=max(0.0, deadline - time.monotonic()))
            if not fault:
                return "live", f"World: live, because {exchange} answers with hourly prices. {place} keeps this choice."
            faults[exchange] = fault
    reasons = "; ".join(f"{exchange}: {fault}" for exchange, fault in faults.items())
    keeping = f"{place} keeps this choice; for real prices start with WORLD=live."
    return "simulated", f"World: simulated, because no exchange answered ({reasons}). {keeping}"


def _ask(feed: ExchangeFeed, answers: SimpleQueue[tuple[str, str]]) -> None:
    """Whether an exchange has hourly bars of bitcoin."""
    name, now = feed.clients[0].name, int(time.time())
    try:
        bars = feed.fetch("btc", now - DAY, now, HOUR).bars
    except SourceFailed as error:
        answers.put((name, error.detail.rpartition(f"{name}: ")[2]))
    else:
        answers.put((name, "" if len(bars) else "it has no hourly bars of bitcoin"))
