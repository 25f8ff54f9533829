"""A lane in the Bot Battle: the 21 fields of the specification, in its order, and three that complete them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from service.market.instants import DAY, iso
from service.trading.accounts import TERMS
from service.trading.lanes import AnyLane, CexState, InPool, LpState, State
from service.trading.lanes.lane import Status, Venue
from service.trading.lanes.lp_state import attribution
from service.trading.statements import percent, usd

HISTORY = "/api/v1/bot-battle/history"


@dataclass(frozen=True)
class BattleLane:
    """One lane: USD, percent, closed positions. Fields of liquidity pools are null for a lane on an exchange.

    `apr_avg_pct` relates the fees earned to the equity while in a pool, in percent a year: it is gross. `net_apr_pct`
    is the same after divergence, gas and swaps, against holding the coins. `profit_factor` is the sum of the profits of
    the `trades` over that of their losses, null without a loss. `mode` is `paper`; in a pool it names the source of the
    pool's data. `last_tick` is the end of the last bar the lane processed. `benchmark_pnl_pct` is the result of buying
    and holding since the lane's start, in equal shares: the assets that a lane on an exchange trades, the coin of the
    pool a lane stays in, or the coins of all pools it chooses among.
    """

    venue: Venue
    name: str
    label: str
    logic: str
    mode: str
    active: bool
    status: Status
    initial_capital: float
    capital: float
    pnl_pct: float
    pnl_usd: float
    trades: int
    win_rate_pct: float | None
    apr_avg_pct: float | None
    harvest_count: int | None
    switch_count: int | None
    current_pool: str | None
    positions_count: int | None
    last_tick: str | None
    api_path: str | None
    bot_id: str | None
    net_apr_pct: float | None
    profit_factor: float | None
    benchmark_pnl_pct: float


def lane_row(lane: AnyLane, state: State, benchmark: float) -> BattleLane:
    """The row of a lane after its last bar; `benchmark` is USD now, from the same capital."""
    ticked = state.as_of > state.started_at
    liquidity = state if isinstance(state, LpState) else None
    return BattleLane(
        venue=lane.venue,
        name=lane.name,
        label=lane.label,
        logic=lane.logic,
        mode=_mode(state),
        active=ticked and not _halted(state),
        status=state.status,
        initial_capital=usd(TERMS.capital),
        capital=usd(state.equity),
        pnl_pct=percent(state.equity / TERMS.capital - 1),
        pnl_usd=usd(state.equity - TERMS.capital),
        trades=state.trades,
        win_rate_pct=percent(state.wins / state.trades) if state.trades else None,
        apr_avg_pct=_apr_pct(liquidity, "fee_apr_pct") if liquidity else None,
        harvest_count=liquidity.harvests if liquidity else None,
        switch_count=liquidity.switches if liquidity else None,
        current_pool=state.position.pool.label if isinstance(state, InPool) else None,
        positions_count=int(isinstance(state, InPool)) if liquidity else None,
        last_tick=iso(state.as_of) if ticked else None,
        api_path=f"{HISTORY}?lane={lane.name}",
        bot_id=lane.bot_id,
        net_apr_pct=_apr_pct(liquidity, "net_apr_pct") if liquidity else None,
        profit_factor=round(state.won_usd / state.lost_usd, 4) if state.lost_usd else None,
        benchmark_pnl_pct=percent(benchmark / TERMS.capital - 1),
    )


def _mode(state: State) -> str:
    """`paper`; in a pool with the source of its data: `paper-assumed`, `paper-defillama`."""
    if isinstance(state, InPool):
        return f"paper-{state.position.pool.source}"
    return "paper"


def _halted(state: State) -> bool:
    return isinstance(state, CexState) and state.halted


def _apr_pct(state: LpState, name: Literal["fee_apr_pct", "net_apr_pct"]) -> float | None:
    """None before a whole day in a pool: annualising less is meaningless."""
    apr: float | None = getattr(attribution(state), name)
    return None if apr is None or state.seconds < DAY else round(apr, 4)
