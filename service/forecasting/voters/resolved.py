"""Resolved questions with their votes, one by one and as columns that can be stored and joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from service.questions.question import Question
from service.scores.proper import Array, Instants

Band = Literal["day", "week", "longer", "topic"]  # of horizons up to a day, up to a week; what no price decides
BANDS: tuple[Band, ...] = get_args(Band)
DAY_H, WEEK_H = 24, 168
Engine = tuple[str, str]  # the voter, and its engine


def band_of(question: Question) -> Band:
    """The band of a question's horizon; a topic, which no price decides, has one of its own."""
    if question.comparator == "topic":
        return "topic"
    hours = round(question.horizon_hours, 2)
    return "day" if hours <= DAY_H else "week" if hours <= WEEK_H else "longer"


@dataclass(frozen=True)
class ResolvedVote:
    """A committed vote: P(YES)."""

    voter: str
    engine: str
    p: float


@dataclass(frozen=True)
class Resolved:
    """A question that resolved yes or no, with its votes; void ones are left out. Instants are unix seconds."""

    band: Band
    asked_at: int
    resolved_at: int
    happened: bool
    votes: tuple[ResolvedVote, ...]


@dataclass(frozen=True)
class ResolvedColumns:
    """Resolved questions as arrays of shape (n,), and the votes `p` of shape (n, engines), NaN where one did not vote.

    `bands` holds the band of each question, `happened` is 1 or 0, and instants are unix seconds.
    """

    engines: tuple[Engine, ...]
    bands: NDArray[np.str_]
    asked_at: Instants
    resolved_at: Instants
    happened: Array
    p: Array

    def of(self, band: Band) -> ResolvedColumns:
        """The questions of one band, in order of asking, with the engines that voted on them."""
        rows = np.flatnonzero(self.bands == band)
        rows = rows[np.argsort(self.asked_at[rows], kind="stable")]
        voted = np.flatnonzero(np.isfinite(self.p[rows]).any(axis=0))
        columns: dict[str, Any] = {field: getattr(self, field)[rows] for field in _COLUMNS}
        return ResolvedColumns(tuple(self.engines[column] for column in voted), p=self.p[rows][:, voted], **columns)

    def to_plain(self) -> dict[str, Any]:
        """A dict that JSON carries without loss."""
        plain: dict[str, Any] = {name: getattr(self, name).tolist() for name in _COLUMNS}
        votes = [[None if value != value else value for value in row] for row in self.p.tolist()]
        return {"engines": [list(engine) for engine in self.engines], **plain, "p": votes}

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> ResolvedColumns:
        """The columns that `to_plain` was called on."""
        engines = tuple((voter, engine) for voter, engine in plain["engines"])
        p = np.array(plain["p"], dtype=float).reshape(len(plain["asked_at"]), len(engines))
        columns: dict[str, Any] = {name: np.array(plain[name], dtype=kind) for name, kind in _COLUMNS.items()}
        return ResolvedColumns(engines, p=p, **columns)


_COLUMNS: dict[str, Any] = {
    "bands": "U6",
    "asked_at": np.int64,
    "resolved_at": np.int64,
    "happened": float,
}


def columns_of(questions: Sequence[Resolved]) -> ResolvedColumns:
    """The questions as columns, in their order."""
    engines = tuple(sorted({(vote.voter, vote.engine) for question in questions for vote in question.votes}))
    place = {engine: column for column, engine in enumerate(engines)}
    p = np.full((len(questions), len(engines)), np.nan)
    for row, question in enumerate(questions):
        for vote in question.votes:
            p[row, place[vote.voter, vote.engine]] = vote.p
    return ResolvedColumns(
        engines,
        bands=np.array([question.band for question in questions], dtype=_COLUMNS["bands"]),
        asked_at=np.array([question.asked_at for question in questions], dtype=np.int64),
        resolved_at=np.array([question.resolved_at for question in questions], dtype=np.int64),
        happened=np.array([question.happened for question in questions], dtype=float),
        p=p,
    )


def joined(parts: Sequence[ResolvedColumns]) -> ResolvedColumns:
    """The questions of all parts, one part after the other."""
    engines = tuple(sorted({engine for part in parts for engine in part.engines}))
    place = {engine: column for column, engine in enumerate(engines)}
    p = np.full((sum(len(part.happened) for part in parts), len(engines)), np.nan)
    start = 0
    for part in parts:
        end = start + len(part.happened)
        p[start:end, [place[engine] for engine in part.engines]] = part.p
        start = end
    plain: dict[str, Any] = {
        name: np.concatenate([np.array([], dtype=kind), *(getattr(part, name) for part in parts)])
        for name, kind in _COLUMNS.items()
    }
    return ResolvedColumns(engines, p=p, **plain)
