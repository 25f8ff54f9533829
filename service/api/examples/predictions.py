"""The documents of the prediction markets and the challenges."""

from __future__ import annotations

from datetime import UTC, datetime

from service.api.examples.made import AS_OF, MADE
from service.forecasting import votes
from service.forecasting.predictions import documents as listed
from service.forecasting.predictions import parts as parts

OPENED = "2026-11-20T12:00:00Z"
OVER = "2026-11-21T23:59:59Z"
HASH = "9c1f0e6a5b3d4e27810f6d2c9b7a4453e1d0c8b6a79f5e342d1c0b9a8f7e6d5c"

VOTE = parts.AiVote(
    direction="BEARISH",
    conviction=11.4,
    p_yes=0.443,
    reasoning="Base rate from volatility 41.9 %. Recent moves: 3-day move +1.6 sigma adds 2.4 points. 44.3 % in all.",
    engine="embedded",
    weight=1.0,
    fallback=False,
    prompt=None,
    voted_at=OPENED,
)
MARKET = {
    "question": "Will Bitcoin be above 53,500 USD at the end of 21 November 2026?",
    "asset": "btc",
    "status": "open",
    "created_at": OPENED,
    "deadline": OVER,
    "closes_at": OVER,
    "understood": votes.Understood(
        asset="btc",
        other_asset=None,
        comparator="close_above",
        level=53500.0,
        upper_level=None,
        level_pct=None,
        deadline=datetime(2026, 11, 21, 23, 59, 59, tzinfo=UTC),
        horizon_hours=35.99,
        spot=52905.1,
        polarity="bull",
        negated=False,
        canonical="Will Bitcoin (btc) be above 53,500 USD at 2026-11-21 23:59 UTC?",
        notes=(),
    ),
    "abstained": {"forest": "needs 90 days of hourly bars, 60 are stored"},
    "ai": parts.Ai(p_yes=0.436, yes=0, no=8, direction="BEARISH", bull_probability=43.6),
    "user_votes": parts.UserVotes(yes=2, no=1, total=3, yes_pct=66.7),
    "context": parts.MarketContext(
        price=53211.85, change_24h_pct=2.1177, distance_pct=0.5415, hours_left=11.92, as_of=AS_OF
    ),
    "resolution": parts.Ruling(
        rule="YES if the last Bitcoin price of this service's feed at or before 2026-11-21 23:59:59 UTC "
        "is above 53,500 USD.",
        source="bars",
        outcome=None,
        resolved_at=None,
        evidence=None,
    ),
    "commitment": parts.CommitmentTold(seq=4211, hash=HASH),
    "backfilled": False,
}

PREDICTIONS = listed.PredictionsDocument(
    schema="predictions/1",
    **MADE,
    count=1,
    markets=(
        listed.ListedMarket(
            **MARKET,
            id="daily-btc-up-20261120",
            category="daily",
            ai_votes={"momentum": VOTE},
            market_odds=parts.MarketOdds(
                source="simulated",
                market_id="sim-daily-btc-up-20261120",
                url=None,
                p_yes=0.4021,
                bid=0.3921,
                ask=0.4121,
                volume_usd=18250.11,
                fetched_at=OPENED,
                simulated=True,
            ),
            divergence_pts=3.39,
        ),
    ),
)

CHALLENGE = listed.ListedChallenge(
    **MARKET,
    id="challenge-17",
    number=17,
    category="challenge",
    ai_votes={"momentum": VOTE},
    market_odds=None,
    divergence_pts=None,
    apex=VOTE,
    votes_pending=False,
    resolved_by="prices",
)
CHALLENGES = listed.ChallengesDocument(
    schema="challenges/1", timestamp=AS_OF, world="simulated", count=1, challenges=(CHALLENGE,)
)
