"""Apex, the fusion of eight layers, and the fund that it steers."""

from __future__ import annotations

from flask import Blueprint, Response

from service.api import examples
from service.api.encoding import document
from service.api.operations import operation
from service.api.snapshots import latest
from service.forecasting.apex.document import ApexDocument
from service.trading.fund import FundDocument

apex = Blueprint("apex", __name__, url_prefix="/api/apex")

MAX_AGE_S = 30


@apex.get("/status")
@operation(tag="Intelligence", limit="telemetry", returns=ApexDocument, cached=True, example=examples.APEX)
def status() -> Response:
    """What eight layers, fused into one, say of bitcoin's price a day later, and how good each of them was.

    `p_up` is the probability that it will be higher, in 0-1; a layer that has nothing to go by is `silent` and says
    why. `agreement` is the weight of the layers on the side of the vote, `confidence` that times twice the distance of
    `p_up` from even. The special mode is on only when all of its `conditions` hold. A layer's `accuracy` is 1 less its
    Brier score over 0.25: 0 is the toss of a coin, 1 is certainty that came true; `hit_rate_pct` has a 95 % interval.
    Both are given twice, for the calls made live and for those `backfilled` on past instants, and never pooled. A new
    call comes every four hours; direction over a day is close to a coin flip.
    """
    return document(latest("apex"), max_age=MAX_AGE_S)


@apex.get("/fund")
@operation(tag="Intelligence", limit="telemetry", returns=FundDocument, cached=True, example=examples.APEX_FUND)
def fund() -> Response:
    """A virtual 1,000 USD in bitcoin that follows apex, with the fees of an exchange. No order was placed.

    It holds bitcoin or cash, half of it bitcoin at even odds, and trades when a call moves that share by more than a
    tenth. `benchmark` bought with all of the money at the start and held. Points and trades before `live_since` are
    `backfilled`: computed from calls on past instants; `books` tell the results of the two apart, each from what the
    fund had when it began. `sharpe` is of a year, with a 95 % interval from `sharpe_low` to `sharpe_high`: where 0
    lies between them the result may well be luck.
    """
    return document(latest("apex-fund"), max_age=MAX_AGE_S)
