"""Streaks of correct answers, and the answers that they are made of, as frames."""

from __future__ import annotations

import pandas as pd

from notebooks.widgets.frames.schema import (
    COMPARATOR,
    COUNT,
    FLAG,
    INSTANT,
    NUMBER,
    OPTIONAL_FLAG,
    OUTCOME,
    TEXT,
    WORLD,
    Document,
    FrameSchema,
    Pages,
    pages_of,
)

STREAKS = FrameSchema(
    {"voter": TEXT, "engine": TEXT, "backfilled": FLAG},
    {
        "rank": COUNT,
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
        "among": COUNT,
        "accuracy_reached_pct": NUMBER,
        "as_of": INSTANT,
        "world": WORLD,
    },
)
STREAK_ANSWERS = FrameSchema(
    {"id": TEXT, "voter": TEXT},
    {
        "engine": TEXT,
        "asset": TEXT,
        "comparator": COMPARATOR,
        "p_yes": NUMBER,
        "right": OPTIONAL_FLAG,
        "streak": COUNT,
        "outcome": OUTCOME,
        "voted_at": INSTANT,
        "resolved_at": INSTANT,
        "backfilled": FLAG,
        "world": WORLD,
    },
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
    rows = ({**streak, **(streak["luck"] or NO_LUCK), "voter": streak["oracle"]} for streak in document["streaks"])
    return STREAKS.frame(rows, as_of=document["as_of"], world=document["world"])


def streak_answers(source: Pages) -> pd.DataFrame:
    """Every answer that counts in streaks.

    Parameters
    ----------
    source : a page of `client.streak_history()`, or several pages; `Archive.streak_answers` downloads all of them

    Returns
    -------
    One row per market and voter, index `id` and `voter`, the newest market first; the voter `consensus` is the pool.
    `streak` is the run of right answers after this one; `right` is missing where the voter took no side.
    """
    return STREAK_ANSWERS.frame(
        {
            **question,
            **answer,
            "id": question["market"],
            "voter": voter,
            "comparator": question["template"],
            "world": page["world"],
        }
        for page in pages_of(source)
        for question in page["questions"]
        for voter, answer in question["answers"].items()
    )
