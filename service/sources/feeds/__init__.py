"""The feeds of the three worlds (simulated, replay, live) behind one interface."""

from __future__ import annotations

from service.config import Settings
from service.market.instants import DAY
from service.sources.feeds.choice import choose_world
from service.sources.feeds.feed import Feed, FetchedBars
from service.sources.feeds.replay import open_replay
from service.sources.feeds.simulated import SimulatedFeed
from service.sources.feeds.simulated_days import EPOCH

__all__ = ["Feed", "FetchedBars", "choose_world", "open_feed"]


def open_feed(settings: Settings, wall: int) -> Feed:
    """The feed of the configured world, opened at the unix second `wall` of the wall clock.

    Raises SettingsError if the settings do not allow that world.
    """
    if settings.world == "replay":
        return open_replay(settings)
    midnight = wall - wall % DAY
    history_from = midnight - settings.history_days * DAY
    if settings.world != "live":
        return SimulatedFeed(settings.simulated_seed, max(history_from, EPOCH))
    # Imported only for the live world, because importing ccxt takes seconds.
    from service.sources.feeds.exchange import open_exchanges

    return open_exchanges(settings, history_from)
