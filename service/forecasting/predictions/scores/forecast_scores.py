"""The scores of a forecaster on a list of resolved markets, and those of each voter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from service.forecasting.predictions.scores.columns import CONSENSUS, KINDS, MarketColumns
from service.forecasting.predictions.scores.evidence import ScoredMarkets
from service.forecasting.voters.ballots import VoterKind
from service.scores.dependence import DIFFERENCES, LEVELS, SIDES, SKILL, Dependence
from service.scores.intervals import ClusteredMean, clustered_mean, published
from service.scores.proper import Array, brier, log_score, skill_terms
from service.scores.sides import mean, right_share

DIGITS = 5


@dataclass(frozen=True)
class ForecastScores:
    """Mean scores over `n` markets, null without any; a lower `brier` and `log_score` is better.

    Every interval is a 95% one clustered by week of resolution, null where the markets are worth less than 1.5
    independent ones. The Brier scores are worth those of `n_eff` independent markets. `accuracy_pct` is the share of
    right sides among the `accuracy_n` forecasts other than 50%, worth `accuracy_n_eff`. On the same markets, the side
    that such markets (same category and comparator) took more often before reaches `likelier_side_pct`, and NO every
    time `always_no_pct`.

    `skill` is 1 - Brier / Brier of how often such a market had come out YES when it was voted on. `skill_vol` is the
    same against the committed votes of `vol`, on the markets that it voted on.
    """

    n: int
    n_eff: float
    brier: float | None
    brier_low: float | None
    brier_high: float | None
    log_score: float | None
    accuracy_n: int
    accuracy_n_eff: float
    accuracy_pct: float | None
    accuracy_low_pct: float | None
    accuracy_high_pct: float | None
    likelier_side_pct: float | None
    always_no_pct: float | None
    skill: float | None
    skill_low: float | None
    skill_high: float | None
    skill_vol: float | None
    skill_vol_low: float | None
    skill_vol_high: float | None


@dataclass(frozen=True)
class VoterEngine:
    """One engine of a voter."""

    voter: str
    engine: str
    kind: VoterKind


@dataclass(frozen=True)
class VoterScore(ForecastScores, VoterEngine):
    """The scores of one engine of a voter on the markets it voted on."""


def scores(p: Array, evidence: ScoredMarkets) -> ForecastScores:
    """The scores of the forecasts `p` (n,), P(YES) of each market of the evidence."""
    return ForecastScores(**_fields(p, evidence))


def voter_scores(markets: MarketColumns, evidence: ScoredMarkets) -> tuple[VoterScore, ...]:
    """The scores of the nine voters, separately for each engine of a voter, best Brier score first."""
    scored = [
        _voter_score(*engine, p, evidence)
        for engine, p in zip(markets.engines, markets.p.T, strict=True)
        if engine != CONSENSUS and np.isfinite(p).any()
    ]
    return tuple(sorted(scored, key=lambda score: (score.brier, score.voter, score.engine)))


def _voter_score(voter: str, engine: str, p: Array, evidence: ScoredMarkets) -> VoterScore:
    voted = np.isfinite(p)
    return VoterScore(voter=voter, engine=engine, kind=KINDS[voter], **_fields(p[voted], evidence.where(voted)))


def _fields(p: Array, evidence: ScoredMarkets) -> dict[str, Any]:
    loss = clustered_mean(brier(p, evidence.happened), evidence.weeks, LEVELS)
    right = right_share(p, evidence.rate, evidence.happened, evidence.weeks, SIDES)
    return {
        "n": loss.n,
        "n_eff": round(loss.n_eff, 1),
        **loss.fields("brier", DIGITS, within=(0, 1)),
        "log_score": published(mean(log_score(p, evidence.happened)), DIGITS),
        "accuracy_n": right.n,
        "accuracy_n_eff": right.n_eff,
        "accuracy_pct": right.pct,
        "accuracy_low_pct": right.low_pct,
        "accuracy_high_pct": right.high_pct,
        "likelier_side_pct": right.likelier_side_pct,
        "always_no_pct": right.always_no_pct,
        **_skill(p, evidence.rate, evidence, SKILL).fields("skill", DIGITS),
        **_skill(p, evidence.vol, evidence, DIFFERENCES).fields("skill_vol", DIGITS),
    }


def _skill(p: Array, reference: Array, evidence: ScoredMarkets, prior: Dependence) -> ClusteredMean:
    compared = np.isfinite(reference)
    terms = skill_terms(p[compared], reference[compared], evidence.happened[compared])
    return clustered_mean(terms, evidence.weeks[compared], prior)
