"""AI against market as frames: resolved pairs, scores, calibration and how the scores came about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from notebooks.widgets.frames.table import (
    CLAIM,
    COUNT,
    INSTANT,
    MARKET_CATEGORY,
    NUMBER,
    OUTCOME,
    TEXT,
    WORLD,
    Table,
    one_of,
)

FORECASTERS = ("ai", "market", "base_rate")
CALIBRATED = one_of("ai", "market")
KIND = one_of("pool", "market", "base_rate", "seat", "brain")
VERDICT = one_of("not enough resolved markets", "no clear difference yet", "the AI is better", "the market is better")

RESOLVED_PAIRS = Table(
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
        "simulated": CLAIM,
        "backfilled": CLAIM,
        "world": WORLD,
    },
)
SCOREBOARD = Table(
    {"forecaster": TEXT},
    {
        "kind": KIND,
        "engine": TEXT,
        "n": COUNT,
        "brier": NUMBER,
        "log_score": NUMBER,
        "accuracy_n": COUNT,
        "accuracy_pct": NUMBER,
        "accuracy_low_pct": NUMBER,
        "accuracy_high_pct": NUMBER,
        "skill": NUMBER,
        "against_vol": NUMBER,
        "backfilled": CLAIM,
        "as_of": INSTANT,
        "world": WORLD,
    },
)
PAIRED_DIFFERENCE = Table(
    {"backfilled": CLAIM},
    {
        "n": COUNT,
        "mean": NUMBER,
        "low": NUMBER,
        "high": NUMBER,
        "p_value": NUMBER,
        "weeks": COUNT,
        "verdict": VERDICT,
        "needed": COUNT,
        "deviation": NUMBER,
        "deviation_assumed": CLAIM,
        "as_of": INSTANT,
        "world": WORLD,
    },
)
CALIBRATION = Table(
    {"forecaster": CALIBRATED, "bin": COUNT},
    {
        "p": NUMBER,
        "observed_pct": NUMBER,
        "low_pct": NUMBER,
        "high_pct": NUMBER,
        "n": COUNT,
        "backfilled": CLAIM,
        "world": WORLD,
    },
)
CUMULATIVE_BRIER = Table(
    {"resolved_at": INSTANT},
    {"n": COUNT, "brier_ai": NUMBER, "brier_market": NUMBER, "backfilled": CLAIM, "world": WORLD},
)
NO_DIFFERENCE = dict.fromkeys(("mean", "low", "high", "p_value", "weeks"))


def resolved_pairs(document: Mapping[str, Any]) -> pd.DataFrame:
    """The resolved markets on which both the pool and an outside market gave a probability.

    Parameters
    ----------
    document : that of `client.ai_vs_market()`

    Returns
    -------
    One row a market, index `id`, in the order of the document. `p_` is P(YES) in 0 to 1, `difference` is `brier_ai`
    less `brier_market`: negative where the pool was better. Nobody traded at odds that are `simulated`.
    """
    return RESOLVED_PAIRS.frame(document["markets"], world=document["world"])


def scoreboard(document: Mapping[str, Any]) -> pd.DataFrame:
    """How good the pool, the outside market, the base rate and each voter were, with how many markets that rests on.

    Parameters
    ----------
    document : that of `client.ai_vs_market()`

    Returns
    -------
    One row a forecaster and book, index `forecaster`, which repeats: what is `backfilled` and what was said live are
    two books that are never pooled. `accuracy_` is over `accuracy_n`, the others over `n`; low and high are a 95 %
    interval. `skill` is of the first three, `against_vol` (Brier score less that of the voter vol) of the voters.
    """
    rows = (row for book in document["books"] for row in _scores(book))
    return SCOREBOARD.frame(rows, as_of=document["as_of"], world=document["world"])


def paired_difference(document: Mapping[str, Any]) -> pd.DataFrame:
    """The pool's Brier score less the market's in each book, and what can be said of it.

    Parameters
    ----------
    document : that of `client.ai_vs_market()`

    Returns
    -------
    One row a book, index `backfilled`. `low` and `high` are a 95 % interval of `mean`, missing while there are too few
    markets; `needed` is how many would show the present difference, `deviation` what it is computed from.
    """
    rows = ({**book, **(book["difference"] or NO_DIFFERENCE), "n": book["n"]} for book in document["books"])
    return PAIRED_DIFFERENCE.frame(rows, as_of=document["as_of"], world=document["world"])


def calibration(document: Mapping[str, Any]) -> pd.DataFrame:
    """How often YES came of the forecasts near each other, in bins of equal count.

    Parameters
    ----------
    document : that of `client.ai_vs_market()`

    Returns
    -------
    One row a forecaster, bin and book, index `forecaster` and `bin`, from 1 with the lowest forecasts. `p` is the mean
    forecast in 0 to 1, `observed_pct` how often YES came in percent with a 95 % interval, `n` of how many. There are
    no rows for a book with fewer than 30 resolved markets.
    """
    rows = (row for book in document["books"] for row in _bins(book))
    return CALIBRATION.frame(rows, world=document["world"])


def cumulative_brier(document: Mapping[str, Any]) -> pd.DataFrame:
    """The mean Brier scores of all that had resolved by an instant.

    Parameters
    ----------
    document : that of `client.ai_vs_market()`

    Returns
    -------
    Index `resolved_at`, UTC, oldest first in each book; `n` is of how many markets.
    """
    points = ({**point, "backfilled": book["backfilled"]} for book in document["books"] for point in book["cumulative"])
    return CUMULATIVE_BRIER.frame(points, world=document["world"])


def _scores(book: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name in FORECASTERS:
        kind = "pool" if name == "ai" else name
        told = {"forecaster": name, "kind": kind, "engine": None, "against_vol": None}
        yield {**book[name], **told, "backfilled": book["backfilled"]}
    for voter in book["voters"]:
        yield {**voter, "forecaster": voter["voter"], "skill": None, "backfilled": book["backfilled"]}


def _bins(book: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name in CALIBRATED.categories:
        calibrated = book["calibration"][name]
        for number, one in enumerate(calibrated["bins"] if calibrated else (), 1):
            yield {**one, "forecaster": name, "bin": number, "backfilled": book["backfilled"]}
