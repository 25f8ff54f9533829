"""When a liquidity lane harvests, switches pools or moves its range.

It decides at each hour's close; the plan is executed at the next open. The rules are stated beside their constants.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING

from service.market.instants import DAY
from service.trading import amm
from service.trading.accounts import AccountTerms
from service.trading.lanes.lane import Moment, changed
from service.trading.lanes.lp_state import Idle, InPool, LpState, Plan
from service.trading.lanes.readings import HourReading
from service.trading.performance import DAYS_A_YEAR
from service.trading.pools import ENTRY_GAS, EXIT_GAS, HARVEST_GAS, Pool, deepest, gas_usd, net_apr

if TYPE_CHECKING:
    from service.trading.lanes.lp import LpLane

ETHER = "eth"
# Harvest when the uncollected fees exceed both this many USD and this many times the gas of a harvest.
HARVEST_USD = 25.0
HARVEST_GAS_TIMES = 20
# Switch when the gain expected over the horizon exceeds the cost this many times, and the last move is this old.
HORIZON_DAYS = 7
SWITCH_COST_TIMES = 1.5
SWITCH_REST = DAY
# Put the range around the price again once the price has been outside it for this long.
RECENTRE_AFTER = DAY


def known_pools(state: LpState, moment: Moment) -> dict[str, Pool]:
    """The pools of the moment, and the lane's own as it was last listed: a source may omit a row for a while."""
    if isinstance(state, Idle):
        return dict(moment.pools)
    return {state.position.pool.key: state.position.pool, **moment.pools}


def decide(
    lane: LpLane, state: LpState, moment: Moment, fresh: Mapping[str, HourReading], terms: AccountTerms
) -> LpState:
    """The state with a plan for the next open, if any. Gas is paid in ether, so without its price nothing is done."""
    if ETHER not in state.marks:
        return state
    if isinstance(state, Idle):
        pool = _first_pool(lane, state, moment, fresh)
        return changed(state, plan=Plan("enter", pool.key)) if pool else state
    state = _watch_range(state)
    better = _better_pool(lane, state, moment, fresh, terms) if lane.chases else None
    if better:
        return changed(state, plan=Plan("switch", better.key))
    position = state.position
    if position.outside_since is not None and state.as_of - position.outside_since >= RECENTRE_AFTER:
        return changed(state, plan=Plan("recentre", position.pool.key))
    harvest = gas_usd(HARVEST_GAS, position.pool, state.marks[ETHER])
    if position.uncollected_usd > max(HARVEST_USD, HARVEST_GAS_TIMES * harvest):
        return changed(state, plan=Plan("harvest", position.pool.key))
    return state


def _watch_range(state: InPool) -> InPool:
    """The state with the time since when the price has been out of range."""
    position = state.position
    if position.span.holds(state.marks[position.pool.asset]):
        return changed(state, position=changed(position, outside_since=None))
    since = state.as_of if position.outside_since is None else position.outside_since
    return changed(state, position=changed(position, outside_since=since))


def _first_pool(lane: LpLane, state: Idle, moment: Moment, fresh: Mapping[str, HourReading]) -> Pool | None:
    """The deepest pool for a lane that stays; for one that chases the best, once a pool can be judged."""
    pools = {key: pool for key, pool in moment.pools.items() if pool.asset in fresh}
    if not lane.chases:
        return deepest(pools)
    best = _best(_expectations(lane, state, pools, fresh))
    return None if best is None else pools[best]


def _better_pool(
    lane: LpLane, state: InPool, moment: Moment, fresh: Mapping[str, HourReading], terms: AccountTerms
) -> Pool | None:
    """The best other pool, when moving there pays; a position out of range is expected to earn and lose nothing."""
    pools, here = known_pools(state, moment), state.position.pool.key
    expected = _expectations(lane, state, pools, fresh)
    best = _best(expected)
    if best is None or here not in expected or best == here or state.as_of - state.switched_at < SWITCH_REST:
        return None
    now = expected[here] if state.position.outside_since is None else 0.0
    gained = (expected[best] - now) * state.equity * HORIZON_DAYS / DAYS_A_YEAR
    worth_it = gained > SWITCH_COST_TIMES * _switch_cost(state, pools[best], terms)
    return pools[best] if worth_it else None


def _switch_cost(state: InPool, to: Pool, terms: AccountTerms) -> float:
    """USD that moving to the pool `to` costs: gas on both chains, the swap out and the swap in."""
    position, ether = state.position, state.marks[ETHER]
    out = amm.base_share(state.marks[position.pool.asset], position.span) * (position.pool.fee + terms.slippage)
    swaps = state.equity * (out + (to.fee + terms.slippage) / 2)
    return gas_usd(EXIT_GAS, position.pool, ether) + gas_usd(ENTRY_GAS, to, ether) + swaps


def _expectations(
    lane: LpLane, state: LpState, pools: Mapping[str, Pool], fresh: Mapping[str, HourReading]
) -> dict[str, float]:
    """The expected yield a year of each pool that can be judged: fees less the loss to arbitrage, by key."""
    readings = {asset: reading for asset, reading in fresh.items() if isfinite(reading.volatility + reading.busy)}
    return {
        key: net_apr(pool, lane.factor, state.equity, readings[pool.asset].volatility, readings[pool.asset].busy)
        for key, pool in pools.items()
        if pool.asset in readings
    }


def _best(expected: Mapping[str, float]) -> str | None:
    """The key of the pool with the highest yield, ties by key; None if there is no pool."""
    return min(expected, key=lambda pool: (-expected[pool], pool), default=None)
