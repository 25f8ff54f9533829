"""AI versus market as frames: resolved pairs, scores, calibration and mean scores over time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from notebooks.widgets.frames.schema import (
    COUNT,
    FLAG,
    INSTANT,
    MARKET_CATEGORY,
    NUMBER,
    OUTCOME,
    TEXT,
    WORLD,
    Document,
    FrameSchema,
    one_of,
)

FORECASTERS = ("ai", "market", "base_rate")
SIDE = one_of("ai", "market")
KIND = one_of("pool", "market", "base_rate", "seat", "brain")
VERDICT = one_of("not enough resolved markets", "no clear difference yet", "the AI is better", "the market is better")

RESOLVED_PAIRS = FrameSchema(
    {"id": TEXT},
    {
        "question": TEXT,
        "asset": TEXT,
        "category": MARKET_CATEGORY,
        "resolved_at": INSTANT,
        "outcome": OUTCOME,
        "p_ai": NUMBER,
        "p_market": NUMBER,
        "brier_ai": NUMBER,
        "brier_market": NUMBER,
        "log_ai": NUMBER,
        "log_market": NUMBER,
        "difference": NUMBER,
        "source": TEXT,
        "simulated": FLAG,
        "backfilled": FLAG,
        "world": WORLD,
    },
)
SCOREBOARD = FrameSchema(
    {"forecaster": TEXT, "backfilled": FLAG},
    {
        "kind": KIND,
        "engine": TEXT,
        "n": COUNT,
        "n_eff": NUMBER,
        "brier": NUMBER,
        "brier_low": NUMBER,
        "brier_high": NUMBER,
        "log_score": NUMBER,
        "accuracy_n": COUNT,
        "accuracy_n_eff": NUMBER,
        "accuracy_pct": NUMBER,
        "accuracy_low_pct": NUMBER,
        "accuracy_high_pct": NUMBER,
        "likelier_side_pct": NUMBER,
        "always_no_pct": NUMBER,
        "skill": NUMBER,
        "skill_low": NUMBER,
        "skill_high": NUMBER,
        "skill_vol": NUMBER,
        "skill_vol_low": NUMBER,
        "skill_vol_high": NUMBER,
        "as_of": INSTANT,
        "world": WORLD,
    },
)
PAIRED_DIFFERENCE = FrameSchema(
    {"backfilled": FLAG},
    {
        "n": COUNT,
        "n_eff": NUMBER,
        "mean": NUMBER,
        "low": NUMBER,
        "high": NUMBER,
        "p_value": NUMBER,
        "weeks": COUNT,
        "verdict": VERDICT,
        "needed": COUNT,
        "deviation": NUMBER,
        "deviation_assumed": FLAG,
        "design_effect": NUMBER,
        "design_effect_assumed": FLAG,
        "diversity": NUMBER,
        "diversity_low": NUMBER,
        "diversity_high": NUMBER,
        "as_of": INSTANT,
        "world": WORLD,
    },
)
CALIBRATION = FrameSchema(
    {"forecaster": SIDE, "backfilled": FLAG, "bin": COUNT},
    {
        "p": NUMBER,
        "observed_pct": NUMBER,
        "low_pct": NUMBER,
        "high_pct": NUMBER,
        "n": COUNT,
        "world": WORLD,
    },
)
CUMULATIVE_BRIER = FrameSchema(
    {"resolved_at": INSTANT},
    {"n": COUNT, "brier_ai": NUMBER, "brier_market": NUMBER, "backfilled": FLAG, "world": WORLD},
)
NO_DIFFERENCE = dict.fromkeys(("n_eff", "mean", "low", "high", "p_value", "weeks"))


def resolved_pairs(document: Document) -> pd.DataFrame:
    """The latest resolved markets with a probability of both the pool and an external market.

    Parameters
    ----------
    document : the response of `client.ai_vs_market()`

    Returns
    -------
    One row per market, index `id`, in the order of the document; `attrs["total"]` says how many there are altogether,
    and `Archive.resolved_pairs` downloads them. `p_` is P(YES) in 0 to 1; `difference` is `brier_ai`
    minus `brier_market`, negative where the pool was better. The odds of `simulated` rows come from this service.
    """
    frame = RESOLVED_PAIRS.frame(document["markets"], world=document["world"])
    frame.attrs["total"] = sum(book["n"] for book in document["books"])
    return frame


def scoreboard(document: Document) -> pd.DataFrame:
    """The scores of the pool, the external market, the base rate and each voter, with their number of markets.

    Parameters
    ----------
    document : the response of `client.ai_vs_market()`

    Returns
    -------
    One row per forecaster and book, index `forecaster` and `backfilled`: the two books are never pooled. `accuracy_` is
    a percentage of `accuracy_n` markets, beside those of the likelier side so far and of always NO; the other scores
    are means over `n` markets, worth `n_eff` independent ones. `skill` is against how often such a market came true
    before, `skill_vol` against the votes of vol. Intervals are 95% ones, clustered by week.
    """
    rows = (row for book in document["books"] for row in _scores(book))
    return SCOREBOARD.frame(rows, as_of=document["as_of"], world=document["world"])


def paired_difference(document: Document) -> pd.DataFrame:
    """The mean Brier score of the pool minus that of the market in each book, and the verdict.

    Parameters
    ----------
    document : the response of `client.ai_vs_market()`

    Returns
    -------
    One row per book, index `backfilled`. `low` and `high` are the 95% interval of `mean`, missing with too few markets.
    `needed` is the number of markets that would show the present difference, computed from the standard `deviation` and
    the `design_effect` of weeks. `diversity` is the Brier score of the mean voter minus that of the voters' mean.
    """
    rows = (
        {**book, **(book["difference"] or NO_DIFFERENCE), "n": book["n"], **_diversity(book)}
        for book in document["books"]
    )
    return PAIRED_DIFFERENCE.frame(rows, as_of=document["as_of"], world=document["world"])


def calibration(document: Document) -> pd.DataFrame:
    """The observed frequency of YES for similar forecasts, in bins of equal count.

    Parameters
    ----------
    document : the response of `client.ai_vs_market()`

    Returns
    -------
    One row per forecaster, book and bin, index `forecaster`, `backfilled` and `bin`; bin 1 has the lowest forecasts.
    `p` is the mean forecast in 0 to 1, `observed_pct` the percentage of YES among `n` markets with a 95% interval. A
    book with fewer than 30 resolved markets has no rows.
    """
    rows = (row for book in document["books"] for row in _bins(book))
    return CALIBRATION.frame(rows, world=document["world"])


def cumulative_brier(document: Document) -> pd.DataFrame:
    """The mean Brier scores of all markets resolved up to an instant.

    Parameters
    ----------
    document : the response of `client.ai_vs_market()`

    Returns
    -------
    One row per point, index `resolved_at`, UTC, the oldest first in each book; `n` markets are averaged.
    """
    points = ({**point, "backfilled": book["backfilled"]} for book in document["books"] for point in book["cumulative"])
    return CUMULATIVE_BRIER.frame(points, world=document["world"])


def _diversity(book: Document) -> dict[str, Any]:
    diversity = book["diversity"] or dict.fromkeys(("diversity", "low", "high"))
    return {
        "diversity": diversity["diversity"],
        "diversity_low": diversity["low"],
        "diversity_high": diversity["high"],
    }


def _scores(book: Document) -> Iterator[dict[str, Any]]:
    for name in FORECASTERS:
        kind = "pool" if name == "ai" else name
        fields = {"forecaster": name, "kind": kind, "engine": None}
        yield {**book[name], **fields, "backfilled": book["backfilled"]}
    for voter in book["voters"]:
        yield {**voter, "forecaster": voter["voter"], "backfilled": book["backfilled"]}


def _bins(book: Document) -> Iterator[dict[str, Any]]:
    for name in SIDE.categories:
        curve = book["calibration"][name]
        for number, bin_ in enumerate(curve["bins"] if curve else (), 1):
            yield {**bin_, "forecaster": name, "bin": number, "backfilled": book["backfilled"]}
