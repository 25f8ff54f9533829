"""The scores of a forecaster on a list of resolved markets, and those of each voter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from service.forecasting.predictions import Prediction
from service.forecasting.voters.brains import VOL
from service.forecasting.voters.panel import voters
from service.forecasting.voters.scoring import Array, brier, log_score, published, skill, wilson_interval
from service.forecasting.voters.voter import VoterKind

KINDS: dict[str, VoterKind] = {voter.name: voter.kind for voter in voters()}


@dataclass(frozen=True)
class ForecastScores:
    """Mean scores over `n` markets, null without any; a lower `brier` and `log_score` is better.

    `accuracy_pct` is the share of correct forecasts, with a 95% interval, among the `accuracy_n` markets whose forecast
    was not 50%. `skill` is 1 - Brier / Brier of the base rate so far.
    """

    n: int
    brier: float | None
    log_score: float | None
    accuracy_n: int
    accuracy_pct: float | None
    accuracy_low_pct: float | None
    accuracy_high_pct: float | None
    skill: float | None


@dataclass(frozen=True)
class VoterScore:
    """The scores of one engine of a voter on the markets it voted on.

    `against_vol` is its mean Brier score minus that of the `vol` brain on the same markets: negative is better.
    """

    voter: str
    engine: str
    kind: VoterKind
    n: int
    brier: float
    log_score: float
    accuracy_n: int
    accuracy_pct: float | None
    accuracy_low_pct: float | None
    accuracy_high_pct: float | None
    against_vol: float | None


def scores(p: Array, happened: Array, base_rate: Array) -> ForecastScores:
    """The scores of a forecaster.

    Parameters
    ----------
    p, happened, base_rate : ndarray of shape (n,)
        P(YES), the outcome as 1 or 0, and the share of YES known when each market was voted on.
    """
    if not len(p):
        return ForecastScores(n=0, brier=None, log_score=None, **_accuracy(p, happened), skill=None)
    return ForecastScores(
        n=len(p), **_means(p, happened), **_accuracy(p, happened), skill=published(skill(p, base_rate, happened), 5)
    )


def voter_scores(markets: Sequence[Prediction], happened: Array) -> tuple[VoterScore, ...]:
    """The scores of the nine voters, separately for each engine of a voter, best Brier score first.

    `happened` is the outcome of each market as 1 or 0, shape (markets,).
    """
    by_engine: dict[tuple[str, str], Array] = defaultdict(lambda: np.full(len(markets), nan))
    vol = np.full(len(markets), nan)
    for row, market in enumerate(markets):
        for vote in market.votes:
            if vote.voter in KINDS:
                by_engine[vote.voter, vote.engine][row] = vote.p
            if vote.voter == VOL.name:
                vol[row] = vote.p
    scored = [
        _voter_score(voter, engine, p, happened, brier(p, happened) - brier(vol, happened))
        for (voter, engine), p in by_engine.items()
    ]
    return tuple(sorted(scored, key=lambda score: (score.brier, score.voter, score.engine)))


def _voter_score(voter: str, engine: str, p: Array, happened: Array, differences: Array) -> VoterScore:
    voted, compared = np.isfinite(p), differences[np.isfinite(differences)]
    return VoterScore(
        voter=voter,
        engine=engine,
        kind=KINDS[voter],
        n=int(voted.sum()),
        **_means(p[voted], happened[voted]),
        **_accuracy(p[voted], happened[voted]),
        against_vol=round(float(compared.mean()), 5) if len(compared) else None,
    )


def _means(p: Array, happened: Array) -> dict[str, float]:
    return {
        "brier": round(float(brier(p, happened).mean()), 5),
        "log_score": round(float(log_score(p, happened).mean()), 5),
    }


def _accuracy(p: Array, happened: Array) -> dict[str, Any]:
    """The share of correct forecasts; a forecast that rounds to 0.5 does not count."""
    sided = np.round(p, 4) != 0.5
    n, right = int(sided.sum()), int(((p > 0.5) == (happened == 1))[sided].sum())
    low, high = wilson_interval(right, n) if n else (nan, nan)
    return {
        "accuracy_n": n,
        "accuracy_pct": published(100 * right / n if n else nan, 4),
        "accuracy_low_pct": published(100 * low, 4),
        "accuracy_high_pct": published(100 * high, 4),
    }
