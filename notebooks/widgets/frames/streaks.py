"""Streaks of correct answers as a frame."""

from __future__ import annotations

import pandas as pd

from notebooks.widgets.frames.schema import COUNT, FLAG, INSTANT, NUMBER, TEXT, WORLD, Document, FrameSchema

STREAKS = FrameSchema(
    {"oracle": TEXT},
    {
        "rank": COUNT,
        "engine": TEXT,
        "current": COUNT,
        "best": COUNT,
        "resolved": COUNT,
        "correct": COUNT,
        "n": COUNT,
        "n_eff": NUMBER,
        "accuracy_pct": NUMBER,
        "accuracy_low_pct": NUMBER,
        "accuracy_high_pct": NUMBER,
        "last_resolved_at": INSTANT,
        "likelier_side_pct": NUMBER,
        "always_no_pct": NUMBER,
        "expected_best": NUMBER,
        "best_reached_pct": NUMBER,
        "accuracy_reached_pct": NUMBER,
        "backfilled": FLAG,
        "as_of": INSTANT,
        "world": WORLD,
    },
)
NO_LUCK = dict.fromkeys(("expected_best", "best_reached_pct", "accuracy_reached_pct"))


def streaks(document: Document) -> pd.DataFrame:
    """The current and the best streak of correct answers of each voter, and how far luck alone would bring it.

    Parameters
    ----------
    document : the response of `client.streaks()`

    Returns
    -------
    One row per voter, engine and book, index `oracle`, by rank in its book. The accuracy is the percentage of `correct`
    among `n` answers, worth `n_eff` independent ones; `likelier_side_pct` and `always_no_pct` are those of forecasters
    without insight. If the voter's probabilities are right, its best streak is `expected_best` on average, and luck
    alone reaches the observed one, or its accuracy, in so many percent of simulated records.
    """
    rows = ({**streak, **(streak["luck"] or NO_LUCK)} for streak in document["streaks"])
    return STREAKS.frame(rows, as_of=document["as_of"], world=document["world"])
