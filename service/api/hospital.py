"""The hospital's snapshot of each month."""

from __future__ import annotations

import json

from flask import Blueprint, Response
from pydantic import Field

from service.api import examples
from service.api.encoding import document
from service.api.inputs import Query
from service.api.operations import operation
from service.api.snapshots import find, latest
from service.errors import NotFound
from service.store.snapshots import Snapshot
from service.trading.hospital import Hospital

hospital = Blueprint("hospital", __name__, url_prefix="/api/v1")

MAX_AGE_S = 60
NAME = "strategy-hospital"


class Round(Query):
    """Which month's snapshot is wanted."""

    month: str | None = Field(
        None,
        pattern="^[0-9]{4}-(0[1-9]|1[0-2])$",
        description="a month that has closed, `YYYY-MM`; without it the last one",
    )


@hospital.get("/strategy-hospital")
@operation(
    tag="Strategies",
    limit="telemetry",
    returns=Hospital,
    cached=True,
    raises=(NotFound,),
    example=examples.HOSPITAL,
)
def triage(query: Round) -> Response:
    """How healthy each strategy was when a month closed, and what should become of it.

    Made once, when the month closes, and kept for ever; `links.months` lists the months there are.

    `raw_score` is 100 times 0.30 `psr` (the probability that the Sharpe ratio is above 0) + 0.15 `deflated_sharpe`
    (that it is above the best that luck gives among so many strategies) + 0.25 `drawdown_room` (1 without a fall,
    0 from 25 % on) + 0.10 `wins` (that it wins more often than it must to break even) + 0.10 `profits` (from a profit
    factor of 0.7 to 1.6) + 0.10 `decay` (that the month was as good as the 90 days before it), all over the last 90
    days. `health_score` draws it towards 50 while there is little to go by: 50 + (`raw_score` - 50) `trust`, where
    `trust` grows to 1 with 60 days and 20 closed trades.

    From 60 a strategy is `healthy`, from 45 `watch`, from 30 `sick`, else `critical`; under 30 days or 5 trades it is
    under `observation`, and after a fall of more than 25 % at best `sick`. A healthy one is to `keep`, or to
    `promote` when its `deflated_sharpe` is above 0.95; one to watch is to `keep`, or to `reduce` when its `decay` is
    below 0.1; a sick or critical one is to `pause`, and to `retire` after three critical months running.

    A score describes what was: it is no promise of what comes.
    """
    return document(_of_month(query.month) if query.month else latest(NAME), max_age=MAX_AGE_S)


def _of_month(month: str) -> Snapshot:
    """The snapshot of that month; raises NotFound that names the months there are."""
    snapshot = find(f"{NAME}/{month}")
    if snapshot is None:
        months = json.loads(latest(NAME).body)["links"]["months"]
        raise NotFound(f"There is no snapshot of {month}; there are those of {', '.join(months)}.")
    return snapshot
