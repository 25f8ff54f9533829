"""The one question that is asked of every asset over and over: will it cost more in a day?"""

from __future__ import annotations

from service.forecasting.context import Context
from service.forecasting.questions import Question
from service.market.instants import DAY, utc

HORIZON_H = 24


def up_in_a_day(known: Context, at: int) -> Question:
    """The question, asked at the unix second `at` with what is known of the asset then."""
    return Question(
        text=f"Will {known.asset} be higher in {HORIZON_H} hours?",
        asset=known.asset,
        comparator="up",
        deadline=utc(at + DAY),
        horizon_hours=float(HORIZON_H),
        spot=known.spot,
        polarity="bull",
    )
