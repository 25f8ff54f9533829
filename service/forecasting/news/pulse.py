"""The pulse of the news at one instant: scores and topics, and the headlines that a language model is shown."""

from __future__ import annotations

import re
from bisect import bisect_right
from calendar import day_name, month_name
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log, sqrt
from operator import attrgetter
from typing import Literal

from service.documents import Document, DocumentHeader, World
from service.forecasting.news.headline import ASSET_NAMES, STOP_WORDS, WORD, ScoredHeadline, content, stories
from service.forecasting.voters.context import MOST_STORIES, NEWS_S, TOPIC_NEWS_S, AssetNews, Story
from service.forecasting.voters.votes import Direction
from service.market.assets import ASSETS, calendar_of
from service.market.instants import DAY, HOUR, iso

LEAST_MENTIONS = 3
MOST_TOPICS = 10
PRIOR = 100.0  # terms that the prior is worth: those of about ten titles [assumed]
LEAST_CERTAINTY = 1.28  # standard errors: 90%, one-sided
BEFORE_DAYS = 7


def topics(stories: Sequence[ScoredHeadline], now: int) -> tuple[TopicRow, ...]:
    """At most ten terms that are more frequent in the last day than in the week before, the most certain first.

    Log-odds with an informative Dirichlet prior (Monroe, Colaresi and Quinn 2008, section 3.3): the prior is both
    periods together, worth PRIOR terms. A term needs three mentions, and a word that only occurs within a listed pair
    is left out. Empty where there are no stories in the week before.
    """
    mentions = _counted(stories, now - DAY, now)
    before = _counted(stories, now - (1 + BEFORE_DAYS) * DAY, now - DAY)
    if not before:
        return ()
    sizes = mentions.total(), before.total()
    candidates: list[tuple[float, str, TopicRow]] = []
    for term, count in mentions.items():
        # A term that is the only one in both periods has no odds.
        if count >= LEAST_MENTIONS and count + before[term] < sum(sizes):
            lift, certainty = rise(count, before[term], *sizes)
            if certainty >= LEAST_CERTAINTY:
                candidates.append((-certainty, term, TopicRow(term, count, before[term], round(lift, 2))))
    ranking = [row for *_, row in sorted(candidates)]
    pairs = [row for row in ranking if " " in row.term]
    parts = {(word, pair.mentions) for pair in pairs for word in pair.term.split()}
    return tuple(row for row in ranking if (row.term, row.mentions) not in parts)[:MOST_TOPICS]


def _counted(stories: Iterable[ScoredHeadline], since: int, until: int) -> Counter[str]:
    """The number of stories after `since` and up to `until` with each term."""
    titles = (story.headline.title for story in stories if since < story.headline.published_at <= until)
    return Counter(term for title in titles for term in set(_terms(title)))


def _terms(title: str) -> Iterator[str]:
    """The words of a title without numbers and stop words, and the pairs of adjacent ones."""
    words = [
        word if word not in STOP_WORDS and len(word) > 1 and any(map(str.isalpha, word)) else ""
        for word in WORD.findall(title.lower().replace("’", "'").replace("'s", ""))
    ]
    yield from filter(None, words)
    yield from (f"{word} {following}" for word, following in pairwise(words) if word and following)


def rise(mentions: int, before: int, all_mentions: int, all_before: int) -> tuple[float, float]:
    """The factor by which the odds of a term rose, shrunk, and its log in standard errors."""
    prior = PRIOR * (mentions + before) / (all_mentions + all_before)
    log_odds = log((mentions + prior) / (all_mentions + PRIOR - mentions - prior))
    past_log_odds = log((before + prior) / (all_before + PRIOR - before - prior))
    error = sqrt(1 / (mentions + prior) + 1 / (before + prior))
    return exp(log_odds - past_log_odds), (log_odds - past_log_odds) / error


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


def score_at(history: Sequence[ScoredHeadline], now: int) -> tuple[float, int]:
    """The score in [-1, 1] of the stories of the 24 hours up to the unix second `now`, and their number.

    A story of age a hours has weight w = 2^(-a / 6), and the score is sum(w tone) / (sum(w) + 5): a mean that is shrunk
    towards 0 as by five fresh stories without a tone [assumed]. `history` is a result of `stories`, oldest first.
    """
    start, end = (bisect_right(history, at, key=attrgetter("headline.published_at")) for at in (now - DAY, now))
    total = weights = 0.0
    for story in history[start:end]:
        weight = 0.5 ** ((now - story.headline.published_at) / (HALF_LIFE_H * HOUR))
        total += weight * story.score
        weights += weight
    return total / (weights + SHRINKAGE), end - start


