"""The pulse of the news at one instant: a score for all stories and for each asset, and the topics."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from service.forecasting.news.headline import ScoredHeadline
from service.forecasting.news.stories import stories
from service.forecasting.news.topics import Topic, topics
from service.forecasting.voters.votes import Direction
from service.market.assets import ASSETS
from service.market.instants import DAY, HOUR

HALF_LIFE_H = 6
SHRINKAGE = 5.0  # fresh stories without a tone that are added to every score
NEUTRAL_WITHIN = 0.10
MOST_LATEST = 30
LOOK_BACK_S = 14 * DAY  # longer than any look-back of the pulse


@dataclass(frozen=True)
class AssetPulse:
    """The pulse of the stories that name one asset."""

    asset: str
    direction: Direction
    score: float
    n: int


@dataclass(frozen=True)
class Pulse:
    """The pulse at the unix second `at`, unrounded: `score` in -1..1 over `n` stories of the last day.

    `latest` are the newest stories, newest first.
    """

    at: int
    direction: Direction
    score: float
    n: int
    by_asset: tuple[AssetPulse, ...]
    topics: tuple[Topic, ...]
    latest: tuple[ScoredHeadline, ...]


def pulse(headlines: Iterable[ScoredHeadline], now: int) -> Pulse:
    """The pulse at the unix second `now`, from headlines in any order; later ones are ignored.

    Topics compare the last day with the week before, so nine days of headlines are enough.
    """
    ordered = _stories_until(now, headlines)
    score, n = score_at(ordered, now)
    return Pulse(
        at=now,
        direction=direction_of(score),
        score=score,
        n=n,
        by_asset=tuple(_of(asset, ordered, now) for asset in ASSETS),
        topics=topics(ordered, now),
        latest=ordered[: -MOST_LATEST - 1 : -1],
    )


def asset_pulse(asset: str, headlines: Iterable[ScoredHeadline], now: int) -> AssetPulse:
    """The pulse of one asset at the unix second `now`, from headlines in any order; later ones are ignored."""
    return _of(asset, _stories_until(now, headlines), now)


def score_at(ordered: Sequence[ScoredHeadline], now: int) -> tuple[float, int]:
    """The score of the stories of the 24 hours up to the unix second `now`, and their number.

    A story of age a hours has weight w = 2^(-a / 6), and the score is sum(w tone) / (sum(w) + 5): a mean that is shrunk
    towards 0 as by five fresh stories without a tone [assumed].

    Parameters
    ----------
    ordered : sequence of ScoredHeadline
        The result of `stories`, oldest first.
    now : int
        Unix second.

    Returns
    -------
    tuple of float and int
        The score in [-1, 1], 0 without stories, and n.
    """
    start = bisect_right(ordered, now - DAY, key=_published)
    end = bisect_right(ordered, now, lo=start, key=_published)
    total = weights = 0.0
    for each in ordered[start:end]:
        weight = 0.5 ** ((now - _published(each)) / (HALF_LIFE_H * HOUR))
        total += weight * each.score
        weights += weight
    return total / (weights + SHRINKAGE), end - start


def direction_of(score: float) -> Direction:
    """The side of a score; NEUTRAL less than 0.10 from 0."""
    if abs(score) < NEUTRAL_WITHIN:
        return "NEUTRAL"
    return "BULLISH" if score > 0 else "BEARISH"


def _stories_until(now: int, headlines: Iterable[ScoredHeadline]) -> tuple[ScoredHeadline, ...]:
    return stories(each for each in headlines if each.headline.published_at <= now)


def _of(asset: str, ordered: Iterable[ScoredHeadline], now: int) -> AssetPulse:
    score, n = score_at([each for each in ordered if asset in each.assets], now)
    return AssetPulse(asset, direction_of(score), score, n)


def _published(each: ScoredHeadline) -> int:
    return each.headline.published_at
