"""The headlines that a language model is shown: those that concern an asset, and their pulse."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from service.forecasting.news.headline import ScoredHeadline
from service.forecasting.news.pulse import score_at
from service.forecasting.news.stories import stories
from service.forecasting.voters.evidence import MOST_STORIES, NEWS_S, AssetNews, Story
from service.market.assets import calendar_of


def news_of(assets: Iterable[str], headlines: Iterable[ScoredHeadline], now: int) -> dict[str, AssetNews]:
    """The news of each asset at the unix second `now`; later headlines are ignored."""
    ordered = stories(each for each in headlines if each.headline.published_at <= now)
    return {asset: _news(asset, ordered, now) for asset in assets}


def _news(asset: str, ordered: Sequence[ScoredHeadline], now: int) -> AssetNews:
    recent = [each for each in ordered if each.headline.published_at > now - NEWS_S and _concerns(each, asset)]
    score, n = score_at([each for each in ordered if asset in each.assets], now)
    return AssetNews(tuple(_story(each) for each in recent[: -MOST_STORIES - 1 : -1]), score, n)


def _concerns(each: ScoredHeadline, asset: str) -> bool:
    """Whether it names the asset, or no asset at all: the feeds write of coins, so such a headline concerns coins."""
    return asset in each.assets if each.assets or calendar_of(asset) != "always" else True


def _story(each: ScoredHeadline) -> Story:
    headline = each.headline
    return Story(headline.title, headline.source, headline.published_at)
