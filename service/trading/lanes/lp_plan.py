"""When to harvest, to switch pools and to move a range: decided at each hour's close, carried out at the next open.

engine.md, section 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from service.market.instants import DAY
from service.trading import amm
from service.trading.accounts import Terms
from service.trading.lanes.lane import Moment, changed
from service.trading.lanes.lp_state import LpLane, LpState, Plan
from service.trading.lanes.readings import Reading
from service.trading.performance import DAYS_A_YEAR
from service.trading.pools import ENTRY_GAS, EXIT_GAS, HARVEST_GAS, Pool, deepest, gas_usd, net_apr

ETHER = "eth"
# Harvest when uncollected fees exceed both: USD, and times what the harvest costs.
HARVEST_USD = 25.0
HARVEST_GAS_TIMES = 20
# Switch when what is to be gained in so many days exceeds so many times the cost, so long after the last move.
HORIZON_DAYS = 7
SWITCH_COST_TIMES = 1.5
SWITCH_REST = DAY
# A position that has been out of its range for so long is put around the price again.
RECENTRE_AFTER = DAY


def known_pools(state: LpState, moment: Moment) -> dict[str, Pool]:
    """The pools of the moment, and the one the lane is in as it was last seen: a source may lose a row for a while."""
    here = {state.position.pool.key: state.position.pool} if state.position else {}
    return {**here, **moment.pools}


def decide(lane: LpLane, state: LpState, moment: Moment, fresh: Mapping[str, Reading], terms: Terms) -> LpState:
    """What to do at the next open. Without a price of ether nothing can be paid for, so nothing is done."""
    if ETHER not in state.marks:
        return state
    if state.position is None:
        pool = _first_pool(lane, state, moment, fresh)
        return changed(state, plan=Plan("enter", pool.key)) if pool else state
    state = _watch_range(state)
    better = _better_pool(lane, state, moment, fresh, terms) if lane.chases else None
    if better:
        return changed(state, plan=Plan("switch", better.key))
    here = state.position.pool
    if state.position.outside_since is not None and state.as_of - state.position.outside_since >= RECENTRE_AFTER:
        return changed(state, plan=Plan("recentre", here.key))
    harvest = gas_usd(HARVEST_GAS, here, state.marks[ETHER])
    if state.position.uncollected_usd > max(HARVEST_USD, HARVEST_GAS_TIMES * harvest):
        return changed(state, plan=Plan("harvest", here.key))
    return state


def _watch_range(state: LpState) -> LpState:
    """Note since when the price has been out of range."""
    position = state.position
    if position.span.holds(state.marks[position.pool.asset]):
        return changed(state, position=changed(position, outside_since=None))
    since = state.as_of if position.outside_since is None else position.outside_since
    return changed(state, position=changed(position, outside_since=since))


def _first_pool(lane: LpLane, state: LpState, moment: Moment, fresh: Mapping[str, Reading]) -> Pool | None:
    """The deepest pool for a lane that stays; for one that chases the best, once there is one to be judged."""
    pools = {key: pool for key, pool in moment.pools.items() if pool.asset in fresh}
    if not lane.chases:
        return deepest(pools)
    return pools.get(_best(_expectations(lane, state, pools, fresh)))


def _better_pool(
    lane: LpLane, state: LpState, moment: Moment, fresh: Mapping[str, Reading], terms: Terms
) -> Pool | None:
    """The best other pool, when moving there is worth it; a position out of range earns and loses nothing."""
    pools, here = known_pools(state, moment), state.position.pool.key
    expected = _expectations(lane, state, pools, fresh)
    best = _best(expected)
    if here not in expected or best == here or state.as_of - state.switched_at < SWITCH_REST:
        return None
    now = expected[here] if state.position.outside_since is None else 0.0
    gained = (expected[best] - now) * state.equity * HORIZON_DAYS / DAYS_A_YEAR
    worth_it = gained > SWITCH_COST_TIMES * _switch_cost(state, pools[best], terms)
    return pools[best] if worth_it else None


def _switch_cost(state: LpState, to: Pool, terms: Terms) -> float:
    """USD that it costs to be in the pool `to` instead: gas on both chains, the swap out and the swap in."""
    position, ether = state.position, state.marks[ETHER]
    out = amm.base_share(state.marks[position.pool.asset], position.span) * (position.pool.fee + terms.slippage)
    swaps = state.equity * (out + (to.fee + terms.slippage) / 2)
    return gas_usd(EXIT_GAS, position.pool, ether) + gas_usd(ENTRY_GAS, to, ether) + swaps


def _expectations(
    lane: LpLane, state: LpState, pools: Mapping[str, Pool], fresh: Mapping[str, Reading]
) -> dict[str, float]:
    """The yearly yield to expect of each pool that can be judged: fees less what arbitrage takes."""
    known = {asset: reading for asset, reading in fresh.items() if isfinite(reading.volatility + reading.busy)}
    return {
        key: net_apr(pool, lane.factor, state.equity, known[pool.asset].volatility, known[pool.asset].busy)
        for key, pool in pools.items()
        if pool.asset in known
    }


def _best(expected: Mapping[str, float]) -> str | None:
    """The key of the pool with the highest yield, equals by key; None of none."""
    return min(expected, key=lambda pool: (-expected[pool], pool), default=None)
