"""What apex's layers are told of an asset: by the job that calls every four hours, and for a challenge."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

from service.forecasting.apex.hearing import hear, odds_of_up
from service.forecasting.apex.layers import Inputs
from service.forecasting.context import Context
from service.forecasting.news.pulse import score_at
from service.forecasting.news.stories import stories
from service.forecasting.oracle import voters
from service.forecasting.swarm import NetView
from service.jobs.job import Workshop
from service.jobs.news import REMEMBERED_S
from service.store import headlines, knowledge, predictions, snapshots


def listen(workshop: Workshop, at: int, known: Mapping[str, Context], asset: str) -> Inputs:
    """The inputs of a call on `asset`, which is in `known`, at the world second `at`."""
    with workshop.database.reading() as db:
        learnt, record = knowledge.newest_fits(workshop.database, db), knowledge.newest_record(db)
        printed = headlines.since(db, at - REMEMBERED_S)
        priced = [(one.market, one.odds) for one in predictions.active(db, at)]
    net = swarm(workshop).get(asset)
    return hear(
        asset,
        at,
        known,
        learnt,
        record,
        voters(),
        news=score_at(stories(printed), at),
        odds_p=odds_of_up(asset, at, priced),
        swarm=net and net.net,
        timer=time.perf_counter,
    )


def swarm(workshop: Workshop) -> dict[str, NetView]:
    """How many strategies are long, short and flat in each asset, as they were ranked last."""
    with workshop.database.reading() as db:
        stored = snapshots.latest(db, "swarm")
    return {asset: NetView(**told) for asset, told in json.loads(stored.body).items()} if stored else {}
