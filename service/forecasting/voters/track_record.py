"""The weight of each voter, computed by a job from resolved votes.

Embedded engines have equal weights: no weighting of them was better than their mean on months that had not chosen it.
A language model begins with the weight of one of them and moves by online aggregation of its own record (BOA:
Wintenberger 2017), a week at a time, because the questions of a week come out alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from service.forecasting.voters.ballots import is_model_engine
from service.forecasting.voters.resolved import (
    BANDS,
    Band,
    Engine,
    Resolved,
    ResolvedColumns,
    band_of,
    columns_of,
    joined,
)
from service.forecasting.voters.scoring import Array, Instants, brier, clustered_mean, published, weeks_of
from service.questions.question import Question

LIGHTEST, HEAVIEST = 0.25, 3.0  # each voter keeps a say, and none decides alone
# A week's gain of 0.02, usual for a model that is 10 percentage points from the pool, and four weeks' worth of it as
# the prior: before them weights hardly move.
PRIOR_SQUARES = 4 * 0.02**2
DIGITS = 5


@dataclass(frozen=True)
class Standing:
    """The record of one engine of one voter in a band of horizons: `n` of its votes have resolved, in `weeks` weeks.

    `gain` is by how much its Brier score was lower than that of the pool, in the mean, with its 95% interval clustered
    by week; None where nothing is known of it.
    """

    voter: str
    engine: str
    n: int
    weeks: int
    weight: float
    gain: float | None = None
    gain_low: float | None = None
    gain_high: float | None = None


@dataclass(frozen=True)
class BandRecord:
    """The record of questions with horizons in one band."""

    standings: tuple[Standing, ...] = ()

    def find(self, voter: str, engine: str) -> Standing | None:
        """The standing of an engine of a voter; None before one of its votes has resolved."""
        return next((each for each in self.standings if (each.voter, each.engine) == (voter, engine)), None)

    def weight_of(self, voter: str, engine: str) -> float:
        """The weight of an engine of a voter; 1 for a new one."""
        standing = self.find(voter, engine)
        return standing.weight if standing else 1.0


@dataclass(frozen=True)
class TrackRecord:
    """The record at the unix second `as_of`, by band of horizons; the default is an empty one."""

    as_of: int = 0
    bands: Mapping[Band, BandRecord] = field(default_factory=dict)

    def of(self, question: Question) -> BandRecord:
        """The record of the horizons like that of a question."""
        return self.of_band(band_of(question))

    def of_band(self, band: Band) -> BandRecord:
        """The record of a band."""
        return self.bands.get(band, BandRecord())

    def to_plain(self) -> dict[str, Any]:
        """A dict that JSON carries without loss."""
        return asdict(self)

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> TrackRecord:
        """The record that `to_plain` was called on; an empty one where an earlier version made it."""
        bands = {
            band: BandRecord(tuple(Standing(**standing) for standing in record["standings"]))
            for band, record in plain.get("bands", {}).items()
        }
        return TrackRecord(plain["as_of"], bands)


def build(resolved: Sequence[Resolved], as_of: int) -> TrackRecord:
    """The record of everything that resolved by the unix second `as_of`."""
    return build_from([columns_of(resolved)], as_of)


def build_from(parts: Sequence[ResolvedColumns], as_of: int) -> TrackRecord:
    """The record of all parts together; the same bits, whether the parts were stored or are made of the votes again."""
    questions = joined(parts)
    bands: dict[Band, BandRecord] = {}
    for band in BANDS:
        of_band = questions.of(band)
        if len(of_band.happened):
            bands[band] = measure(of_band)
    return TrackRecord(as_of, bands)


def measure(questions: ResolvedColumns) -> BandRecord:
    """The record of one band, from at least one question."""
    weeks = weeks_of(questions.resolved_at)
    weights, pool = aggregate(questions.engines, questions.p, questions.happened, weeks)
    gains = brier(pool, questions.happened)[:, None] - brier(questions.p, questions.happened[:, None])
    standings = [
        _standing(engine, weight, gains[:, column], weeks)
        for column, (engine, weight) in enumerate(zip(questions.engines, weights.tolist(), strict=True))
    ]
    return BandRecord(tuple(standings))


def _standing(engine: Engine, weight: float, gains: Array, weeks: Instants) -> Standing:
    voted = np.isfinite(gains)
    gain = clustered_mean(gains[voted], weeks[voted])
    numbers = [published(value, DIGITS) for value in (gain.mean, *gain.interval())]
    return Standing(*engine, gain.n, gain.clusters, weight, *numbers)


def aggregate(engines: Sequence[Engine], p: Array, happened: Array, weeks: Instants) -> tuple[Array, Array]:
    """The weights after the last question, shape (engines,), and the pool of each question by those before its week.

    Each week every language model gains or loses the mean of the pool's Brier score less its own, g. As its weight
    rises the pool comes closer to it, so a model and its copies share what is left to gain. The log of the weight is
    eta sum(g) - eta^2 sum(g^2), where eta is half of 1 / sqrt(prior + sum(g^2)): chance alone moves it by about a half.

    Parameters
    ----------
    engines : sequence of (voter, engine)
        One for each column.
    p : ndarray of shape (questions, engines)
        P(YES); NaN where an engine did not vote.
    happened, weeks : ndarray of shape (questions,)
        1 or 0; the calendar week of resolution.
    """
    moves = np.array([is_model_engine(engine) for _, engine in engines])
    sums, squares, weights = np.zeros(len(engines)), np.zeros(len(engines)), np.ones(len(engines))
    pool = np.empty(len(happened))
    for week in np.unique(weeks):
        rows = weeks == week
        votes, voted = p[rows], np.isfinite(p[rows])
        shares = weights * voted
        pool[rows] = np.nansum(shares * votes, axis=1) / shares.sum(axis=1)
        gains = brier(pool[rows], happened[rows])[:, None] - brier(votes, happened[rows][:, None])
        gain = np.nansum(gains, axis=0) / np.maximum(voted.sum(axis=0), 1)
        sums, squares = sums + gain, squares + gain**2
        eta = 0.5 / np.sqrt(PRIOR_SQUARES + squares)
        weights = np.where(moves, np.clip(np.exp(eta * sums - eta**2 * squares), LIGHTEST, HEAVIEST), 1.0)
    return weights, pool
