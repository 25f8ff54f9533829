"""The document of the news pulse; every number is rounded here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from service.documents import Document, DocumentHeader
from service.forecasting.news.headline import ScoredHeadline
from service.forecasting.news.pulse import HALF_LIFE_H, AssetPulse, Pulse, direction_of
from service.forecasting.voters.votes import Direction
from service.market.instants import iso


@dataclass(frozen=True)
class TopicRow:
    """A term, its stories of the last day and of the week before, and the factor by which its odds rose."""

    term: str
    mentions: int
    before: int
    lift: float


@dataclass(frozen=True)
class HeadlineRow:
    """The first headline of a story, with its tone in -1..1 and the assets it names."""

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

    `failed` holds the reason for each source that gave no headlines.
    """

    direction: Direction
    score: float
    n: int
    half_life_h: int
    by_asset: tuple[AssetPulse, ...]
    topics: tuple[TopicRow, ...]
    headlines: tuple[HeadlineRow, ...]
    failed: dict[str, str]


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
        topics=tuple(TopicRow(each.term, each.mentions, each.before, round(each.lift, 2)) for each in pulse.topics),
        headlines=tuple(_headline(each) for each in pulse.latest),
        failed=dict(failed),
    )


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
