"""Bars made by a seeded generator, and panels and votes put together by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

import numpy as np

from service.forecasting.predictions import CommittedVote
from service.forecasting.voters.ballots import EMBEDDED, Ballot, Forecast
from service.forecasting.voters.context import Context
from service.forecasting.voters.embedded import voters
from service.forecasting.voters.panel import Panel, Timer, Voter, sequential
from service.forecasting.voters.votes import UnderstoodText, understood
from service.market.assets import open_at
from service.market.bars import Bars
from service.market.instants import DAY, HOUR, utc
from service.questions.question import Leg, Question

FIRST = 1_735_689_600  # 2025-01-01T00:00:00Z
DAYS = 120
NOW = FIRST + DAYS * DAY

# Every kind of question with the fields that `asking` takes.
EVERY_KIND = (
    ("close_above", {"at": 1.02}),
    ("close_below", {"at": 0.98}),
    ("touch_above", {"at": 1.03}),
    ("touch_below", {"at": 0.97}),
    ("between", {"at": 0.98, "upper_at": 1.03}),
    ("up", {}),
    ("down", {}),
    ("relative", {"other_asset": "gold"}),
    ("upper_first", {"at": 0.97, "upper_at": 1.02}),
    ("lower_first", {"at": 0.97, "upper_at": 1.02}),
    ("move", {"level_pct": 3.0, "polarity": "none"}),
    ("range", {"level_pct": 8.0, "polarity": "none"}),
    ("days_above", {"at": 1.01, "days": 2}),
    ("days_below", {"at": 0.99, "days": 2, "in_a_row": True}),
    ("days_up", {"days": 2}),
    ("days_down", {"days": 2, "in_a_row": True}),
    ("average_above", {"at": 1.01}),
    ("average_below", {"at": 0.99}),
    ("above_earlier", {"earlier": utc(NOW + DAY)}),
    ("below_earlier", {"earlier": utc(NOW + DAY)}),
    ("above_moving_average", {"at": 0.99, "days": 20}),
    ("below_moving_average", {"at": 1.01, "days": 20}),
    ("volatility", {"level_pct": 45.0, "polarity": "none"}),
    ("both", {"other_asset": "gold", "legs": (("btc", "close_above", 1.01), ("gold", "up", None))}),
    ("either", {"other_asset": "eth", "legs": (("btc", "touch_below", 0.97), ("eth", "touch_below", 0.97))}),
    ("open", {}),
)


def made_bars(asset: str, days: int, seed: int, first: int = FIRST) -> Bars:
    """A random walk of 0.5 % an hour from 100 USD, in the hours in which the asset trades."""
    time = first + HOUR * np.arange(days * 24)
    time = time[open_at(asset, time)]
    close = 100 * np.exp(np.cumsum(np.random.default_rng(seed).normal(0, 0.005, len(time))))
    opens = np.concatenate([[100.0], close[:-1]])
    high, low = np.maximum(opens, close) * 1.001, np.minimum(opens, close) * 0.999
    return Bars(time, opens, high, low, close, np.ones(len(time)), HOUR)


def asking_at(contexts: Mapping[str, Context]) -> Callable[..., Question]:
    """Makes a question asked at NOW; a level may be given as `at`, a multiple of the spot, a leg as its arguments."""

    def leg(asset: str, comparator: str, at: float | None) -> Leg:
        spot = contexts[asset].spot
        return Leg(asset, comparator, spot, level=at and at * spot)

    def make(comparator: str, asset: str = "btc", hours: float = 72, **fields) -> Question:
        spot = contexts[asset].spot
        for name, source in (("level", "at"), ("upper_level", "upper_at")):
            if source in fields:
                fields[name] = spot * fields.pop(source)
        fields["legs"] = tuple(leg(*event) for event in fields.get("legs", ()))
        fields.setdefault("polarity", "bear" if comparator in ("close_below", "touch_below", "down") else "bull")
        return Question(
            text=f"{asset} {comparator}?",
            asset=asset,
            comparator=comparator,
            deadline=utc(NOW) + timedelta(hours=hours),
            horizon_hours=hours,
            spot=spot,
            **fields,
        )

    return make


def zero_clock() -> float:
    """A timer at which everything takes no time."""
    return 0.0


def panel_of(members: Sequence[Voter] | None = None, quorum: int = 5, timer: Timer = zero_clock) -> Panel:
    """A panel that is polled in turn; the nine where no members are named."""
    return Panel(voters() if members is None else members, quorum, timer, sequential)


def committed_vote(
    voter: str, p: float, *, weight: float = 1.0, reasoning: str = "", engine: str = EMBEDDED
) -> CommittedVote:
    """A vote as a market keeps it."""
    return CommittedVote(Ballot(voter, engine, Forecast(p, reasoning)), weight)


def meaning_of(question: Question) -> UnderstoodText:
    """A question as the oracle publishes it, without another reading."""
    return UnderstoodText(**vars(understood(question)), language="English", rule=None, alternatives=())
