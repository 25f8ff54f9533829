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
from service.questions.question import Question
from service.scores.aggregation import aggregate
from service.scores.dependence import DIFFERENCES, weeks_of
from service.scores.intervals import clustered_mean, published
from service.scores.proper import Array, Instants, brier

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
    moves = np.array([is_model_engine(engine) for _, engine in questions.engines])
    weights, pool = aggregate(moves, questions.p, questions.happened, weeks)
    gains = brier(pool, questions.happened)[:, None] - brier(questions.p, questions.happened[:, None])
    standings = [
        _standing(engine, weight, gains[:, column], weeks)
        for column, (engine, weight) in enumerate(zip(questions.engines, weights.tolist(), strict=True))
    ]
    return BandRecord(tuple(standings))


def _standing(engine: Engine, weight: float, gains: Array, weeks: Instants) -> Standing:
    voted = np.isfinite(gains)
    gain = clustered_mean(gains[voted], weeks[voted], DIFFERENCES)
    numbers = [published(value, DIGITS) for value in (gain.mean, *gain.interval())]
    return Standing(*engine, gain.n, gain.clusters, weight, *numbers)
