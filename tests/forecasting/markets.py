"""Prediction markets made by hand, as the scores take them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from service.documents import DocumentHeader, RecordHeader
from service.forecasting.predictions import Commitment, LedgerPosition, Odds, Opinion, Prediction, Settlement
from service.forecasting.predictions.documents import list_all
from service.forecasting.predictions.market_fields import ListedPrediction
from service.forecasting.predictions.resolution import Outcome
from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.versus import AiVsMarketDocument, ai_vs_market_document
from service.forecasting.voters.panel import VOTERS
from service.market.instants import DAY, HOUR, utc
from service.market.prices import AssetPrice
from service.questions.kinds import Comparator, Polarity
from service.questions.question import Question
from tests.forecasting.made import committed_vote

MONDAY = 1_763_942_400  # 2025-11-24T00:00:00Z
PLAIN_HEADER = DocumentHeader(
    "2026-01-05T00:00:00Z", "2026-01-05T00:00:00Z", "2026-01-05T01:00:00Z", "simulated", {"btc": "generated"}
)
HEADER = RecordHeader(**vars(PLAIN_HEADER), ledger_seq=0)
NAMES = tuple(voter.name for voter in VOTERS)
DEADLINE = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)
ENDS = int(DEADLINE.timestamp())
OPENED = ENDS + 1 - 72 * HOUR
NOW = OPENED + HOUR
TEXT = "Will Bitcoin reach 55,000 USD by 30 November 2026?"
CANONICAL = "Will Bitcoin (btc) trade at or above 55,000 USD at any time until 2026-11-30 23:59 UTC?"
QUESTION = Question(TEXT, "btc", "touch_above", DEADLINE, 72.0, 50_000.0, "bull", level=55_000.0, canonical=CANONICAL)
ODDS = Odds("simulated", "sim-daily-x", None, 0.48123456, 0.47, 0.49, 12_345.678, OPENED)
PRICE = AssetPrice("btc", "Bitcoin", 50_500.0, 1.25, 51_000.0, 49_000.0, True, "2026-11-28T01:00:00Z", "simulated")
POSITION = LedgerPosition(17, "ab" * 32)


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
    question = Question(f"{id}?", asset, comparator, utc(deadline), hours, 100.0, polarity, other_asset=other)
    cast = tuple(committed_vote(name, vote) for name, vote in (votes or {}).items())
    market = Prediction(id, "daily", question, "YES if so", "bars", opened, deadline, deadline, backfilled)
    quote = odds and Odds(source, f"out-{id}", None, odds[1], odds[0], odds[2], None, opened)
    return replace(market, commitment=Commitment(opened, opened, p, cast, {}, "", None), odds=quote)


def settled(id: str = "one", outcome: Outcome = "yes", *, resolved: int | None = None, **fields: Any) -> Prediction:
    """A settled market, by default one second after its deadline."""
    market = waiting(id, **fields)
    at = market.deadline + 1 if resolved is None else resolved
    return replace(market, settlement=Settlement(outcome, at, "seen", "bars"))


def many(n: int, seed: int = 0, *, edge: float = 0.0, noise: float = 0.3, weeks: int = 20) -> list[Prediction]:
    """Markets with odds and nine votes over `weeks`, half of them backfilled: both err around a hidden truth.

    `noise` is the standard deviation of the outside market's error, `edge` the share of it that the pool avoids.
    """
    dice = np.random.default_rng(seed)
    truth = dice.uniform(0.1, 0.9, n)
    outcomes = dice.random(n) < truth
    market = np.clip(truth + dice.normal(0, noise, n), 0.03, 0.97)
    pool = np.clip(market + edge * (truth - market) + (1 - edge) * dice.normal(0, 0.05, n), 0.02, 0.98)
    starts = np.sort(dice.integers(0, weeks * 7 * 24, n)) * HOUR + MONDAY
    return [
        settled(
            f"market-{place}",
            "yes" if outcomes[place] else "no",
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


def pair(id: str, outcome: Outcome, p: float, market: float, day: int = 0, **fields: Any) -> Prediction:
    """A settled market that is compared with the outside market."""
    return settled(id, outcome, p=p, odds=(market - 0.01, market, market + 0.01), opened=days(day), **fields)


def versus(markets: list[Prediction], seed: int = 0) -> AiVsMarketDocument:
    """The comparison of the pool with the outside market."""
    return ai_vs_market_document(columns_of(markets), HEADER, np.random.default_rng(seed))


def committed(*votes: float, p: float = 0.61449, p_up: float | None = 0.5, **others: float) -> Commitment:
    """Votes of `v0` and so on and of `others`; `p_up` is the view of the price of each and of the pool."""
    by_voter = {f"v{place}": vote for place, vote in enumerate(votes)} | others
    cast = tuple(
        committed_vote(voter, vote, weight=1.23456, reasoning="because", p_up=p_up) for voter, vote in by_voter.items()
    )
    return Commitment(OPENED, OPENED, p, cast, {"news": "no headlines"}, "cd" * 32, None, p_up)


MARKET = replace(
    Prediction("daily-x", "daily", QUESTION, "YES if so.", "bars", OPENED, ENDS, ENDS, backfilled=True),
    commitment=committed(0.7, 0.6, 0.4),
    odds=ODDS,
    ledger_position=POSITION,
)


def listed(
    *,
    now: int = NOW,
    tally: tuple[int, int] = (0, 0),
    price: AssetPrice | None = PRICE,
    ai_now: Opinion | None = None,
    odds_now: Opinion | None = None,
    **changes: Any,
) -> ListedPrediction:
    """MARKET with other fields, as it is published."""
    market = replace(MARKET, **changes)
    own_opinions = {holder: opinion for holder, opinion in (("ai", ai_now), ("odds", odds_now)) if opinion}
    prices = {market.question.asset: price} if price else {}
    (row,) = list_all([market], tallies={market.id: tally}, prices=prices, opinions={market.id: own_opinions}, now=now)
    return row
