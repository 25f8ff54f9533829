"""What voters forecast from: contexts, fits and track record, the evidence for models, headlines, stored inputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from sqlalchemy import Connection, Select, delete, func, select, tuple_

from service import canonical
from service.forecasting.densities.density import VERSION, Fits
from service.forecasting.news.headline import ScoredHeadline
from service.forecasting.news.pulse import matching, news_of
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.commitments import VoteInputs
from service.forecasting.voters.context import (
    HISTORY_S,
    NEWS_S,
    TOPIC_NEWS_S,
    Context,
    Evidence,
    Knowledge,
    PastQuestion,
)
from service.forecasting.voters.panel import VOL, Panel
from service.forecasting.voters.track_record import TrackRecord
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from service.questions.question import Question
from service.store import bars
from service.store.database import Database, add_rows
from service.store.pages import PageKey, contexts, fits, records
from service.store.tables import headline, prediction, prediction_vote, vote_input


def latest_knowledge(database: Database, step: int) -> Knowledge:
    """The stored contexts with the prices of the last bars, `step` seconds long, and the newest fits and record."""
    with database.reading() as db:
        plain = contexts.every(db)
        lasts = bars.last_bars(db, plain, step)
        by_asset = {
            asset: Context.from_plain(plain[asset]).at_price(bar.close, bar.time + step) for asset, bar in lasts.items()
        }
    return knowledge_of(database, by_asset)


def knowledge_of(database: Database, by_asset: Mapping[str, Context]) -> Knowledge:
    """The given contexts with the newest fits and the newest track record."""
    with database.reading() as db:
        newest, record = newest_fits(database, db), records.latest(db)
    return Knowledge(by_asset, newest, TrackRecord.from_plain(record) if record else TrackRecord())


def newest_fits(database: Database, db: Connection) -> Fits | None:
    """The newest fits; None before the first refit of this version."""
    slot = fits.latest_key(db)
    return None if slot is None else _fits(database, slot)


@lru_cache(maxsize=4)
def _fits(database: Database, slot: int) -> Fits | None:
    """The fits of a slot, which take milliseconds to read; None where they are of another version."""
    with database.reading() as db:
        plain = fits.find(db, slot)
    return Fits.from_plain(plain) if plain and plain["version"] == VERSION else None


OTHERS_S = 32 * DAY  # of bars of the assets that the question does not name
REPEATED_S = 2 * DAY  # of earlier headlines, so that a story that goes on is seen as one
RESOLVED_LIMIT = 1000  # the newest, which are read in some 40 ms

_HAPPENED_OR_NOT = (prediction.c.outcome.in_(("yes", "no")), prediction.c.category != "answer")


def with_evidence(database: Database, panel: Panel, knowledge: Knowledge, question: Question, now: int) -> Knowledge:
    """The same knowledge with the evidence that language models need for a question asked at the world second `now`."""
    if not panel.has_models:
        return knowledge
    if question.comparator == "topic":
        return replace(knowledge, evidence=_on_topic(database, panel, question, now))
    hourly = {
        asset: _bars(database, asset, HISTORY_S if asset in question.assets else OTHERS_S, now // HOUR, context.as_of)
        for asset, context in knowledge.contexts.items()
    }
    with database.reading() as db:
        recent = headlines_since(db, now - NEWS_S - REPEATED_S)
        until, n = _last_settlement(db, now)
    evidence = Evidence(
        hourly={asset: series for asset, series in hourly.items() if len(series)},
        variance={asset: context.slow for asset, context in knowledge.contexts.items()},
        news=news_of(question.assets, recent, now),
        past_questions=_resolved(database, until, n),
    )
    return replace(knowledge, evidence=evidence)


def _on_topic(database: Database, panel: Panel, question: Question, now: int) -> Evidence:
    """Headlines that match the words of a question that no price decides, and the events until its deadline."""
    with database.reading() as db:
        recent = headlines_since(db, now - TOPIC_NEWS_S)
    until = question.deadline.timestamp()
    return Evidence(
        topic_stories=matching(question.text, recent, now),
        events=tuple(event for event in panel.events if now <= event.at <= until),
    )


@lru_cache(maxsize=32)
def _bars(database: Database, asset: str, span_s: int, hour: int, _as_of: int) -> Bars:
    """The hourly bars of a span up to the beginning of an hour since 1970; with the next bar they are read again."""
    with database.reading() as db:
        return bars.load_bars(db, asset, hour * HOUR - span_s, hour * HOUR, HOUR)


def _last_settlement(db: Connection, now: int) -> tuple[int, int]:
    """When the last market or challenge resolved yes or no by the world second `now`, and how many did then.

    Both stay the same until the next one does; counting all of them would take longer every year.
    """
    ends = select(prediction.c.resolved_at).where(*_HAPPENED_OR_NOT)
    newest = ends.where(prediction.c.resolved_at <= now).order_by(prediction.c.resolved_at.desc()).limit(1)
    until = db.scalar(newest) or 0
    n = db.scalar(select(func.count()).select_from(ends.where(prediction.c.resolved_at == until).subquery()))
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
        .limit(RESOLVED_LIMIT)
    )
    with database.reading() as db:
        rows = [(canonical.read(question), outcome, base) for question, outcome, base in db.execute(query)]
    return tuple(
        PastQuestion(plain["comparator"], plain["negated"], plain["horizon_hours"], base, outcome == "yes")
        for plain, outcome, base in rows
        if plain["comparator"] != "open"
    )


_INPUT_COLUMNS = (vote_input.c.hash, vote_input.c.voted_at, vote_input.c.asset, vote_input.c.body)
_INPUT_KEY = (vote_input.c.voted_at, vote_input.c.hash)


def add_vote_inputs(db: Connection, markets: Iterable[Prediction]) -> None:
    """Store the inputs of new commitments; those of an earlier vote stay as they are."""
    rows = {
        commitment.features: {
            "hash": commitment.features,
            "voted_at": commitment.voted_at,
            "asset": prediction.question.asset,
            "body": commitment.inputs,
        }
        for prediction in sorted(markets, key=lambda prediction: prediction.voted_at, reverse=True)
        if (commitment := prediction.commitment) and commitment.inputs
    }
    add_rows(db, vote_input, list(rows.values()))


def find_vote_inputs(db: Connection, hash: str) -> VoteInputs | None:
    row = db.execute(select(*_INPUT_COLUMNS).where(vote_input.c.hash == hash)).first()
    return VoteInputs(*row) if row else None


def vote_inputs_page(
    db: Connection, asset: str | None, since: int, until: int, limit: int, after: PageKey | None = None
) -> list[VoteInputs]:
    """The inputs of votes between two world seconds, both included, the oldest first; None is every asset.

    `after` is the key of the last one of the page before: the instant of the votes, and the hash.
    """
    return [VoteInputs(*row) for row in db.execute(vote_inputs_query(asset, since, until, after).limit(limit))]


def vote_inputs_query(asset: str | None, since: int, until: int, after: PageKey | None) -> Select:
    """What `page` reads, without its limit, in the order of an index."""
    if after is not None:
        since = max(since, int(after.value))
    query = select(*_INPUT_COLUMNS).where(vote_input.c.voted_at.between(since, until))
    if asset is not None:
        query = query.where(vote_input.c.asset == asset)
    if after is not None:
        query = query.where(tuple_(*_INPUT_KEY) > (int(after.value), after.id))
    return query.order_by(*_INPUT_KEY)


def add_headlines(db: Connection, headlines: Iterable[ScoredHeadline]) -> None:
    """Store headlines, unless they are stored already."""
    rows = [
        {"id": item.headline.id, "published_at": item.headline.published_at, "body": canonical.write(item.to_plain())}
        for item in headlines
    ]
    add_rows(db, headline, rows)


def headlines_since(db: Connection, instant: int) -> list[ScoredHeadline]:
    """The headlines published at the world second `instant` or later, the oldest first."""
    order = (headline.c.published_at, headline.c.id)
    rows = db.scalars(select(headline.c.body).where(headline.c.published_at >= instant).order_by(*order))
    return [ScoredHeadline.from_plain(canonical.read(body)) for body in rows]


def newest_headlines(
    db: Connection, since: int, until: int, limit: int, after: PageKey | None = None
) -> list[ScoredHeadline]:
    """The headlines published between two world seconds, both included, newest first.

    `after` is the key of the last one of the page before: when it was published, and its id.
    """
    keys = (headline.c.published_at, headline.c.id)
    query = select(headline.c.body).where(headline.c.published_at.between(since, until))
    if after is not None:
        query = query.where(tuple_(*keys) < (int(after.value), after.id))
    rows = db.scalars(query.order_by(*(key.desc() for key in keys)).limit(limit))
    return [ScoredHeadline.from_plain(canonical.read(body)) for body in rows]


def last_headline_at(db: Connection) -> int | None:
    return db.scalar(select(func.max(headline.c.published_at)))


def prune_headlines(db: Connection, before: int) -> None:
    """Delete the headlines published before the world second `before`."""
    db.execute(delete(headline).where(headline.c.published_at < before))
