"""The state of one asset at one instant: small, plain, and computed from bars once, by a job.

Beside it the evidence that language models are shown: past prices, headlines, resolved questions. It is gathered only
where one votes; by default there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from service.documents import JsonRecord
from service.forecasting.densities.density import Fits
from service.forecasting.densities.grid import complete_bars
from service.forecasting.voters.inputs import INPUTS, NEEDED_H, InputHistory, InputTrack, survey
from service.forecasting.voters.track_record import TrackRecord
from service.market.assets import ASSETS, open_hours
from service.market.bars import LAST_SECOND, Bars
from service.market.instants import DAY, HOUR
from service.questions.kinds import Comparator
from service.questions.question import Question

HISTORY_S = 181 * DAY  # of hourly bars: 180 days, and the day that has begun
NEWS_S = 72 * HOUR
TOPIC_NEWS_S = 30 * DAY  # of headlines that share words with a question that no price decides
MOST_STORIES = 40

LEAST_SIMILAR = 10  # resolved questions; fewer give no rate
SIMILAR_BASE = 0.1  # difference of base rates
SIMILAR_HORIZON = 3.0  # ratio of horizons


@dataclass(frozen=True)
class Story:
    """A title that a source published at the unix second `published_at`; its words are of unknown origin."""

    title: str
    source: str
    published_at: int


@dataclass(frozen=True)
class AssetNews:
    """The stories of the last 72 hours that concern an asset, newest first, at most 40.

    `score` is the pulse of the `n` stories of the last day that name it, -1 bearish to 1 bullish.
    """

    stories: tuple[Story, ...]
    score: float
    n: int


@dataclass(frozen=True)
class ScheduledEvent:
    """What the operator lists for the unix second `at`."""

    at: int
    text: str


@dataclass(frozen=True)
class PastQuestion:
    """A resolved market or challenge; `base` is P(YES) by volatility alone when it was asked."""

    comparator: Comparator
    negated: bool
    horizon_hours: float
    base: float
    is_yes: bool


@dataclass(frozen=True)
class Evidence:
    """What was stored at the instant of a question.

    By asset: `hourly` bars, `variance` of the log return per open hour over 180 days, and `news`. `past_questions` are
    questions of this service that had resolved, backfilled ones included. A question that no price decides has nothing
    but `topic_stories`, headlines that share words with it, newest first, and the `events` until its deadline.
    """

    hourly: Mapping[str, Bars] = field(default_factory=dict)
    variance: Mapping[str, float] = field(default_factory=dict)
    news: Mapping[str, AssetNews] = field(default_factory=dict)
    past_questions: tuple[PastQuestion, ...] = ()
    topic_stories: tuple[Story, ...] = ()
    events: tuple[ScheduledEvent, ...] = ()


def similar(question: Question, base: float, past_questions: Iterable[PastQuestion]) -> list[bool]:
    """Whether each resolved question of this kind came true; none with fewer than 10 of them.

    They have the same comparator and negation, a base rate within 10 percentage points of `base`, and a horizon from a
    third to three times as long.
    """
    outcomes = [
        past.is_yes
        for past in past_questions
        if (past.comparator, past.negated) == (question.comparator, question.negated)
        and abs(past.base - base) <= SIMILAR_BASE
        and past.horizon_hours <= SIMILAR_HORIZON * question.horizon_hours
        and question.horizon_hours <= SIMILAR_HORIZON * past.horizon_hours
    ]
    return outcomes if len(outcomes) >= LEAST_SIMILAR else []


CORRELATION_H = 30 * 24
FRESH_H = 6  # open hours for which inputs are used beside a newer price
LEAST_COMMON_H = 10 * 24  # fewer common hours than this give no correlation


@dataclass(frozen=True)
class Context(JsonRecord):
    """The state of `asset` at `as_of`, the unix second at which its last hourly bar was complete.

    `spot` is that bar's close in USD, `history_days` the days since the first stored bar. `fast` and `slow` are
    variances of the log return per open hour (half-life 72 h; 180 days). `inputs` holds every input that comes from
    prices, null where history is too short; `correlations` that of hourly returns with each other asset over the last
    30 days, in hours in which both traded. `level` is the log variance per seasonal hour over 180 days and `variance`
    the terms of the models; a context stored by a version before them has neither.
    """

    asset: str
    as_of: int
    spot: float
    history_days: float
    fast: float
    slow: float
    inputs: dict[str, float | None]
    correlations: dict[str, float | None]
    level: float | None = None
    variance: dict[str, float] = field(default_factory=dict)

    def at_price(self, spot: float, as_of: int) -> Context:
        """The same inputs beside a newer price, seen at the unix second `as_of`.

        A context more than six open hours older than the price is returned unchanged: a fresh price must not hide that
        the inputs are no longer renewed.
        """
        if open_hours(self.asset, self.as_of, as_of, is_regular=True) > FRESH_H:
            return self
        return replace(self, spot=spot, as_of=max(as_of, self.as_of))


def build_all(hourly: Mapping[str, Bars], as_of: int = LAST_SECOND) -> dict[str, Context]:
    """The context of every asset that has a complete bar at the unix second `as_of`; later bars are ignored."""
    complete = complete_bars(hourly, as_of)
    return recall(survey(complete, latest_h=NEEDED_H), complete, as_of, complete) if complete else {}


def recall(
    history: InputHistory, hourly: Mapping[str, Bars], as_of: int, assets: Iterable[str] = ASSETS
) -> dict[str, Context]:
    """The contexts of `assets` that `build_all` gives at the unix second `as_of`, up to rounding; `history` is later.

    It is used once all of its assets have bars; before that, one is made of those that have.
    """
    complete = complete_bars(hourly, as_of)
    if not complete:
        return {}
    if complete.keys() != history.tracks.keys():
        history = survey(complete)
    row = history.grid.row_at(max(bars.as_of for bars in complete.values()))
    return {asset: _context(history, row, asset, complete[asset]) for asset in assets if asset in complete}


def _context(history: InputHistory, row: int, asset: str, bars: Bars) -> Context:
    track = history.tracks[asset]
    values = {name: float(track.inputs[name][row]) for name in INPUTS if name in track.inputs}
    return Context(
        asset=asset,
        as_of=bars.as_of,
        spot=float(bars.close[-1]),
        history_days=max(0, row + 1 - track.hours.first) * HOUR / DAY,
        fast=float(track.fast[row]),
        slow=float(track.slow[row]),
        inputs={name: value if np.isfinite(value) else None for name, value in values.items()},
        correlations={
            other: _correlation(track, history.tracks[other], row) for other in history.tracks if other != asset
        },
        level=float(track.variance.level[row]),
        variance={name: float(values[row]) for name, values in track.variance.terms.items()},
    )


def _correlation(track: InputTrack, other: InputTrack, row: int) -> float | None:
    """Correlation of hourly returns in the common hours of 30 days until `row`; None where there are too few."""
    recent = slice(max(0, row + 1 - CORRELATION_H), row + 1)
    common = track.hours.has_bar[recent] & other.hours.has_bar[recent]
    if common.sum() < LEAST_COMMON_H:
        return None
    returns, other_returns = (asset.hours.returns[recent][common] for asset in (track, other))
    if not returns.any() or not other_returns.any():
        return None
    return float(np.clip(np.corrcoef(returns, other_returns)[0, 1], -1, 1))


@dataclass(frozen=True)
class Knowledge:
    """The contexts by asset, the newest fits (None before the first) and the track record.

    `evidence` is for language models; it is empty where none votes. `lead` is the log return of a `relative` question's
    asset above that of the other one since its opening, where it is asked again later.
    """

    contexts: Mapping[str, Context]
    fits: Fits | None = None
    record: TrackRecord = field(default_factory=TrackRecord)
    evidence: Evidence = field(default_factory=Evidence)
    lead: float = 0.0

    @property
    def spots(self) -> dict[str, float]:
        """The last price of each asset in USD."""
        return {asset: context.spot for asset, context in self.contexts.items()}
