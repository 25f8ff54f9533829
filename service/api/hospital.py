"""The hospital's snapshot of each month."""

from __future__ import annotations

import json

from flask import Blueprint, Response
from pydantic import Field

from service.api.encoding import document
from service.api.inputs import Query
from service.api.operations import operation
from service.api.snapshots import find, latest
from service.errors import ResourceNotFound
from service.store.snapshots import Snapshot
from service.trading.hospital import HospitalDocument

hospital = Blueprint("hospital", __name__, url_prefix="/api/v1")

MAX_AGE_S = 60
NAME = "strategy-hospital"


class TriageQuery(Query):
    """The month of the snapshot."""

    month: str | None = Field(
        None,
        pattern="^[0-9]{4}-(0[1-9]|1[0-2])$",
        description="a month that has ended, `YYYY-MM`; without it the last one",
    )


@hospital.get("/strategy-hospital")
@operation(
    tag="Strategies",
    limit="telemetry",
    returns=HospitalDocument,
    cached=True,
    raises=(ResourceNotFound,),
)
def triage(query: TriageQuery) -> Response:
    """A health score, a status and a recommendation for each strategy at the end of a month.

    Computed once, when the month ends, and never changed; `links.months` lists the available months.

    `raw_score` is 100 times the weighted mean of five measures of the last 90 days, with these weights in parts of 18:
    6 `psr` (the probability that the Sharpe ratio is above 0), 3 `deflated_sharpe` (the probability that it is above
    that of the luckiest of as many strategies without skill), 5 `drawdown_room` (from 1 without a drawdown to 0 at
    25%), 2 `wins` (the probability that it wins often enough to break even) and 2 `profits` (from 0 at a profit factor
    of 0.7 to 1 at 1.6). With little data `health_score` is closer to 50: it is 50 + (`raw_score` - 50) x `trust`,
    where `trust` reaches 1 with 60 days and 20 closed trades. The plain annualised Sharpe ratio of the same days stands
    beside it as `sharpe`.

    The status is `healthy` from 60, `watch` from 45, `sick` from 30, else `critical`. With under 30 days or 5 trades
    it is `observation`; after a drawdown of more than 25% it is `sick` or `critical`. A healthy strategy is to `keep`,
    or to `promote` when its `deflated_sharpe` is above 0.95. A strategy to watch is to `keep`. A sick or critical one
    is to `pause`, and to `retire` after three critical months in a row.

    A score describes the past. On 20 months of real prices it ranked the next month's Sharpe ratio at +0.08 (±0.10), no
    better than the plain 90-day Sharpe ratio (+0.11 ±0.09). That scores persist from month to month (0.61) is the
    overlap of their 90-day windows: three months apart the correlation is 0.09. Only `retire` says something: such
    strategies went on losing (a Sharpe ratio 1.27 ±0.77 below the rest), mostly to costs. This was measured while a
    sixth measure, `decay`, had a tenth of the weight. It pointed the wrong way (-0.11 ±0.13) and was removed; the other
    weights were divided by 0.9, so that `raw_score` still spans 0 to 100.
    """
    return document(_of_month(query.month) if query.month else latest(NAME), max_age=MAX_AGE_S)


def _of_month(month: str) -> Snapshot:
    """The snapshot of that month. Raises ResourceNotFound, which names the available months."""
    snapshot = find(f"{NAME}/{month}")
    if snapshot is None:
        months = json.loads(latest(NAME).body)["links"]["months"]
        raise ResourceNotFound(f"There is no snapshot of {month}. Available months: {', '.join(months)}.")
    return snapshot
