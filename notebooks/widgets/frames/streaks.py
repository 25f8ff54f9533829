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
        "luck_best": NUMBER,
        "backfilled": FLAG,
        "as_of": INSTANT,
        "world": WORLD,
    },
)


def streaks(document: Document) -> pd.DataFrame:
    """The current and the best streak of correct answers of each voter, and the best streak expected by luck.

    Parameters
    ----------
    document : the response of `client.streaks()`

    Returns
    -------
    One row per voter, engine and book, index `oracle`, by rank. The accuracy is the percentage of `correct` among `n`
    answers, its 95% interval that of the equivalent `n_eff` independent answers. `luck_best` is the expected longest
    streak of the best of as many coin flippers.
    """
    luck = {book["backfilled"]: book["expected_best"] for book in document["luck"]}
    rows = ({**streak, "luck_best": luck.get(streak["backfilled"])} for streak in document["streaks"])
    return STREAKS.frame(rows, as_of=document["as_of"], world=document["world"])
