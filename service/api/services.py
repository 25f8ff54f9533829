"""What `app.py` passes to the web: everything a view may use besides its request."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from flask import current_app

from service.config import Settings
from service.forecasting.voters.panel import Panel
from service.market.clock import WorldClock
from service.sources.feeds.feed import CoinFeed
from service.store.database import Database
from service.store.secret import KeySecrets


@dataclass(frozen=True)
class Services:
    """`now` is the wall clock in unix seconds; world time is `clock.at(now())` and its bars are `step` seconds long.

    `panel` answers the oracle's questions. `key_secrets` are what API keys are hashed with. `coins` has the
    bars of other coins; only the live world has any.
    """

    settings: Settings
    database: Database
    clock: WorldClock
    step: int
    panel: Panel
    key_secrets: KeySecrets
    now: Callable[[], float] = time.time
    coins: CoinFeed | None = None


def services() -> Services:
    """The services of the current application."""
    return current_app.extensions["ninefold"]
