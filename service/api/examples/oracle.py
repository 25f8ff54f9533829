"""An answer of the oracle."""

from __future__ import annotations

from datetime import UTC, datetime

from service.forecasting import votes

ANSWER = votes.Answer(
    id="998968125db559dd",
    question="Will Bitcoin rise more than 5% this month?",
    understood=votes.Understood(
        asset="btc",
        other_asset=None,
        comparator="touch_above",
        level=55872.44,
        upper_level=None,
        level_pct=5.0,
        deadline=datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC),
        horizon_hours=227.9,
        spot=53211.85,
        polarity="bull",
        negated=False,
        canonical="Will Bitcoin (btc) trade at or above 55,872.442 USD at any time until 2026-11-30 23:59 UTC?",
        notes=(),
    ),
    asked_at=datetime(2026, 11, 21, 12, 7, tzinfo=UTC),
    as_of=datetime(2026, 11, 21, 12, 5, tzinfo=UTC),
    world="simulated",
    p_yes=0.562,
    consensus=votes.Consensus(
        direction="BULLISH",
        bull_probability=56.2,
        bear_probability=43.8,
        strength="WEAK",
        oracles_count=8,
        agreement_pct=100.0,
        effective_voters=1.1,
        pivotal=(),
    ),
    votes={
        "momentum": votes.Vote(
            direction="BULLISH",
            conviction=12.8,
            reasoning="Base rate from volatility 57.5 %. Recent moves: the usual shape of moves takes 1.6 points; "
            "7-day move +1.5 sigma adds 0.2 points; 3-day move +2.6 sigma adds 0.2 points. 56.4 % in all.",
            p_yes=0.564,
            engine="embedded",
            weight=1.0,
            latency_ms=0.3,
            fallback=False,
            outlier=False,
            prompt=None,
            tokens=None,
            usd=None,
        )
    },
    abstained={"forest": "needs 90 days of hourly bars, 60 are stored"},
)
