"""The weight of each voter, computed by a job from resolved votes.

Embedded engines have equal weights: no weighting of them was better than their mean on months that had not chosen it.
A language model begins with the weight of one of them and moves by online aggregation of its own record (BOA:
Wintenberger 2017), a week at a time, because the questions of a week come out alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Literal, NamedTuple

import numpy as np

from service.documents import JsonRecord
from service.forecasting.voters.ballots import is_model_engine
from service.questions.question import Question
from service.scores.intervals import DIFFERENCES, clustered_mean, published, weeks_of
from service.scores.proper import aggregate, brier

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
        return next((row for row in self.standings if (row.voter, row.engine) == (voter, engine)), None)

    def weight_of(self, voter: str, engine: str) -> float:
        """The weight of an engine of a voter; 1 for a new one."""
        standing = self.find(voter, engine)
        return standing.weight if standing else 1.0


@dataclass(frozen=True)
class TrackRecord(JsonRecord):
    """The record at the unix second `as_of`, by band of horizons; one of an earlier version is read as empty."""

    as_of: int = 0
    bands: Mapping[Band, BandRecord] = field(default_factory=dict)

    def of(self, question: Question) -> BandRecord:
        """The record of the horizons like that of a question."""
        return self.of_band(band_of(question))

    def of_band(self, band: Band) -> BandRecord:
        return self.bands.get(band, BandRecord())


def build(questions: Sequence[Resolved], as_of: int) -> TrackRecord:
    """The record of everything that resolved by the unix second `as_of`."""
    ordered = sorted(questions, key=attrgetter("asked_at"))
    bands: dict[Band, list[Resolved]] = {}
    for question in ordered:
        bands.setdefault(question.band, []).append(question)
    return TrackRecord(as_of, {band: measure(questions) for band, questions in bands.items()})


def measure(questions: Sequence[Resolved]) -> BandRecord:
    """The record of one band, from at least one question."""
    cast = [{(vote.voter, vote.engine): vote.p for vote in question.votes} for question in questions]
    engines = sorted({engine for votes in cast for engine in votes})
    p = np.array([[votes.get(engine, np.nan) for engine in engines] for votes in cast])
    outcomes = np.array([float(question.happened) for question in questions])
    weeks = weeks_of(np.array([question.resolved_at for question in questions]))
    moves = np.array([is_model_engine(engine) for _, engine in engines])
    weights, pool = aggregate(moves, p, outcomes, weeks)
    gains = brier(pool, outcomes)[:, None] - brier(p, outcomes[:, None])
    standings: list[Standing] = []
    for engine, weight, of_engine in zip(engines, weights.tolist(), gains.T, strict=True):
        has_vote = np.isfinite(of_engine)
        gain = clustered_mean(of_engine[has_vote], weeks[has_vote], DIFFERENCES)
        numbers = [published(value, DIGITS) for value in (gain.mean, *gain.interval())]
        standings.append(Standing(*engine, gain.n, gain.clusters, weight, *numbers))
    return BandRecord(tuple(standings))


Band = Literal["day", "week", "longer", "topic"]  # of horizons up to a day, up to a week; what no price decides
DAY_H, WEEK_H = 24, 168
Engine = tuple[str, str]  # the voter, and its engine


def band_of(question: Question) -> Band:
    """The band of a question's horizon; a topic, which no price decides, has one of its own."""
    if question.comparator == "topic":
        return "topic"
    hours = round(question.horizon_hours, 2)
    return "day" if hours <= DAY_H else "week" if hours <= WEEK_H else "longer"


class ResolvedVote(NamedTuple):
    """A committed vote: P(YES)."""

    voter: str
    engine: str
    p: float


@dataclass(frozen=True)
class Resolved(JsonRecord):
    """A question that resolved yes or no, with its votes; void ones are left out. Instants are unix seconds."""

    band: Band
    asked_at: int
    resolved_at: int
    happened: bool
    votes: tuple[ResolvedVote, ...]
