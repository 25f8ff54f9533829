"""The pulse of the news at one instant: one number for all of it, one for each asset, and what is spoken of."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from service.forecasting.news.headline import ScoredHeadline
from service.forecasting.news.stories import stories
from service.forecasting.news.topics import Topic, topics
from service.forecasting.votes import Direction
from service.market.assets import ASSETS
from service.market.instants import DAY, HOUR

HALF_LIFE_H = 6
DOUBT = 5.0  # stories without a tone that every score begins with
NEUTRAL_WITHIN = 0.10
MOST_LATEST = 30


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

    `latest` are the newest of all stories known, newest first.
    """

    at: int
    direction: Direction
    score: float
    n: int
    by_asset: tuple[AssetPulse, ...]
    topics: tuple[Topic, ...]
    latest: tuple[ScoredHeadline, ...]


def pulse(headlines: Iterable[ScoredHeadline], now: int) -> Pulse:
    """The pulse at the unix second `now`, of headlines of any order; what is published later is not looked at.

    The week before the last day tells what is new, so nine days of headlines are enough for the whole of it.
    """
    known = stories(each for each in headlines if each.headline.published_at <= now)
    score, n = score_at(known, now)
    return Pulse(
        at=now,
        direction=direction_of(score),
        score=score,
        n=n,
        by_asset=tuple(_of(asset, known, now) for asset in ASSETS),
        topics=topics(known, now),
        latest=known[: -MOST_LATEST - 1 : -1],
    )


def score_at(told: Sequence[ScoredHeadline], now: int) -> tuple[float, int]:
    """The score in -1..1 of the stories of the 24 hours up to the unix second `now`, and how many they are.

    `told` is what `stories` gave, oldest first. A story of age a hours weighs w = 2^(-a / 6), and the score is
    sum(w tone) / (sum(w) + 5): shrunken towards 0 as by five fresh stories without a tone, and 0 where there is none
    (design page `oracle`, section 7).
    """
    start = bisect_right(told, now - DAY, key=_published)
    end = bisect_right(told, now, lo=start, key=_published)
    total = weights = 0.0
    for each in told[start:end]:
        weight = 0.5 ** ((now - _published(each)) / (HALF_LIFE_H * HOUR))
        total += weight * each.score
        weights += weight
    return total / (weights + DOUBT), end - start


def direction_of(score: float) -> Direction:
    """The side of a score; NEUTRAL within 0.10 of 0."""
    if abs(score) < NEUTRAL_WITHIN:
        return "NEUTRAL"
    return "BULLISH" if score > 0 else "BEARISH"


def _of(asset: str, told: Iterable[ScoredHeadline], now: int) -> AssetPulse:
    score, n = score_at([each for each in told if asset in each.assets], now)
    return AssetPulse(asset, direction_of(score), score, n)


def _published(each: ScoredHeadline) -> int:
    return each.headline.published_at
