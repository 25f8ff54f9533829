"""The headlines that a language model is shown: those that concern an asset, or share words with a question."""

from __future__ import annotations

import re
from calendar import day_name, month_name
from collections.abc import Iterable, Sequence

from service.forecasting.news.headline import ScoredHeadline
from service.forecasting.news.lexicon import WORD, content
from service.forecasting.news.naming import NAMED
from service.forecasting.news.pulse import score_at
from service.forecasting.news.stories import stories
from service.forecasting.voters.evidence import MOST_STORIES, NEWS_S, TOPIC_NEWS_S, AssetNews, Story
from service.market.assets import calendar_of

# Words that say when, which every headline may hold.
_WHEN = {name.lower() for name in (*day_name, *month_name) if name} | {"today", "tomorrow", "week", "month", "year"}
_SHARED_WORDS = 2  # that make a headline match, where it shares no name


def matching(text: str, headlines: Iterable[ScoredHeadline], now: int) -> tuple[Story, ...]:
    """The newest headlines of 30 days until the unix second `now` that share words with a question.

    They share a name, or two other words. A name is a word with a capital letter behind the first word, but no asset:
    most headlines name one.
    """
    words, names = _words(text), _names(text)
    least = min(_SHARED_WORDS, len(words))
    ordered = stories(each for each in headlines if now - TOPIC_NEWS_S < each.headline.published_at <= now)
    shared = [(each, _words(each.headline.title) & words) for each in ordered] if words else []
    chosen = [each for each, common in shared if common & names or len(common) >= least]
    return tuple(_story(each) for each in chosen[: -MOST_STORIES - 1 : -1])


def _words(text: str) -> set[str]:
    """The words of a text that say what it is about."""
    words = (re.sub(r"'s$", "", word) for word in content(text))
    return {word for word in words if word not in _WHEN and len(word) > 1 and not word.isdigit()}


def _names(text: str) -> set[str]:
    capital = " ".join(word for word in WORD.findall(text)[1:] if any(map(str.isupper, word)))
    return _words(NAMED.sub(" ", capital))


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
