"""The questions that count in streaks: those that do not overlap.

Whether a question counts is decided when the votes are cast. So it does not depend on the outcome or the time of
resolution, and it never changes afterwards.
"""

from __future__ import annotations

import numpy as np

from service.forecasting.predictions.scores.columns import MarketColumns


def counted_questions(markets: MarketColumns) -> MarketColumns:
    """The questions that count and came out yes or no; unsettled `markets` are needed to detect overlaps."""
    counted = count_once(markets)
    return counted.where(np.isfinite(counted.happened))


def count_once(markets: MarketColumns) -> MarketColumns:
    """The settled questions that count.

    Questions of the same book, asset, kind and window must not overlap: a question counts if no other counted one was
    unresolved when its votes were cast. If several are voted on at the same time, the earliest deadline counts. The
    kind is `direction`; `above`, `below` or `between` for an event with a level; `relative` for two assets in either
    order; else the comparator. The window is the class of the horizon: up to two hours, two, eight or 32 days, or
    longer. Without it, a question about next year would exclude every daily question until then.
    """
    voted = markets.where(markets.overlap.astype(bool))
    order = np.lexsort(([market.id for market in voted.market], voted.deadline, voted.voted_at))
    spans = zip(voted.overlap[order], voted.voted_at[order].tolist(), voted.resolved_at[order].tolist(), strict=True)
    counts, busy_until = np.zeros(len(voted), dtype=bool), {}
    for row, (overlap, voted_at, resolved_at) in zip(order.tolist(), spans, strict=True):
        if voted_at >= busy_until.get(overlap, voted_at):
            busy_until[overlap] = resolved_at
            counts[row] = True
    return voted.where(counts & voted.is_settled)
