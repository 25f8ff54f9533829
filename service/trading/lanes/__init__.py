"""The six lanes of the Bot Battle: four on an exchange, two that provide liquidity.

A lane is a row and a state. The state is JSON-able and belongs to the last bar it saw, which can never be applied
to it again; what a lane does is `step(lane, state, moment) -> state`, the same in a backfill and live.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from service.trading.lanes import cex, logics, lp
from service.trading.lanes.cex import CexLane, CexState
from service.trading.lanes.lane import AlreadySeen, Event, Lane, Moment
from service.trading.lanes.lp import LpLane, LpState
from service.trading.lanes.moments import moments

__all__ = [
    "CONSENSUS_ASSETS",
    "LANES",
    "AlreadySeen",
    "CexState",
    "Event",
    "Lane",
    "LpState",
    "Moment",
    "State",
    "begin",
    "dump",
    "load",
    "moments",
    "step",
]

State = CexState | LpState

# Trends are followed across asset classes, breakouts where prices run; the mean reverter keeps to calmer ones.
_METALS_TOO = ("btc", "eth", "gold", "silver")
_LIQUID = ("btc", "eth", "bnb", "gold")
_WILD = ("btc", "sol", "xrp")
CONSENSUS_ASSETS = ("btc", "eth")

LANES: dict[str, Lane] = {
    lane.name: lane
    for lane in (
        CexLane("trend", "Trend follower", "trend_following", "cex", _METALS_TOO, logics.follow_trend),
        CexLane("reversion", "Mean reverter", "mean_reversion", "cex", _LIQUID, logics.fade_stretch),
        CexLane("breakout", "Breakout with ATR stop", "breakout_atr_stop", "cex", _WILD, logics.break_out),
        CexLane("consensus", "Oracle's consensus", "oracle_consensus", "cex", CONSENSUS_ASSETS, logics.follow_votes),
        LpLane("lp_wide", "Wide range", "wide_range_harvest", "dex", factor=2.0, chases=False),
        LpLane("lp_chaser", "Best pool", "best_pool_chase", "dex", factor=1.5, chases=True),
    )
}

_VENUES = {"cex": cex, "dex": lp}


def begin(lane: Lane, at: int) -> State:
    """The state of a lane that starts at the unix second `at` and may see bars that end after it."""
    return _VENUES[lane.venue].begin(lane, at)


def step(lane: Lane, state: State, moment: Moment) -> State:
    """The lane after one more bar; AlreadySeen if it has seen it."""
    return _VENUES[lane.venue].step(lane, state, moment)


def dump(state: State) -> dict[str, Any]:
    """The state as JSON can hold it."""
    return dataclasses.asdict(state)


def load(lane: Lane, body: Mapping[str, Any]) -> State:
    """The state of `lane` that `dump` gave, after JSON."""
    return _VENUES[lane.venue].load(body)
