"""The timetable: what the clock makes this service do, when, and after what."""

from __future__ import annotations

from service.jobs import (
    answer,
    apex,
    battle,
    forecast,
    listing,
    news,
    outside,
    predict,
    prune,
    rank,
    relive,
    resolve,
    score,
    seal,
    settle,
    tick,
    triage,
    widget,
)
from service.jobs.job import Job, Workshop
from service.jobs.schedules import Daily, Every, Monthly
from service.market.clock import World
from service.market.instants import HOUR
from service.store import predictions

__all__ = ["Daily", "Every", "Job", "Monthly", "Workshop", "timetable"]


def timetable(world: World, step: int) -> tuple[Job, ...]:
    """The jobs of a world whose bars are `step` seconds long."""
    live = world == "live"
    jobs = (
        Job("tick", Every(step, offset=tick.LIVE_SETTLES_S if live else 0), tick.tick),
        Job("observe", Every(step), forecast.observe, needs=("tick",)),
        Job("battle", Every(step), battle.battle, needs=("observe",)),
        Job("rank", Every(step), rank.rank, needs=("tick",)),
        # They need no lane, but a first start is ready sooner when they do not compete with the battle.
        Job("portray", Every(rank.PORTRAYED_EVERY_S), rank.portray, needs=("battle",)),
        Job("triage", Monthly(), triage.triage, needs=("battle",)),
        Job("refit", Every(HOUR), forecast.refit, needs=("tick",)),
        Job("resolve", Every(HOUR), resolve.resolve, needs=("tick",)),
        Job("predict", Every(HOUR), predict.predict, needs=("observe", "refit") if live else ("observe", "relive")),
        Job("settle", Every(HOUR), settle.settle, needs=("predict",)),
        Job("score", Every(score.EVERY_S), score.score, needs=("settle",)),
        Job("news", Every(news.EVERY_S), news.read_news, needs=("tick",) if live else ("relive",)),
        Job("apex", Every(apex.SHOWN_EVERY_S), apex.apex, needs=("predict", "news", "rank")),
        Job("widget", Every(step), widget.show, needs=("tick",), wanted=widget.is_wanted),
        Job("seal", Every(HOUR), seal.seal, needs=("settle", "battle")),
        Job("answer", Every(answer.EVERY_S), answer.answer, clock="wall", wanted=answer.is_wanted),
        Job("list_markets", Every(listing.EVERY_S), listing.list_markets, clock="wall", wanted=predictions.has_any),
        Job("prune", Daily(), prune.prune, clock="wall"),
    )
    if not live:
        return *jobs, Job("relive", Every(HOUR), relive.relive, needs=("refit",))
    # Only the live past has holes that asking again can mend, and only live pools and markets can be listed.
    return (
        *jobs,
        Job("take_over", Every(HOUR), outside.take_over, needs=("predict",)),
        Job("settle_taken", Every(HOUR), outside.settle_taken, needs=("predict",)),
        Job("fill", Every(tick.FILL_EVERY_S), tick.fill, needs=("tick",)),
        Job("list_pools", Every(HOUR), battle.list_pools, needs=("observe",)),
    )
