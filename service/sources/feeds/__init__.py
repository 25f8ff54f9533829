"""The three worlds a market can come from, behind one feed."""

from __future__ import annotations

from service.config import Settings
from service.market.instants import DAY
from service.sources.feeds.feed import Feed, Fetched
from service.sources.feeds.replay import open_replay
from service.sources.feeds.simulated import SimulatedFeed
from service.sources.feeds.simulated_days import EPOCH

__all__ = ["Feed", "Fetched", "open_feed"]


def open_feed(settings: Settings, wall: int) -> Feed:
    """The feed of the world that the settings name, opened when the wall shows the unix second `wall`.

    SettingsError when that world cannot be had.
    """
    if settings.world == "replay":
        return open_replay(settings)
    midnight = wall - wall % DAY
    history_from = midnight - settings.history_days * DAY
    if settings.world == "simulated":
        return SimulatedFeed(settings.simulated_seed, max(history_from, EPOCH))
    # Only a live world pays the seconds that importing ccxt takes.
    from service.sources.feeds.exchange import open_exchanges

    return open_exchanges(settings, history_from)
