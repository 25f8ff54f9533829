"""How good a forecaster was on a list of resolved markets, and how good each voter was."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from service.forecasting.brains import VOL, Kind
from service.forecasting.oracle import voters
from service.forecasting.predictions import Settled
from service.forecasting.scoring import Array, brier, log_score, published, skill, wilson_interval

KINDS: dict[str, Kind] = {voter.name: voter.kind for voter in voters()}


@dataclass(frozen=True)
class Scores:
    """Mean scores over `n` markets, null without any; of `brier` and `log_score` the lower one is better.

    `accuracy_pct` is how often the likelier side came true on the `accuracy_n` markets whose forecast was not 50 %,
    with a 95 % interval. `skill` is 1 - Brier / Brier of the base rate so far.
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
    """One voter on those of the markets that it voted on.

    `against_vol` is its mean Brier score less that of the `vol` brain on the same markets: below 0 it was better.
    """

    voter: str
    engine: str
    kind: Kind
    n: int
    brier: float
    log_score: float
    accuracy_n: int
    accuracy_pct: float | None
    accuracy_low_pct: float | None
    accuracy_high_pct: float | None
    against_vol: float | None


def scores(p: Array, happened: Array, base_rate: Array) -> Scores:
    """The scores of P(YES) `p` against `happened`, 1 or 0, and the `base_rate` known then; all of shape (n,)."""
    if not len(p):
        return Scores(n=0, brier=None, log_score=None, **_accuracy(p, happened), skill=None)
    return Scores(
        n=len(p), **_means(p, happened), **_accuracy(p, happened), skill=published(skill(p, base_rate, happened), 5)
    )


def voter_scores(settled: Sequence[Settled], happened: Array) -> tuple[VoterScore, ...]:
    """The nine, each engine of them apart, best Brier score first; `happened` is 1 or 0, shape (markets,)."""
    said: dict[tuple[str, str], Array] = defaultdict(lambda: np.full(len(settled), nan))
    vol = np.full(len(settled), nan)
    for row, one in enumerate(settled):
        for vote in one.commitment.votes:
            if vote.voter in KINDS:
                said[vote.voter, vote.engine][row] = vote.p
            if vote.voter == VOL.name:
                vol[row] = vote.p
    found = [_voter_score(*who, p, happened, brier(p, happened) - brier(vol, happened)) for who, p in said.items()]
    return tuple(sorted(found, key=lambda score: (score.brier, score.voter, score.engine)))


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
    """How often the likelier side came true; a forecast that is published as 0.5 has none."""
    sided = np.round(p, 4) != 0.5
    n, right = int(sided.sum()), int(((p > 0.5) == (happened == 1))[sided].sum())
    low, high = wilson_interval(right, n) if n else (nan, nan)
    return {
        "accuracy_n": n,
        "accuracy_pct": published(100 * right / n if n else nan, 4),
        "accuracy_low_pct": published(100 * low, 4),
        "accuracy_high_pct": published(100 * high, 4),
    }
