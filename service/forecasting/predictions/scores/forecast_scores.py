"""The scores, the calibration and the diversity of forecasters on a list of resolved markets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from service.forecasting.predictions.scores.columns import CONSENSUS, KINDS, MarketColumns, ScoredMarkets
from service.forecasting.voters.panel import VoterKind
from service.scores.intervals import (
    DIFFERENCES,
    DISAGREEMENT,
    LEAST_N,
    LEVELS,
    SIDES,
    SKILL,
    ClusteredMean,
    Dependence,
    clustered_mean,
    mean,
    published,
    right_share,
)
from service.scores.proper import Array, Instants, brier, log_score, reliability, skill_terms

DIGITS = 5


@dataclass(frozen=True)
class ForecastScores:
    """Mean scores over `n` markets, null without any; a lower `brier` and `log_score` is better.

    Every interval is a 95% one clustered by week of resolution, null where the markets are worth less than 1.5
    independent ones; in a table of forecasters it is wider, by what luck gives the best of them. The Brier scores are
    worth those of `n_eff` independent markets. `accuracy_pct` is the share of right sides among the `accuracy_n`
    forecasts other than 50%, worth `accuracy_n_eff`. On the same markets, the side that such markets (same category and
    comparator) took more often before reaches `likelier_side_pct`, and NO every time `always_no_pct`.

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
    loss = clustered_mean(brier(p, evidence.outcomes), evidence.weeks, LEVELS, evidence.luckiest)
    right = right_share(p, evidence.rate, evidence.outcomes, evidence.weeks, SIDES, evidence.luckiest)
    return ForecastScores(
        n=loss.n,
        n_eff=round(loss.n_eff, 1),
        **loss.fields("brier", DIGITS, within=(0, 1)),
        log_score=published(mean(log_score(p, evidence.outcomes)), DIGITS),
        accuracy_n=right.n,
        accuracy_n_eff=right.n_eff,
        **right.percentages(),
        **_skill(p, evidence.rate, evidence, SKILL).fields("skill", DIGITS),
        **_skill(p, evidence.vol, evidence, DIFFERENCES).fields("skill_vol", DIGITS),
    )


def voter_scores(markets: MarketColumns, evidence: ScoredMarkets) -> tuple[VoterScore, ...]:
    """The scores of the nine voters, separately for each engine of a voter, best Brier score first."""
    rows: list[VoterScore] = []
    for (voter, engine), p in zip(markets.engines, markets.p.T, strict=True):
        has_vote = np.isfinite(p)
        if (voter, engine) != CONSENSUS and has_vote.any():
            means = scores(p[has_vote], evidence.where(has_vote))
            rows.append(VoterScore(voter=voter, engine=engine, kind=KINDS[voter], **vars(means)))
    return tuple(sorted(rows, key=lambda score: (score.brier, score.voter, score.engine)))


def _skill(p: Array, reference: Array, evidence: ScoredMarkets, prior: Dependence) -> ClusteredMean:
    has_reference = np.isfinite(reference)
    terms = skill_terms(p[has_reference], reference[has_reference], evidence.outcomes[has_reference])
    return clustered_mean(terms, evidence.weeks[has_reference], prior, evidence.luckiest)


MOST_BINS = 10
LEAST_IN_BIN = 10


@dataclass(frozen=True)
class Bin:
    """`n` neighbouring forecasts: their mean `p_yes`, and the share of YES among them.

    Its 95% interval is clustered by week of resolution.
    """

    p_yes: float
    observed_pct: float
    low_pct: float
    high_pct: float
    n: int


@dataclass(frozen=True)
class CalibrationReport:
    """Brier = miscalibration - discrimination + uncertainty, by isotonic regression, and bins of equal size."""

    n: int
    miscalibration: float
    discrimination: float
    uncertainty: float
    bins: tuple[Bin, ...]


def calibrate(p: Array, outcomes: Array, weeks: Instants) -> CalibrationReport | None:
    """The calibration of the forecasts `p` (n,), P(YES); None with fewer than 30.

    `outcomes` are 1 or 0. There are at most ten bins of equal size, with at least ten forecasts each.
    """
    n = len(p)
    if n < LEAST_N:
        return None
    diagram = reliability(p, outcomes)
    parts = np.array_split(np.argsort(p, kind="stable"), min(MOST_BINS, n // LEAST_IN_BIN))
    return CalibrationReport(
        n=n,
        miscalibration=round(diagram.miscalibration, 5),
        discrimination=round(diagram.discrimination, 5),
        uncertainty=round(diagram.uncertainty, 5),
        bins=tuple(_bin(p[part], outcomes[part], weeks[part]) for part in parts),
    )


def _bin(p: Array, outcomes: Array, weeks: Instants) -> Bin:
    share = clustered_mean(outcomes, weeks, LEVELS)
    low, high = share.share_interval()
    observed_pct, low_pct, high_pct = (round(100 * value, 4) for value in (share.mean, low, high))
    return Bin(round(float(p.mean()), 4), observed_pct, low_pct, high_pct, len(p))


@dataclass(frozen=True)
class Diversity:
    """The mean Brier score of the voters minus that of the plain mean of their probabilities, with equal weights.

    It is 0 where all voters say the same, and never negative (ambiguity decomposition, Krogh and Vedelsby 1995). The
    means are over `n` resolved markets; `low` and `high` are the 95% interval, clustered by week.
    """

    diversity: float
    low: float | None
    high: float | None
    voters_brier: float
    linear_pool_brier: float
    n: int


def diversity_of(markets: MarketColumns, evidence: ScoredMarkets) -> Diversity | None:
    """The diversity of the nine on markets with votes of at least two of them; None with fewer than 30 such markets."""
    rows = np.flatnonzero(np.isfinite(markets.of_voters).sum(axis=1) > 1)
    if len(rows) < LEAST_N:
        return None
    votes, outcomes = markets.of_voters[rows], evidence.outcomes[rows]
    voter_errors = np.nanmean(brier(votes, outcomes[:, None]), axis=1)
    pool_errors = brier(np.nanmean(votes, axis=1), outcomes)
    gain = clustered_mean(voter_errors - pool_errors, evidence.weeks[rows], DISAGREEMENT)
    low, high = gain.interval()
    return Diversity(
        diversity=round(gain.mean, DIGITS),
        low=published(low, DIGITS),
        high=published(high, DIGITS),
        voters_brier=round(float(voter_errors.mean()), DIGITS),
        linear_pool_brier=round(float(pool_errors.mean()), DIGITS),
        n=gain.n,
    )
