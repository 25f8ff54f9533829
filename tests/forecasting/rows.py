"""Settled markets put together by hand, as the scores take them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from service.forecasting.oracle import voters
from service.forecasting.predictions import (
    Commitment,
    CommittedVote,
    Made,
    Odds,
    PredictionMarket,
    Settled,
    Settlement,
)
from service.forecasting.questions.question import Question
from service.market.instants import DAY, HOUR, utc

MONDAY = 1_763_942_400  # 2025-11-24T00:00:00Z
MADE = Made("2026-01-05T00:00:00Z", "2026-01-05T00:00:00Z", "2026-01-05T01:00:00Z", "simulated", {"btc": "made"})
NAMES = tuple(voter.name for voter in voters())


@dataclass(frozen=True)
class Row:
    """A market that nothing has settled."""

    market: PredictionMarket
    commitment: Commitment | None
    odds: Odds | None


def waiting(
    id: str = "one",
    *,
    p: float = 0.7,
    votes: dict[str, float] | None = None,
    opened: int = MONDAY,
    hours: float = 24,
    odds: tuple[float | None, float, float | None] | None = (0.49, 0.5, 0.51),
    source: str = "simulated",
    comparator: str = "up",
    asset: str = "btc",
    other: str | None = None,
    polarity: str = "bull",
    backfilled: bool = False,
) -> Row:
    """An open market; `odds` are bid, price and ask, `votes` the P(YES) of each voter beside the pool's `p`."""
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
    market = PredictionMarket(id, "daily", question, "YES if so", "bars", opened, deadline, deadline, backfilled)
    cast = tuple(CommittedVote(name, "embedded", each, 1.0, "") for name, each in (votes or {}).items())
    given = odds and Odds(source, f"out-{id}", None, odds[1], odds[0], odds[2], None, opened)
    return Row(market, Commitment(opened, opened, p, cast, {}, "", None), given)


def settled(id: str = "one", outcome: str = "yes", *, resolved: int | None = None, **fields) -> Settled:
    """A settled market, one second after its deadline where nothing else is said."""
    row = waiting(id, **fields)
    at = row.market.deadline + 1 if resolved is None else resolved
    return Settled(row.market, row.commitment, row.odds, Settlement(outcome, at, "seen", "bars"))


def many(n: int, seed: int = 0, *, edge: float = 0.0, noise: float = 0.3, weeks: int = 20) -> list[Settled]:
    """Markets with odds and nine votes over `weeks`, half of them backfilled.

    The truth is known to nobody; the market errs by a fifth of what it could, `edge` is how much less the pool does.
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
