"""The timetable: all jobs, their schedules and what each one depends on."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection

from service.jobs import (
    apex,
    audit,
    backfill,
    battle,
    committing,
    forecast,
    imported,
    news,
    predict,
    prices,
    prune,
    rank,
    score,
    witness,
)
from service.jobs.job import Every, Job
from service.market.instants import DAY, HOUR, MINUTE, World, WorldClock
from service.store import ledger, quotas, runs
from service.store import world as heartbeats
from service.store.runs import JobState


def job_states(jobs: Iterable[Job], clock: WorldClock, db: Connection, now: float) -> dict[str, JobState]:
    """The states at the wall second `now` of these jobs, as far as they have a slot; earlier versions had others.

    Without a job process nothing adds the slots that begin: their lag is read from the timetable.
    """
    stored, silence = runs.job_states(db, now), heartbeats.silence_s(db, now)
    states = {job.name: stored[job.name] for job in jobs if job.name in stored}
    if silence is None or silence <= heartbeats.SILENT_S:
        return states
    for job in jobs:
        if state := states.get(job.name):
            lag_s = job.unseen_s(clock, state.newest.slot, now - silence, now)
            states[job.name] = state._replace(lag_s=max(state.lag_s, lag_s))
    return states


def timetable(world: World, step: int) -> tuple[Job, ...]:
    """The jobs of a world whose bars are `step` seconds long."""
    live = world == "live"
    jobs = (
        Job("tick", Every(step, offset=prices.LIVE_DELAY_S if live else 0), prices.tick, needs_history=False),
        Job("observe", Every(step), forecast.observe, needs=("tick",)),
        Job("battle", Every(step), battle.battle, needs=("observe",)),
        Job("rank", Every(step), rank.rank, needs=("tick",)),
        # The pages do not depend on the battle; a first start is ready sooner when both do not run at once.
        Job("publish_strategy_pages", Every(rank.PAGES_EVERY_S), rank.publish_strategy_pages, needs=("battle",)),
        Job("triage", Every(DAY), rank.triage, needs=("battle",)),
        Job("refit", Every(HOUR), forecast.refit, needs=("tick",)),
        Job("forecast_prices", Every(step), forecast.forecast_prices, needs=("observe", "refit")),
        Job("record_prices", Every(forecast.EVERY_S), forecast.record_prices, needs=("observe", "backfill")),
        Job("predict", Every(HOUR), predict.predict, needs=("observe", "backfill")),
        Job("settle", Every(HOUR), committing.settle, needs=("predict",)),
        Job("renew_opinions", Every(HOUR), predict.renew_opinions, needs=("settle",)),
        Job("score", Every(score.EVERY_S), score.score, needs=("settle",)),
        Job("news", Every(news.EVERY_S), news.read_news, needs=("backfill",)),
        Job("apex", Every(apex.SHOWN_EVERY_S), apex.apex, needs=("predict", "news", "rank")),
        Job("widget", Every(step), apex.publish_widget, needs=("tick",), is_wanted=apex.has_widget_documents),
        Job("seal", Every(HOUR), committing.seal, needs=("settle", "battle")),
        Job("stamp", Every(600), committing.stamp, clock="wall", is_wanted=committing.names_authorities),
        Job("witness", Every(witness.EVERY_S), witness.witness, clock="wall", is_wanted=witness.is_witness),
        Job("answer", Every(apex.ANSWER_EVERY_S), apex.answer, clock="wall", is_wanted=apex.awaits_answers),
        Job("list_markets", Every(score.LISTED_EVERY_S), score.list_markets, clock="wall", is_wanted=score.has_markets),
        Job("rates", Every(10 * MINUTE), prices.read_rates, clock="wall"),
        Job(
            "refund_expired",
            Every(prune.REFUND_EVERY_S),
            prune.refund_expired,
            clock="wall",
            is_wanted=lambda db, _: quotas.count_reservations(db) > 0,
            needs_history=False,
        ),
        Job(
            "audit",
            Every(DAY),
            audit.audit,
            clock="wall",
            # A day was sealed after the first one: a first start has other things to do.
            is_wanted=lambda db, _: ledger.count_roots(db) > 1,
            time_limit_s=audit.TIME_LIMIT_S,
        ),
        Job("prune", Every(DAY), prune.prune, clock="wall", needs_history=False),
        Job("backfill", Every(HOUR), backfill.backfill, needs=("refit",)),
    )
    if not live:
        return jobs
    # Only the live history arrives piece by piece, and only live pools, markets and coins can be listed.
    return (
        *jobs,
        Job(
            "history", Every(10), prices.history, needs=("tick",), is_wanted=prices.misses_history, needs_history=False
        ),
        Job("import_markets", Every(HOUR), imported.import_markets, needs=("predict",)),
        Job("import_short", Every(step), imported.import_short, needs=("observe",), is_wanted=imported.imports_short),
        Job("settle_imported", Every(HOUR), imported.settle_imported, needs=("predict",)),
        Job("list_pools", Every(HOUR), battle.list_pools, needs=("observe",)),
        Job("list_coins", Every(DAY), prices.list_coins),
        # A few seconds after the hour, as the tick, so that the last bar has all of its trades.
        Job("follow_coins", Every(HOUR, offset=prices.LIVE_DELAY_S), prices.follow_coins, needs=("tick",)),
    )
