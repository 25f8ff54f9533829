"""The timetable: all jobs, their schedules and what each one depends on."""

from __future__ import annotations

from service.jobs import (
    answer,
    apex,
    backfill,
    battle,
    coins,
    forecast,
    history,
    imported,
    listing,
    news,
    predict,
    price_record,
    prune,
    rank,
    rates,
    renew,
    score,
    settle,
    tick,
    triage,
    widget,
)
from service.jobs.job import Job, JobContext
from service.jobs.schedules import Daily, Every, Monthly
from service.market.instants import HOUR, World

__all__ = ["Daily", "Every", "Job", "JobContext", "Monthly", "timetable"]


def timetable(world: World, step: int) -> tuple[Job, ...]:
    """The jobs of a world whose bars are `step` seconds long."""
    live = world == "live"
    jobs = (
        Job("tick", Every(step, offset=tick.LIVE_DELAY_S if live else 0), tick.tick, needs_history=False),
        Job("observe", Every(step), forecast.observe, needs=("tick",)),
        Job("battle", Every(step), battle.battle, needs=("observe",)),
        Job("rank", Every(step), rank.rank, needs=("tick",)),
        # The pages do not depend on the battle; a first start is ready sooner when both do not run at once.
        Job("publish_strategy_pages", Every(rank.PAGES_EVERY_S), rank.publish_strategy_pages, needs=("battle",)),
        Job("triage", Monthly(), triage.triage, needs=("battle",)),
        Job("refit", Every(HOUR), forecast.refit, needs=("tick",)),
        Job("forecast_prices", Every(step), forecast.forecast_prices, needs=("observe", "refit")),
        Job("record_prices", Every(price_record.EVERY_S), price_record.record_prices, needs=("observe", "backfill")),
        Job("predict", Every(HOUR), predict.predict, needs=("observe", "backfill")),
        Job("settle", Every(HOUR), settle.settle, needs=("predict",)),
        Job("renew_opinions", Every(renew.EVERY_S), renew.renew_opinions, needs=("settle",)),
        Job("score", Every(score.EVERY_S), score.score, needs=("settle",)),
        Job("news", Every(news.EVERY_S), news.read_news, needs=("backfill",)),
        Job("apex", Every(apex.SHOWN_EVERY_S), apex.apex, needs=("predict", "news", "rank")),
        Job("widget", Every(step), widget.show, needs=("tick",), wanted=widget.is_wanted),
        Job("seal", Every(HOUR), settle.seal, needs=("settle", "battle")),
        Job("answer", Every(answer.EVERY_S), answer.answer, clock="wall", wanted=answer.is_wanted),
        Job("list_markets", Every(listing.EVERY_S), listing.list_markets, clock="wall", wanted=listing.is_wanted),
        Job("rates", Every(rates.EVERY_S), rates.read_rates, clock="wall"),
        Job(
            "refund_expired",
            Every(prune.REFUND_EVERY_S),
            prune.refund_expired,
            clock="wall",
            wanted=prune.has_reserved,
            needs_history=False,
        ),
        Job("prune", Daily(), prune.prune, clock="wall", needs_history=False),
        Job("backfill", Every(HOUR), backfill.backfill, needs=("refit",)),
    )
    if not live:
        return jobs
    # Only the live history arrives piece by piece, and only live pools, markets and coins can be listed.
    return (
        *jobs,
        Job(
            "history",
            Every(history.EVERY_S),
            history.history,
            needs=("tick",),
            wanted=history.is_wanted,
            needs_history=False,
        ),
        Job("import_markets", Every(HOUR), imported.import_markets, needs=("predict",)),
        Job("import_short", Every(step), imported.import_short, needs=("observe",), wanted=imported.imports_short),
        Job("settle_imported", Every(HOUR), imported.settle_imported, needs=("predict",)),
        Job("list_pools", Every(HOUR), battle.list_pools, needs=("observe",)),
        Job("list_coins", Daily(), coins.list_coins),
        # A few seconds after the hour, as the tick, so that the last bar has all of its trades.
        Job("follow_coins", Every(coins.EVERY_S, offset=tick.LIVE_DELAY_S), coins.follow_coins, needs=("tick",)),
    )
