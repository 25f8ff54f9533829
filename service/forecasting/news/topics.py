"""What the news of the last day speaks of more than that of the week before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log, sqrt

from service.forecasting.news.headline import ScoredHeadline
from service.forecasting.news.words import STOP_WORDS, WORD
from service.market.instants import DAY

LEAST_MENTIONS = 3
MOST_TOPICS = 10
PRIOR = 100.0  # terms the prior is worth: those of some ten titles [assumed]
LEAST_CERTAINTY = 1.28  # standard errors: nine in ten, on one side
BEFORE_DAYS = 7


@dataclass(frozen=True)
class Topic:
    """A word or pair of words: the stories of the last day and of the week before that hold it.

    `lift` is how many times its odds rose, shrunken; `certainty` the same in logs, in standard errors.
    """

    term: str
    mentions: int
    before: int
    lift: float
    certainty: float


def topics(stories: Sequence[ScoredHeadline], now: int) -> tuple[Topic, ...]:
    """At most ten terms that the last day's stories hold more often than the week's before, the surest first.

    Log-odds with an informative Dirichlet prior (Monroe, Colaresi and Quinn 2008, section 3.3): the prior is both
    spans together, worth PRIOR terms. A term needs three mentions; one that only ever stands in a listed pair is left
    to it. Nothing where the week before is empty: there is nothing to compare with.
    """
    fresh = _counted(stories, now - DAY, now)
    before = _counted(stories, now - (1 + BEFORE_DAYS) * DAY, now - DAY)
    if not before:
        return ()
    sizes = fresh.total(), before.total()
    often = {term: count for term, count in fresh.items() if count >= LEAST_MENTIONS}
    # A term that is all that was ever said has no odds.
    risen = [
        _topic(term, count, before[term], *sizes) for term, count in often.items() if count + before[term] < sum(sizes)
    ]
    sure = (topic for topic in risen if topic.certainty >= LEAST_CERTAINTY)
    ranked = sorted(sure, key=lambda topic: (-topic.certainty, topic.term))
    return tuple(_without_parts(ranked))[:MOST_TOPICS]


def _counted(stories: Iterable[ScoredHeadline], since: int, until: int) -> Counter[str]:
    """How many of the stories after `since` and up to `until` hold each term."""
    return Counter(
        term
        for each in stories
        if since < each.headline.published_at <= until
        for term in set(_terms(each.headline.title))
    )


def _terms(title: str) -> Iterator[str]:
    """The words of a title without its numbers, and the pairs that stand side by side."""
    words = WORD.findall(title.lower().replace("’", "'").replace("'s", ""))
    telling = [word not in STOP_WORDS and len(word) > 1 and any(map(str.isalpha, word)) for word in words]
    yield from (word for word, tells in zip(words, telling, strict=True) if tells)
    for (one, tells), (other, tells_too) in pairwise(zip(words, telling, strict=True)):
        if tells and tells_too:
            yield f"{one} {other}"


def _topic(term: str, fresh: int, before: int, all_fresh: int, all_before: int) -> Topic:
    prior = PRIOR * (fresh + before) / (all_fresh + all_before)
    now = log((fresh + prior) / (all_fresh + PRIOR - fresh - prior))
    then = log((before + prior) / (all_before + PRIOR - before - prior))
    error = sqrt(1 / (fresh + prior) + 1 / (before + prior))
    return Topic(term, fresh, before, exp(now - then), (now - then) / error)


def _without_parts(ranked: Sequence[Topic]) -> Iterator[Topic]:
    """The topics but for single words that are mentioned only within a pair that is a topic too."""
    pairs = [topic for topic in ranked if " " in topic.term]
    for topic in ranked:
        if not any(topic.term in pair.term.split() and topic.mentions == pair.mentions for pair in pairs):
            yield topic
