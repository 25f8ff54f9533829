"""The timetable: what the clock makes this service do, when, and after what."""

from __future__ import annotations

from service.jobs import battle, forecast, prune, rank, resolve, tick, triage
from service.jobs.job import Job, Workshop
from service.jobs.schedules import Daily, Every, Monthly
from service.market.clock import World
from service.market.instants import HOUR

__all__ = ["Daily", "Every", "Job", "Monthly", "Workshop", "timetable"]


def timetable(world: World, step: int) -> tuple[Job, ...]:
    """The jobs of a world whose bars are `step` seconds long."""
    live = world == "live"
    jobs = (
        Job("tick", Every(step, offset=tick.LIVE_SETTLES_S if live else 0), tick.tick),
        Job("observe", Every(step), forecast.observe, needs=("tick",)),
        Job("battle", Every(step), battle.battle, needs=("observe",)),
        Job("rank", Every(step), rank.rank, needs=("tick",)),
        Job("portray", Every(rank.PORTRAYED_EVERY_S), rank.portray, needs=("tick",)),
        Job("triage", Monthly(), triage.triage, needs=("tick",)),
        Job("refit", Every(HOUR), forecast.refit, needs=("tick",)),
        Job("resolve", Every(HOUR), resolve.resolve, needs=("tick",)),
        Job("prune", Daily(), prune.prune, clock="wall"),
    )
    if not live:
        return jobs
    # Only the live past has holes that asking again can mend, and only live pools can be listed.
    return (
        *jobs,
        Job("fill", Every(tick.FILL_EVERY_S), tick.fill, needs=("tick",)),
        Job("list_pools", Every(HOUR), battle.list_pools, needs=("observe",)),
    )
