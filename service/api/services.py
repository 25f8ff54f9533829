"""What `app.py` hands to the web: everything a view may reach besides its own request."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from flask import current_app

from service.config import Settings
from service.forecasting.oracle import Polling, Voter, in_turn
from service.market.clock import WorldClock
from service.store.database import Database


@dataclass(frozen=True)
class Services:
    """`now` is the wall clock in unix seconds; world time is `clock.at(now())` and its bars are `step` seconds long.

    `voters` answer the oracle's questions, in the order in which their votes are listed; asked as
    `polling` does. `key_secret` is what API keys are hashed with.
    """

    settings: Settings
    database: Database
    clock: WorldClock
    step: int
    voters: Sequence[Voter]
    key_secret: bytes = field(repr=False)
    now: Callable[[], float] = time.time
    polling: Polling = in_turn


def services() -> Services:
    """The services of the application that is answering."""
    return current_app.extensions["ninefold"]
