"""The evidence that language models are shown, read at the instant of a question."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Connection

from service.forecasting.news.evidence import news_of
from service.forecasting.voters.evidence import HISTORY_S, NEWS_S, Evidence
from service.forecasting.voters.knowledge import Knowledge
from service.forecasting.voters.panel import Panel
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from service.questions.question import Question
from service.store import bars, headlines, predictions
from service.store.database import Database

OTHERS_S = 32 * DAY  # of bars of the assets that the question does not name
REPEATED_S = 2 * DAY  # of earlier headlines, so that a story that goes on is seen as one
MOST_RESOLVED = 1000  # the newest, which are read in some 40 ms


def beside(database: Database, panel: Panel, knowledge: Knowledge, question: Question, now: int) -> Knowledge:
    """The same knowledge with the evidence for a question asked at the world second `now`.

    A panel without language models needs none, and nothing is read.
    """
    if not panel.has_models:
        return knowledge
    with database.reading() as db:
        hourly = {asset: _bars(db, question, asset, now) for asset in knowledge.contexts}
        recent = headlines.since(db, now - NEWS_S - REPEATED_S)
        resolved = predictions.resolved_questions(db, now, MOST_RESOLVED)
    evidence = Evidence(
        hourly={asset: series for asset, series in hourly.items() if len(series)},
        variance={asset: context.slow for asset, context in knowledge.contexts.items()},
        news=news_of(question.assets, recent, now),
        resolved=tuple(resolved),
    )
    return replace(knowledge, evidence=evidence)


def _bars(db: Connection, question: Question, asset: str, now: int) -> Bars:
    since = now - (HISTORY_S if asset in question.assets else OTHERS_S)
    return bars.load(db, asset, since, now, HOUR)
