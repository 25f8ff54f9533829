"""The inputs of apex's layers, for the call every four hours and for a challenge."""

from __future__ import annotations

import json

from service.forecasting.apex.layers import LayerInputs, NetView, odds_of_up, poll_layers
from service.forecasting.news.headline import stories
from service.forecasting.news.pulse import LOOK_BACK_S, score_at
from service.forecasting.voters.context import Knowledge
from service.jobs.job import JobContext
from service.store import knowledge, predictions, snapshots


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
        snapshot = snapshots.latest_snapshot(db, "swarm")
    return {asset: NetView(**counts) for asset, counts in json.loads(snapshot.body).items()} if snapshot else {}
