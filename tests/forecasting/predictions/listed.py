"""A market and a challenge as they are published."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from service.forecasting.predictions import Commitment, CommittedVote, LedgerPosition, Odds, Opinion, Prediction
from service.forecasting.predictions.documents import ListedMarket, list_all
from service.forecasting.voters.ballots import EMBEDDED, Ballot, Forecast
from service.market.instants import HOUR
from service.market.prices import AssetPrice
from service.questions import Question

DEADLINE = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)
ENDS = int(DEADLINE.timestamp())
OPENED = ENDS + 1 - 72 * HOUR
NOW = OPENED + HOUR
QUESTION = Question(
    text="Will Bitcoin reach 55,000 USD by 30 November 2026?",
    asset="btc",
    comparator="touch_above",
    deadline=DEADLINE,
    horizon_hours=72.0,
    spot=50_000.0,
    polarity="bull",
    level=55_000.0,
    canonical="Will Bitcoin (btc) trade at or above 55,000 USD at any time until 2026-11-30 23:59 UTC?",
)
ODDS = Odds("simulated", "sim-daily-x", None, 0.48123456, 0.47, 0.49, 12_345.678, OPENED)
PRICE = AssetPrice("btc", "Bitcoin", 50_500.0, 1.25, 51_000.0, 49_000.0, True, "2026-11-28T01:00:00Z", "simulated")
POSITION = LedgerPosition(17, "ab" * 32)


def committed(*votes: float, p: float = 0.61449, p_up: float | None = 0.5, **others: float) -> Commitment:
    """Votes of `v0` and so on and of `others`; `p_up` is the view of the price of each and of the pool."""
    by_voter = {f"v{place}": vote for place, vote in enumerate(votes)} | others
    ballots = (Ballot(name, EMBEDDED, Forecast(vote, "because", p_up=p_up)) for name, vote in by_voter.items())
    return Commitment(
        voted_at=OPENED,
        as_of=OPENED,
        p=p,
        p_up=p_up,
        votes=tuple(CommittedVote(ballot, 1.23456) for ballot in ballots),
        abstained={"news": "no headlines"},
        features="cd" * 32,
        fitted_at=None,
    )


MARKET = Prediction(
    id="daily-x",
    category="daily",
    question=QUESTION,
    rule="YES if so.",
    resolver="bars",
    created_at=OPENED,
    closes_at=ENDS,
    deadline=ENDS,
    backfilled=True,
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
) -> ListedMarket:
    """MARKET with other fields, as it is published."""
    market = replace(MARKET, **changes)
    held = {holder: opinion for holder, opinion in (("ai", ai_now), ("odds", odds_now)) if opinion}
    prices = {market.question.asset: price} if price else {}
    (shown,) = list_all([market], tallies={market.id: tally}, prices=prices, opinions={market.id: held}, now=now)
    return shown
