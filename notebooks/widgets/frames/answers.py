"""The answers that the oracle gave to this key as a frame."""

from __future__ import annotations

from typing import Any

import pandas as pd

from notebooks.widgets.frames.schema import (
    COMPARATOR,
    INSTANT,
    NUMBER,
    OUTCOME,
    TEXT,
    WORLD,
    Document,
    FrameSchema,
    Pages,
    pages_of,
)

ANSWERS = FrameSchema(
    {"id": TEXT},
    {
        "question": TEXT,
        "asset": TEXT,
        "comparator": COMPARATOR,
        "p_yes": NUMBER,
        "asked_at": INSTANT,
        "deadline": INSTANT,
        "outcome": OUTCOME,
        "resolved_at": INSTANT,
        "brier": NUMBER,
        "log_score": NUMBER,
        "world": WORLD,
    },
)


def answers(source: Pages) -> pd.DataFrame:
    """The answers of this key with their outcomes and scores.

    Parameters
    ----------
    source : a page of `client.answers()`, or several pages; `Archive.answers` downloads all of them

    Returns
    -------
    One row per answer, index `id`, the newest first. `p_yes` is P(YES) in 0 to 1, missing for a question without a
    criterion; the outcome and the scores are missing until the deadline.
    """
    return ANSWERS.frame(_row(answer) for page in pages_of(source) for answer in page["answers"])


def _row(answer: Document) -> dict[str, Any]:
    understood, resolution, score = (answer[name] or {} for name in ("understood", "resolution", "score"))
    return {
        **answer,
        **{name: understood.get(name) for name in ("asset", "comparator", "deadline")},
        **{name: resolution.get(name) for name in ("outcome", "resolved_at")},
        "brier": score.get("brier"),
        "log_score": score.get("log"),
    }
