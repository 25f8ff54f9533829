"""A voter walked forward over the record: shown each market as it was when it was voted on, refitted every month.

At the beginning of each calendar month (UTC) a voter that learns is fitted to the markets of the last 365 days that had
resolved by then, as the voters of the service are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from numbers import Real
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from notebooks.lab.pages import with_progress
from notebooks.lab.record import AskedQuestion, MarketRecord, OpeningInputs, RecordedMarket

LEARNT = timedelta(days=365)
PREFIXES = 5  # of the record, which a voter is walked over again
TOLERANCE = 1e-9
SUREST = 0.999  # the service takes no forecast closer to 0 or 1


class VoterRefused(ValueError):
    """The voter cannot be scored, and why."""


class CustomVoter(Protocol):
    """A voter of one's own: P(YES) of a question from what was known, or None to abstain."""

    def forecast(self, question: AskedQuestion, inputs: OpeningInputs) -> float | None: ...


@runtime_checkable
class PreparingVoter(Protocol):
    """A voter that computes something from all hourly bars by asset before its first forecast."""

    def prepare(self, bars: Mapping[str, pd.DataFrame]) -> None: ...


@runtime_checkable
class LearningVoter(Protocol):
    """A voter that learns from markets that have resolved; it is fitted anew every month."""

    def fit(self, examples: Sequence[ResolvedExample]) -> None: ...


class ResolvedExample(NamedTuple):
    """A market that had resolved when the voter was fitted, and what was known when it was asked."""

    question: AskedQuestion
    inputs: OpeningInputs
    happened: bool


BuildVoter = Callable[[], CustomVoter]


@dataclass
class VoterWalk:
    """A voter on its way through a record; `forecast` is called with markets in the order of asking."""

    build: BuildVoter
    record: MarketRecord
    voter: CustomVoter = field(init=False)
    fitted_at: pd.Timestamp | None = None

    def __post_init__(self) -> None:
        self.voter = self.build()
        if isinstance(self.voter, PreparingVoter):
            self.voter.prepare(self.record.bars)

    def forecast(self, market: RecordedMarket) -> float:
        """P(YES) of a market, NaN where the voter abstains; raises VoterRefused for what is no probability."""
        self._fit(market.question.asked_at)
        p = self.voter.forecast(market.question, self.record.inputs(market))
        if p is None:
            return np.nan
        if not isinstance(p, Real) or not 0 <= p <= 1:
            raise VoterRefused(f"The forecast of {market.question.id} is {p!r}, which is no probability from 0 to 1.")
        return float(np.clip(p, 1 - SUREST, SUREST))

    def _fit(self, now: pd.Timestamp) -> None:
        month = now.normalize().replace(day=1)
        if not isinstance(self.voter, LearningVoter) or month == self.fitted_at:
            return
        self.fitted_at = month
        self.voter.fit(
            [
                ResolvedExample(market.question, self.record.inputs(market), market.happened)
                for market in self.record.markets
                if market.happened is not None
                and market.resolved_at is not None
                and market.resolved_at <= month
                and market.question.asked_at >= month - LEARNT
            ]
        )


def walk_forward(build: BuildVoter, record: MarketRecord, *, progress: bool = False) -> pd.Series:
    """P(YES) of each market by its id, NaN where the voter abstains."""
    walk = VoterWalk(build, record)
    markets = with_progress(record.markets, "walk", unit="markets", progress=progress)
    return pd.Series({market.question.id: walk.forecast(market) for market in markets}, dtype="float64")


def refuse_foresight(build: BuildVoter, record: MarketRecord, reference: pd.Series, *, progress: bool = False) -> None:
    """Raise VoterRefused where a forecast on a prefix of the record differs from that on the whole of it, `reference`.

    The voter is walked over five prefixes, each of which ends when a market is asked, with other ids of the markets: by
    an id it could look up how one came out. It gets its data from `prepare`, `fit` and `inputs`; what it reads
    elsewhere, and not by ids, cannot be tested.
    """
    name = getattr(build, "__name__", type(build).__name__)
    instants = sorted({market.question.asked_at for market in record.markets})
    places = np.linspace(0, len(instants), PREFIXES + 2)[1:-1].astype(int).tolist() if instants else []
    for place in with_progress(places, "look-ahead proof", unit="prefixes", progress=progress):
        prefix, end = record.until(instants[place]), f"{instants[place]:%Y-%m-%d %H:%M} UTC"
        try:
            forecasts = _masked_walk(build, prefix)
            differences = _differing(forecasts, reference)
        except (LookupError, ValueError, TypeError) as error:
            _refuse_ids(name, build, prefix, reference)
            fault = f"on the record until {end} it fails with {type(error).__name__}: {error}"
            raise VoterRefused(f"{name} needs the future: {fault}") from error
        if not differences:
            continue
        if _differing(_masked_walk(build, prefix), forecasts):
            raise VoterRefused(f"Two equal walks of {name} differ: give the random numbers of the voter a seed.")
        _refuse_ids(name, build, prefix, reference)
        markets = {market.question.id: market for market in prefix.markets}
        knows = "the whole record (such as a scale, a mean or a fit over all months)"
        if all(markets[id].question.deadline > instants[place] for id in differences):
            knows = "what came after a market was asked (later bars, or its resolution)"
        raise VoterRefused(
            f"{name} sees the future: it knows {knows}. On the record until {end} its forecast of {differences[0]} is "
            f"{forecasts[differences[0]]:.4f}, on the whole record {reference[differences[0]]:.4f} "
            f"({len(differences)} of {len(forecasts)} forecasts differ)."
        )


def _masked_walk(build: BuildVoter, record: MarketRecord) -> pd.Series:
    """The forecasts of a voter that sees other ids, by the true ones."""
    markets = [
        replace(market, question=replace(market.question, id=f"market {place}"))
        for place, market in enumerate(record.markets)
    ]
    forecasts = walk_forward(build, replace(record, markets=tuple(markets)))
    return forecasts.set_axis([market.question.id for market in record.markets])


def _refuse_ids(name: str, build: BuildVoter, prefix: MarketRecord, reference: pd.Series) -> None:
    """Raise VoterRefused where the forecasts differ only by the ids of the markets."""
    try:
        depends_on_ids = not _differing(walk_forward(build, prefix), reference)
    except (LookupError, ValueError, TypeError):
        return
    if depends_on_ids:
        raise VoterRefused(
            f"{name} peeks at the resolution: with other ids of the markets its forecasts are others, so it looks up "
            "what an id stands for. Use the text, the asset and the instants of a question."
        )


def _differing(forecasts: pd.Series, reference: pd.Series) -> list[Any]:
    others = reference[forecasts.index]
    matches = np.isclose(forecasts, others, rtol=0, atol=TOLERANCE, equal_nan=True)
    return list(forecasts.index[~matches])
