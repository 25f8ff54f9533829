"""Runs of right answers as a frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from notebooks.widgets.frames.table import CLAIM, COUNT, INSTANT, NUMBER, TEXT, WORLD, Table

STREAKS = Table(
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
        "backfilled": CLAIM,
        "as_of": INSTANT,
        "world": WORLD,
    },
)


def streaks(document: Mapping[str, Any]) -> pd.DataFrame:
    """How often in a row each voter was right, beside what luck gives.

    Parameters
    ----------
    document : that of `client.streaks()`

    Returns
    -------
    One row a voter, engine and book, index `oracle`, by rank. The accuracy is `correct` of `n` in percent, its 95 %
    interval that of the `n_eff` independent answers these are worth. `luck_best` is the longest run that the best of as
    many coin flippers is expected to have.
    """
    luck = {told["backfilled"]: told["expected_best"] for told in document["luck"]}
    rows = ({**streak, "luck_best": luck.get(streak["backfilled"])} for streak in document["streaks"])
    return STREAKS.frame(rows, as_of=document["as_of"], world=document["world"])
