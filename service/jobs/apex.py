"""Apex: a call on bitcoin every four hours, its accuracy and its fund; the votes on challenges; the widget."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import structlog
from sqlalchemy import Connection

from service.documents import adapter
from service.errors import NoVoters
from service.forecasting.apex.call import EVERY_S, Call, commit_challenge, fuse, thresholds_of
from service.forecasting.apex.document import ResolvedCall, apex_document, record_of
from service.forecasting.apex.layers import LayerInputs, NetView, odds_of_up, poll_layers
from service.forecasting.backfill import ASSET
from service.forecasting.news.headline import stories
from service.forecasting.news.pulse import LOOK_BACK_S, asset_pulse, score_at
from service.forecasting.predictions import Commitment, Prediction
from service.forecasting.predictions.scores.versus import VersusBook
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.track_record import BandRecord
from service.forecasting.widget import widget_document
from service.jobs.committing import keep_votes
from service.jobs.forecast import hours
from service.jobs.job import Effects, JobContext, header
from service.ledger.chain import LedgerRow
from service.market.instants import DAY, HOUR
from service.store import knowledge, ledger, predictions, snapshots
from service.store.pages import apex_calls
from service.trading.fund import fund_document, run

SHOWN_EVERY_S = HOUR


def apex(job_context: JobContext, slot: int) -> Effects:
    """Make a call where four hours have passed since the last one, and publish the calls' accuracy and the fund."""
    with job_context.database.reading() as db:
        calls, outcomes, bars = job_context.call_memory.read(db, job_context.hourly_bars, slot)
    new = _call(job_context, slot, calls, outcomes)
    calls = (*calls, *new)
    if not calls:
        return lambda _: None
    head = header(job_context, slot, SHOWN_EVERY_S, seen_at=bars.as_of if len(bars) else calls[-1].at)
    document = apex_document(calls[-1], thresholds_of(calls[:-1]), job_context.apex_scores.of(outcomes), head)
    live = [call.at for call in calls if not call.backfilled]
    fund = run([(call.at, call.p_up) for call in calls], bars, calls[0].at)
    portfolio = fund_document(fund, live[0] if live else None, head)

    def write(db: Connection) -> None:
        for call in new:
            apex_calls.add(db, call.at, call.to_plain(), p_up=call.p_up, backfilled=False)
        ledger.append(db, [LedgerRow("apex", call.asset, call.to_plain(), backfilled=False) for call in new], slot)
        snapshots.publish(db, slot, {"apex": document, "apex-fund": portfolio})

    return write


def _call(job_context: JobContext, slot: int, calls: Sequence[Call], outcomes: Sequence[ResolvedCall]) -> list[Call]:
    """The call of this slot, if one is due and bitcoin has a price."""
    if calls and slot // EVERY_S == calls[-1].at // EVERY_S:
        return []
    contexts = job_context.contexts.of(hours(job_context, slot))
    if ASSET not in contexts:
        return []
    latest = knowledge.knowledge_of(job_context.database, contexts)
    record = record_of(outcomes, slot).of_band("day")
    return [fuse(gather_inputs(job_context, slot, latest, ASSET), record, thresholds_of(calls))]


def gather_inputs(job_context: JobContext, at: int, basis: Knowledge, asset: str) -> LayerInputs:
    """The inputs of a call on `asset`, which has a context, at the world second `at`."""
    with job_context.database.reading() as db:
        recent = knowledge.headlines_since(db, at - LOOK_BACK_S)
        markets = predictions.active_markets(db, at)
    return poll_layers(
        asset,
        at,
        basis,
        job_context.embedded,
        news=score_at(stories(recent), at),
        odds_p=odds_of_up(asset, at, markets),
        swarm=swarm(job_context).get(asset),
    )


def swarm(job_context: JobContext) -> dict[str, NetView]:
    """The numbers of strategies long, short and flat in each asset, from the latest ranking; empty before the first."""
    with job_context.database.reading() as db:
        return snapshots.find_document(db, "swarm", dict[str, NetView]) or {}


ANSWER_EVERY_S = 2

log = structlog.stdlib.get_logger(__name__)


def awaits_answers(db: Connection, job_context: JobContext) -> bool:
    """Whether a challenge awaits votes; without language models, those that no price decides get none."""
    return predictions.has_unanswered(db, by_hand=job_context.panel.answers_topics)


def answer(job_context: JobContext, slot: int) -> Effects:
    """Collect the votes on every open challenge without votes, at the wall second `slot`."""
    now = job_context.clock.at(slot)
    by_hand = job_context.panel.answers_topics
    with job_context.database.reading() as db:
        challenges = [market for market in predictions.awaiting_votes(db, by_hand=by_hand) if now < market.closes_at]
        if not challenges:
            return lambda _: None
        history = job_context.call_memory.read(db, job_context.hourly_bars, now)
    latest = knowledge.latest_knowledge(job_context.database, job_context.feed.step)
    record = record_of(history.outcomes, now).of_band("day")
    with ThreadPoolExecutor(job_context.at_once) as executor:
        commitments = executor.map(lambda market: _commit(job_context, market, now, latest, record), challenges)
        pairs = list(zip(challenges, commitments, strict=True))

    def write(db: Connection) -> None:
        for market, commitment in pairs:
            if commitment:
                keep_votes(db, market, commitment, now)

    return write


def _commit(
    job_context: JobContext, market: Prediction, now: int, latest: Knowledge, record: BandRecord
) -> Commitment | None:
    asset, net = market.question.asset, swarm(job_context)
    at = max(now, market.created_at)
    if asset not in latest.contexts or asset not in net:
        log.info("no_votes", market=market.id, detail=f"no data on {asset} yet")
        return None
    inputs = knowledge.with_evidence(job_context.database, job_context.panel, latest, market.question, at)
    try:
        return commit_challenge(
            market,
            at,
            inputs,
            job_context.panel,
            net=net[asset],
            call=fuse(gather_inputs(job_context, at, latest, asset), record),
        )
    except NoVoters as error:
        log.warning("no_votes", market=market.id, detail=error.detail)
        return None


def has_widget_documents(db: Connection, _job_context: JobContext) -> bool:
    return all(snapshots.latest_snapshot(db, name) for name in ("prices", "apex", "ai-vs-market"))


def publish_widget(job_context: JobContext, slot: int) -> Effects:
    """Publish bitcoin's price with the latest call of apex, news pulse and scores."""
    with job_context.database.reading() as db:
        costs = snapshots.prices_by_asset(snapshots.latest_prices(db))
        call, versus = apex_calls.latest(db), snapshots.latest_snapshot(db, "ai-vs-market")
        mood = asset_pulse(ASSET, stories(knowledge.headlines_since(db, slot - 2 * DAY)), slot)
    if ASSET not in costs:
        return lambda _: None
    books = adapter(tuple[VersusBook, ...]).validate_python(json.loads(versus.body)["books"]) if versus else ()
    head = header(job_context, slot, job_context.feed.step)
    document = widget_document(costs[ASSET], call and Call.from_plain(call), mood, books, head)
    return lambda db: snapshots.publish(db, slot, {"widget": document})
