"""A lane as the Bot Battle shows it: the 21 fields of the specification, in its order."""

from __future__ import annotations

from dataclasses import dataclass

from service.market.instants import DAY, iso
from service.trading.accounts import TERMS
from service.trading.lanes import CexState, LpState, State
from service.trading.lanes.lane import Lane, Status, Venue
from service.trading.lanes.lp_state import truth
from service.trading.statements import percent, usd

HISTORY = "/api/v1/bot-battle/history"


@dataclass(frozen=True)
class BattleLane:
    """One lane: USD, percent, closed positions. What only liquidity has is None on an exchange.

    `apr_avg_pct` is what fees earned, in percent a year of the equity while it was in a pool. `mode` is paper, and
    on a pool says who describes it. `last_tick` is the end of the last bar it saw.
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


def lane_row(lane: Lane, state: State) -> BattleLane:
    """The row of a lane as its last bar left it."""
    ticked = state.as_of > state.started_at
    provides = isinstance(state, LpState)
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
        apr_avg_pct=_average_apr_pct(state) if provides else None,
        harvest_count=state.harvests if provides else None,
        switch_count=state.switches if provides else None,
        current_pool=state.position.pool.label if provides and state.position else None,
        positions_count=int(state.position is not None) if provides else None,
        last_tick=iso(state.as_of) if ticked else None,
        api_path=f"{HISTORY}?lane={lane.name}",
        bot_id=lane.bot_id,
    )


def _mode(state: State) -> str:
    """Paper; in a pool with the word for who describes it: paper-assumed, paper-defillama."""
    if isinstance(state, LpState) and state.position:
        return f"paper-{state.position.pool.source}"
    return "paper"


def _halted(state: State) -> bool:
    return isinstance(state, CexState) and state.halted


def _average_apr_pct(state: LpState) -> float | None:
    """None before a whole day in a pool: a year of one bar says nothing."""
    return round(truth(state).fee_apr_pct, 4) if state.seconds >= DAY else None
