"""What language models are shown beside the inputs of the embedded engines: past prices, headlines, resolved questions.

It is gathered only where a language model votes; by default there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from service.market.bars import Bars
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
class YesCount:
    """How many of `n` resolved questions came true."""

    yes: int
    n: int


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


def similar(question: Question, base: float, past_questions: Iterable[PastQuestion]) -> YesCount | None:
    """How often such a YES came true; None with fewer than 10 resolved questions.

    They have the same comparator and negation, a base rate within 10 percentage points of `base`, and a horizon from a
    third to three times as long.
    """
    outcomes = [past.is_yes for past in past_questions if _is_similar(question, base, past)]
    return YesCount(sum(outcomes), len(outcomes)) if len(outcomes) >= LEAST_SIMILAR else None


def _is_similar(question: Question, base: float, past: PastQuestion) -> bool:
    return (
        (past.comparator, past.negated) == (question.comparator, question.negated)
        and abs(past.base - base) <= SIMILAR_BASE
        and past.horizon_hours <= SIMILAR_HORIZON * question.horizon_hours
        and question.horizon_hours <= SIMILAR_HORIZON * past.horizon_hours
    )
