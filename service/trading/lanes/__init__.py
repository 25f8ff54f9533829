"""The six lanes of the Bot Battle: four on an exchange, two that provide liquidity.

A lane is a row of the table below and a state. The state can be stored as JSON and belongs to the last bar the lane
processed; no bar is ever applied twice. `lane.step(state, moment) -> state` is the same in a backfill and live.
"""

from __future__ import annotations

from typing import Literal

from service.trading.lanes import logics
from service.trading.lanes.cex import CexLane, CexState
from service.trading.lanes.lp import LpLane
from service.trading.lanes.lp_state import LpState

State = CexState | LpState
LaneName = Literal["trend", "reversion", "breakout", "consensus", "lp_wide", "lp_chaser"]

# The trend follower trades several asset classes, the breakout lane volatile assets, the mean reverter calmer ones.
_METALS_TOO = ("btc", "eth", "gold", "silver")
_LIQUID = ("btc", "eth", "bnb", "gold")
_WILD = ("btc", "sol", "xrp")
VOTED = ("btc", "eth")

AnyLane = CexLane | LpLane

LANES: dict[str, AnyLane] = {
    lane.name: lane
    for lane in (
        CexLane("trend", "Trend follower", "trend_following", "cex", _METALS_TOO, logics.follow_trend, version=2),
        CexLane("reversion", "Mean reverter", "mean_reversion", "cex", _LIQUID, logics.fade_deviation, version=2),
        CexLane("breakout", "Breakout with ATR stop", "breakout_atr_stop", "cex", _WILD, logics.break_out, version=2),
        CexLane("consensus", "Oracle's consensus", "oracle_consensus", "cex", VOTED, logics.follow_forecast, version=2),
        LpLane("lp_wide", "Wide range", "wide_range_harvest", "dex", factor=2.0, chases=False),
        LpLane("lp_chaser", "Best pool", "best_pool_chase", "dex", factor=1.5, chases=True),
    )
}