def direction_of(score: float) -> Direction:
    """The side of a score; NEUTRAL less than 0.10 from 0."""
    if abs(score) < NEUTRAL_WITHIN:
        return "NEUTRAL"
    return "BULLISH" if score > 0 else "BEARISH"


def asset_pulse(asset: str, history: Iterable[ScoredHeadline], now: int) -> AssetPulse:
    """The pulse of one asset at the unix second `now`, from a result of `stories`; later ones are ignored."""
    return AssetPulse(asset, *_pulse([story for story in history if asset in story.assets], now))


def _pulse(history: Sequence[ScoredHeadline], now: int) -> tuple[Direction, float, int]:
    """The direction, the score and the number of stories, as they are published."""
    score, n = score_at(history, now)
    score = round(score, 4)
    return direction_of(score), score, n


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

    Every score is drawn to 0 as by five stories without a tone, the more the fewer stories it has. So the whole may be
    BULLISH while each asset, with a few of its stories, is NEUTRAL.

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
    return HeadlinesDocument("headlines/1", world, len(headlines), next, tuple(map(_headline, headlines)))


def news_document(
    headlines: Iterable[ScoredHeadline], now: int, header: DocumentHeader, failures: Mapping[str, str]
) -> NewsDocument:
    """The pulse at the unix second `now`, from headlines of nine days in any order; later ones are ignored.

    `failures` maps a source to the reason why it gave no headlines.
    """
    history = stories(row for row in headlines if row.headline.published_at <= now)
    direction, score, n = _pulse(history, now)
    by_asset, rising_topics = tuple(asset_pulse(asset, history, now) for asset in ASSETS), topics(history, now)
    ranking = sorted((row for row in by_asset if row.n), key=lambda row: -row.n)
    frequent = tuple(TopicRow(ASSETS[row.asset].name, row.n, before=None, lift=None) for row in ranking)
    return NewsDocument(
        schema="news-pulse/1",
        **vars(header),
        direction=direction,
        score=score,
        n=n,
        half_life_h=HALF_LIFE_H,
        by_asset=by_asset,
        topics_basis="rising" if rising_topics else "frequent",
        topics=rising_topics or frequent,
        headlines=tuple(map(_headline, history[: -MOST_LATEST - 1 : -1])),
        failed=dict(failures),
    )


def _headline(story: ScoredHeadline) -> HeadlineRow:
    headline = story.headline
    return HeadlineRow(
        title=headline.title,
        url=headline.url,
        source=headline.source,
        published_at=iso(headline.published_at),
        score=round(story.score, 4),
        assets=story.assets,
        simulated=headline.simulated,
    )


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
    history = stories(story for story in headlines if now - TOPIC_NEWS_S < story.headline.published_at <= now)
    overlaps = [(story, _words(story.headline.title) & words) for story in history] if words else []
    chosen = [story for story, common in overlaps if common & names or len(common) >= least]
    return _newest(chosen)


def _words(text: str) -> set[str]:
    words = (re.sub(r"'s$", "", word) for word in content(text))
    return {word for word in words if word not in _WHEN and len(word) > 1 and not word.isdigit()}


def _names(text: str) -> set[str]:
    capital = " ".join(word for word in WORD.findall(text)[1:] if any(map(str.isupper, word)))
    return _words(ASSET_NAMES.sub(" ", capital))


def news_of(assets: Iterable[str], headlines: Iterable[ScoredHeadline], now: int) -> dict[str, AssetNews]:
    """The news of each asset at the unix second `now`; later headlines are ignored."""
    history = stories(row for row in headlines if row.headline.published_at <= now)
    news: dict[str, AssetNews] = {}
    for asset in assets:
        is_coin = calendar_of(asset) == "always"  # the feeds write of coins, so a headline without an asset does too
        recent = [
            story
            for story in history
            if story.headline.published_at > now - NEWS_S and (asset in story.assets or (is_coin and not story.assets))
        ]
        news[asset] = AssetNews(_newest(recent), *score_at([row for row in history if asset in row.assets], now))
    return news


def _newest(history: Sequence[ScoredHeadline]) -> tuple[Story, ...]:
    headlines = (story.headline for story in history[: -MOST_STORIES - 1 : -1])
    return tuple(Story(headline.title, headline.source, headline.published_at) for headline in headlines)
