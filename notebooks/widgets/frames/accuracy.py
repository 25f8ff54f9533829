"""AI versus market as frames: resolved pairs, scores, calibration and mean scores over time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from notebooks.widgets.frames.schema import Document, FrameSchema, one_of

FORECASTERS = ("ai", "market", "base_rate")
SIDES = ("ai", "market")
VERDICT = one_of("not enough resolved markets", "no clear difference yet", "the AI is better", "the market is better")

SCOREBOARD = FrameSchema.of(
    "forecaster:text backfilled:flag",
    "kind:pool|market|base_rate|seat|brain engine:text n:count n_eff brier brier_low brier_high log_score"
    " accuracy_n:count accuracy_n_eff accuracy_pct accuracy_low_pct accuracy_high_pct likelier_side_pct always_no_pct"
    " skill skill_low skill_high skill_vol skill_vol_low skill_vol_high as_of:time world:world",
)
PAIRED_DIFFERENCE = FrameSchema.of(
    "backfilled:flag",
    "n:count n_eff mean low high p_value weeks:count verdict needed:count deviation deviation_assumed:flag"
    " design_effect design_effect_assumed:flag diversity diversity_low diversity_high as_of:time world:world",
    verdict=VERDICT,
)
CALIBRATION = FrameSchema.of(
    "forecaster:ai|market backfilled:flag bin:count", "p_yes observed_pct low_pct high_pct n:count world:world"
)
CUMULATIVE_BRIER = FrameSchema.of("resolved_at:time", "n:count brier_ai brier_market backfilled:flag world:world")
NO_DIFFERENCE = dict.fromkeys(("n_eff", "mean", "low", "high", "p_value", "weeks"))


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
    `p_yes` is the mean forecast in 0 to 1, `observed_pct` the percentage of YES among `n` markets with a 95% interval.
    A book with fewer than 30 resolved markets has no rows.
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
    for name in SIDES:
        curve = book["calibration"][name]
        for number, bin_ in enumerate(curve["bins"] if curve else (), 1):
            yield {**bin_, "forecaster": name, "bin": number, "backfilled": book["backfilled"]}
