"""Prediction markets made by hand, as the scores take them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from service.documents import DocumentHeader
from service.forecasting.predictions import Commitment, Odds, Prediction, Settlement
from service.forecasting.predictions.resolution import Outcome
from service.forecasting.voters.embedded import voters
from service.market.instants import DAY, HOUR, utc
from service.questions.kinds import Comparator, Polarity
from service.questions.question import Question
from tests.forecasting.made import committed_vote

MONDAY = 1_763_942_400  # 2025-11-24T00:00:00Z
HEADER = DocumentHeader(
    "2026-01-05T00:00:00Z", "2026-01-05T00:00:00Z", "2026-01-05T01:00:00Z", "simulated", {"btc": "generated"}
)
NAMES = tuple(voter.name for voter in voters())


def waiting(
    id: str = "one",
    *,
    p: float = 0.7,
    votes: dict[str, float] | None = None,
    opened: int = MONDAY,
    hours: float = 24,
    odds: tuple[float | None, float, float | None] | None = (0.49, 0.5, 0.51),
    source: str = "simulated",
    comparator: Comparator = "up",
    asset: str = "btc",
    other: str | None = None,
    polarity: Polarity = "bull",
    backfilled: bool = False,
) -> Prediction:
    """An unsettled market; `odds` are bid, price and ask, `votes` the P(YES) of each voter, `p` that of the pool."""
    deadline = int(opened + hours * HOUR) - 1
    question = Question(
        text=f"{id}?",
        asset=asset,
        comparator=comparator,
        deadline=utc(deadline),
        horizon_hours=hours,
        spot=100.0,
        polarity=polarity,
        other_asset=other,
    )
    cast = tuple(committed_vote(name, each) for name, each in (votes or {}).items())
    return Prediction(
        id=id,
        category="daily",
        question=question,
        rule="YES if so",
        resolver="bars",
        created_at=opened,
        closes_at=deadline,
        deadline=deadline,
        backfilled=backfilled,
        commitment=Commitment(opened, opened, p, cast, {}, "", None),
        odds=Odds(source, f"out-{id}", None, odds[1], odds[0], odds[2], None, opened) if odds else None,
    )


def settled(id: str = "one", outcome: Outcome = "yes", *, resolved: int | None = None, **fields: Any) -> Prediction:
    """A settled market, by default one second after its deadline."""
    market = waiting(id, **fields)
    at = market.deadline + 1 if resolved is None else resolved
    return replace(market, settlement=Settlement(outcome, at, "seen", "bars"))


def many(n: int, seed: int = 0, *, edge: float = 0.0, noise: float = 0.3, weeks: int = 20) -> list[Prediction]:
    """Markets with odds and nine votes over `weeks`, half of them backfilled.

    Both err around a hidden truth, the market with the standard deviation `noise`; `edge` is the share of its error
    that the pool avoids.
    """
    dice = np.random.default_rng(seed)
    truth = dice.uniform(0.1, 0.9, n)
    happened = dice.random(n) < truth
    market = np.clip(truth + dice.normal(0, noise, n), 0.03, 0.97)
    pool = np.clip(market + edge * (truth - market) + (1 - edge) * dice.normal(0, 0.05, n), 0.02, 0.98)
    starts = np.sort(dice.integers(0, weeks * 7 * 24, n)) * HOUR + MONDAY
    return [
        settled(
            f"market-{place}",
            "yes" if happened[place] else "no",
            p=float(pool[place]),
            votes={name: float(np.clip(pool[place] + dice.normal(0, 0.05), 0.01, 0.99)) for name in NAMES},
            odds=(float(market[place]) - 0.01, float(market[place]), float(market[place]) + 0.01),
            opened=int(starts[place]),
            hours=int(dice.choice([36, 168, 720])),
            comparator=str(dice.choice(["up", "close_above", "touch_below"])),
            asset=str(dice.choice(["btc", "eth", "sol", "bnb", "xrp", "gold", "silver"])),
            backfilled=bool(place % 2),
        )
        for place in range(n)
    ]


def days(count: float) -> int:
    """That many days after MONDAY."""
    return MONDAY + int(count * DAY)
