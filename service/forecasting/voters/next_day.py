"""The question that is asked of every asset again and again: will its price be higher in a day?"""

from __future__ import annotations

from service.market.instants import DAY, utc
from service.questions import Question

HORIZON_H = 24


def up_in_a_day(asset: str, spot: float, at: int) -> Question:
    """The question about `asset`, which costs `spot` USD, asked at the unix second `at`."""
    return Question(
        text=f"Will {asset} be higher in {HORIZON_H} hours?",
        asset=asset,
        comparator="up",
        deadline=utc(at + DAY),
        horizon_hours=float(HORIZON_H),
        spot=spot,
        polarity="bull",
    )
