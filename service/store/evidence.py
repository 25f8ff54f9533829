"""The evidence that language models are shown, read at the instant of a question.

Bars and resolved questions are read once for all questions between two bars or settlements.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from sqlalchemy import Connection, func, select

from service import canonical
from service.forecasting.news.pulse import matching, news_of
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.embedded import VOL
from service.forecasting.voters.evidence import HISTORY_S, NEWS_S, TOPIC_NEWS_S, Evidence, PastQuestion
from service.forecasting.voters.panel import Panel
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from service.questions.question import Question
from service.store import bars, headlines
from service.store.database import Database
from service.store.tables import prediction, prediction_vote

OTHERS_S = 32 * DAY  # of bars of the assets that the question does not name
REPEATED_S = 2 * DAY  # of earlier headlines, so that a story that goes on is seen as one
MOST_RESOLVED = 1000  # the newest, which are read in some 40 ms

_HAPPENED_OR_NOT = (prediction.c.outcome.in_(("yes", "no")), prediction.c.category != "answer")


def beside(database: Database, panel: Panel, knowledge: Knowledge, question: Question, now: int) -> Knowledge:
    """The same knowledge with the evidence for a question asked at the world second `now`.

    A panel without language models needs none, and nothing is read.
    """
    if not panel.has_models:
        return knowledge
    if question.comparator == "topic":
        return replace(knowledge, evidence=_on_topic(database, panel, question, now))
    hourly = {
        asset: _bars(database, asset, HISTORY_S if asset in question.assets else OTHERS_S, now // HOUR, context.as_of)
        for asset, context in knowledge.contexts.items()
    }
    with database.reading() as db:
        recent = headlines.since(db, now - NEWS_S - REPEATED_S)
        until, n = _last_settlement(db, now)
    evidence = Evidence(
        hourly={asset: series for asset, series in hourly.items() if len(series)},
        variance={asset: context.slow for asset, context in knowledge.contexts.items()},
        news=news_of(question.assets, recent, now),
        resolved=_resolved(database, until, n),
    )
    return replace(knowledge, evidence=evidence)


def _on_topic(database: Database, panel: Panel, question: Question, now: int) -> Evidence:
    """Headlines that match the words of a question that no price decides, and the events until its deadline."""
    with database.reading() as db:
        recent = headlines.since(db, now - TOPIC_NEWS_S)
    until = question.deadline.timestamp()
    return Evidence(
        topic_stories=matching(question.text, recent, now),
        events=tuple(event for event in panel.events if now <= event.at <= until),
    )


@lru_cache(maxsize=32)
def _bars(database: Database, asset: str, span_s: int, hour: int, _as_of: int) -> Bars:
    """The hourly bars of a span up to the beginning of an hour since 1970; with the next bar they are read again."""
    with database.reading() as db:
        return bars.load(db, asset, hour * HOUR - span_s, hour * HOUR, HOUR)


def _last_settlement(db: Connection, now: int) -> tuple[int, int]:
    """When the last market or challenge resolved yes or no by the world second `now`, and how many did then.

    Both stay the same until the next one does; counting all of them would take longer every year.
    """
    ended = select(prediction.c.resolved_at).where(*_HAPPENED_OR_NOT)
    newest = ended.where(prediction.c.resolved_at <= now).order_by(prediction.c.resolved_at.desc()).limit(1)
    until = db.scalar(newest) or 0
    n = db.scalar(select(func.count()).select_from(ended.where(prediction.c.resolved_at == until).subquery()))
    return until, n or 0


@lru_cache(maxsize=2)
def _resolved(database: Database, until: int, _n: int) -> tuple[PastQuestion, ...]:
    """The newest markets and challenges that resolved yes or no by the world second `until`, when `_n` of them did.

    Without an event, or without a vote of plain volatility, a question is left out.
    """
    query = (
        select(prediction.c.question, prediction.c.outcome, prediction_vote.c.p)
        .join(prediction_vote, prediction_vote.c.prediction == prediction.c.id)
        .where(prediction_vote.c.voter == VOL.name, *_HAPPENED_OR_NOT, prediction.c.resolved_at <= until)
        .order_by(prediction.c.resolved_at.desc(), prediction.c.id)
        .limit(MOST_RESOLVED)
    )
    with database.reading() as db:
        rows = [(canonical.read(question), outcome, base) for question, outcome, base in db.execute(query)]
    return tuple(
        PastQuestion(plain["comparator"], plain["negated"], plain["horizon_hours"], base, outcome == "yes")
        for plain, outcome, base in rows
        if plain["comparator"] != "open"
    )
