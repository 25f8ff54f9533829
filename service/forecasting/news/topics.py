"""Topics: terms that are more frequent in the last day's news than in that of the week before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log, sqrt

from service.forecasting.news.headline import ScoredHeadline
from service.forecasting.news.lexicon import STOP_WORDS, WORD
from service.market.instants import DAY

LEAST_MENTIONS = 3
MOST_TOPICS = 10
PRIOR = 100.0  # terms that the prior is worth: those of about ten titles [assumed]
LEAST_CERTAINTY = 1.28  # standard errors: 90%, one-sided
BEFORE_DAYS = 7


@dataclass(frozen=True)
class Topic:
    """A word or pair of words with the number of its stories in the last day and in the week before.

    `lift` is the factor by which its odds rose, shrunk; `certainty` its log in standard errors.
    """

    term: str
    mentions: int
    before: int
    lift: float
    certainty: float


def topics(stories: Sequence[ScoredHeadline], now: int) -> tuple[Topic, ...]:
    """At most ten terms that are more frequent in the last day than in the week before, the most certain first.

    Log-odds with an informative Dirichlet prior (Monroe, Colaresi and Quinn 2008, section 3.3): the prior is both
    periods together, worth PRIOR terms. A term needs three mentions, and a word that only occurs within a listed pair
    is left out. Empty where there are no stories in the week before.
    """
    fresh = _counted(stories, now - DAY, now)
    before = _counted(stories, now - (1 + BEFORE_DAYS) * DAY, now - DAY)
    if not before:
        return ()
    sizes = fresh.total(), before.total()
    # A term that is the only one in both periods has no odds.
    rising = [
        _topic(term, count, before[term], *sizes)
        for term, count in fresh.items()
        if count >= LEAST_MENTIONS and count + before[term] < sum(sizes)
    ]
    certain = (topic for topic in rising if topic.certainty >= LEAST_CERTAINTY)
    ranked = sorted(certain, key=lambda topic: (-topic.certainty, topic.term))
    return tuple(_without_parts(ranked))[:MOST_TOPICS]


def _counted(stories: Iterable[ScoredHeadline], since: int, until: int) -> Counter[str]:
    """The number of stories after `since` and up to `until` with each term."""
    titles = (each.headline.title for each in stories if since < each.headline.published_at <= until)
    return Counter(term for title in titles for term in set(_terms(title)))


def _terms(title: str) -> Iterator[str]:
    """The words of a title without numbers and stop words, and the pairs of adjacent ones."""
    words = [
        word if word not in STOP_WORDS and len(word) > 1 and any(map(str.isalpha, word)) else ""
        for word in WORD.findall(title.lower().replace("’", "'").replace("'s", ""))
    ]
    yield from filter(None, words)
    yield from (f"{word} {following}" for word, following in pairwise(words) if word and following)


def _topic(term: str, fresh: int, before: int, all_fresh: int, all_before: int) -> Topic:
    prior = PRIOR * (fresh + before) / (all_fresh + all_before)
    now = log((fresh + prior) / (all_fresh + PRIOR - fresh - prior))
    then = log((before + prior) / (all_before + PRIOR - before - prior))
    error = sqrt(1 / (fresh + prior) + 1 / (before + prior))
    return Topic(term, fresh, before, exp(now - then), (now - then) / error)


def _without_parts(ranked: Sequence[Topic]) -> Iterator[Topic]:
    """The topics except words that are mentioned only within a pair that is a topic too."""
    pairs = [topic for topic in ranked if " " in topic.term]
    for topic in ranked:
        if not any(topic.term in pair.term.split() and topic.mentions == pair.mentions for pair in pairs):
            yield topic
