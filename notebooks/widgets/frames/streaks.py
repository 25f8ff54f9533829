"""Streaks of correct answers as a frame."""

from __future__ import annotations

import pandas as pd

from notebooks.widgets.frames.schema import Document, FrameSchema

STREAKS = FrameSchema.of(
    "voter:text engine:text backfilled:flag",
    "rank:count current:count best:count resolved:count correct:count n:count n_eff accuracy_pct accuracy_low_pct"
    " accuracy_high_pct last_resolved_at:time likelier_side_pct always_no_pct expected_best best_reached_pct"
    " among:count accuracy_reached_pct as_of:time world:world",
)
NO_LUCK = dict.fromkeys(("expected_best", "best_reached_pct", "accuracy_reached_pct", "among"))


def streaks(document: Document) -> pd.DataFrame:
    """The current and the best streak of correct answers of each voter, and how far luck alone would bring it.

    Parameters
    ----------
    document : the response of `client.streaks()`

    Returns
    -------
    One row per voter, engine and book, index `voter`, `engine` and `backfilled`, by rank in its book. The accuracy is
    the percentage of `correct` among `n` answers, worth `n_eff` independent ones; `likelier_side_pct` and
    `always_no_pct` are those of forecasters without insight. If the voter's probabilities are right, its best streak is
    `expected_best` on average, and luck alone gives the luckiest of `among` such voters the observed one, or its
    accuracy, in so many percent of cases.
    """
    rows = ({**streak, **(streak["luck"] or NO_LUCK)} for streak in document["streaks"])
    return STREAKS.frame(rows, as_of=document["as_of"], world=document["world"])
