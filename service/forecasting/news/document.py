"""The document of the news pulse; every number is rounded here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from service.documents import Document, DocumentHeader, World
from service.forecasting.news.headline import ScoredHeadline
from service.forecasting.news.pulse import HALF_LIFE_H, AssetPulse, Pulse, direction_of
from service.forecasting.news.topics import Topic
from service.forecasting.voters.votes import Direction
from service.market.assets import ASSETS
from service.market.instants import iso


@dataclass(frozen=True)
class TopicRow:
    """A term, its stories of the last day and of the week before, and the factor by which its odds rose.

    `before` and `lift` are null for an asset that is listed because it is `frequent`.
    """

    term: str
    mentions: int
    before: int | None
    lift: float | None


@dataclass(frozen=True)
class HeadlineRow:
    """A headline, with its tone in -1..1 and the assets it names."""

    title: str
    url: str | None
    source: str
    published_at: str
    score: float
    assets: tuple[str, ...]
    simulated: bool


@dataclass(frozen=True)
class NewsDocument(Document):
    """The pulse of the last day's news, -1 bearish to 1 bullish; a story's weight halves every `half_life_h` hours.

    `topics` have become more frequent (`topics_basis` is `rising`), or, while no term has, they are the assets that the
    day's stories name most often (`frequent`). `headlines` are the first ones of the latest stories. `failed` holds the
    reason for each source that gave none.
    """

    direction: Direction
    score: float
    n: int
    half_life_h: int
    by_asset: tuple[AssetPulse, ...]
    topics_basis: Literal["rising", "frequent"]
    topics: tuple[TopicRow, ...]
    headlines: tuple[HeadlineRow, ...]
    failed: dict[str, str]


@dataclass(frozen=True)
class HeadlinesDocument:
    """A page of headlines, newest first; `next` is the cursor of the next page, null on the last."""

    schema: str
    world: World
    count: int
    next: str | None
    headlines: tuple[HeadlineRow, ...]


def headlines_document(headlines: Sequence[ScoredHeadline], *, world: World, next: str | None) -> HeadlinesDocument:
    """The page of these headlines."""
    return HeadlinesDocument("headlines/1", world, len(headlines), next, tuple(map(_headline, headlines)))


def news_document(pulse: Pulse, header: DocumentHeader, failed: Mapping[str, str]) -> NewsDocument:
    """The published pulse; `failed` maps a source to the reason why it gave no headlines."""
    score = round(pulse.score, 4)
    return NewsDocument(
        schema="news-pulse/1",
        **vars(header),
        direction=direction_of(score),
        score=score,
        n=pulse.n,
        half_life_h=HALF_LIFE_H,
        by_asset=tuple(_asset(each) for each in pulse.by_asset),
        topics_basis="rising" if pulse.topics else "frequent",
        topics=_rising(pulse.topics) or _frequent(pulse.by_asset),
        headlines=tuple(_headline(each) for each in pulse.latest),
        failed=dict(failed),
    )


def _rising(topics: Sequence[Topic]) -> tuple[TopicRow, ...]:
    return tuple(TopicRow(each.term, each.mentions, each.before, round(each.lift, 2)) for each in topics)


def _frequent(by_asset: Sequence[AssetPulse]) -> tuple[TopicRow, ...]:
    """The assets of the last day's stories, the one with most stories first."""
    ranked = sorted((each for each in by_asset if each.n), key=lambda each: -each.n)
    return tuple(TopicRow(ASSETS[each.asset].name, each.n, before=None, lift=None) for each in ranked)


def _asset(each: AssetPulse) -> AssetPulse:
    score = round(each.score, 4)
    return AssetPulse(each.asset, direction_of(score), score, each.n)


def _headline(each: ScoredHeadline) -> HeadlineRow:
    headline = each.headline
    return HeadlineRow(
        title=headline.title,
        url=headline.url,
        source=headline.source,
        published_at=iso(headline.published_at),
        score=round(each.score, 4),
        assets=each.assets,
        simulated=headline.simulated,
    )
