"""A lane that provides concentrated liquidity: one position in one pool at a time.

At each hour's close it decides whether to harvest, to switch pools or to move its range; the plan is executed at the
next open. The rules are stated beside their constants.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

from service.market.instants import DAY, HOUR
from service.trading import amm
from service.trading.lanes.lane import HourReading, Lane, LaneEvent, Moment, changed
from service.trading.lanes.lp_state import LpState, Plan, PoolPosition
from service.trading.performance import DAYS_A_YEAR
from service.trading.pools import ENTRY_GAS, EXIT_GAS, HARVEST_GAS, Pool, active_liquidity, deepest, gas_usd, net_apr

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


@dataclass(frozen=True)
class LpLane(Lane[LpState]):
    """A lane with ranges from price / `factor` to price x `factor`; it `chases` the best pool or stays in one."""

    factor: float
    chases: bool

    def begin(self, at: int) -> LpState:
        usd = self.terms.capital
        return LpState(lane=self.name, started_at=at, as_of=at, cash=usd, equity=usd, capital=usd, marks={})

    def advance(self, state: LpState, moment: Moment) -> LpState:
        after = _execute(self, state, state.plan, moment) if state.plan else state
        after = _accrue(after, after.position, moment) if after.position else after
        after = _mark(after, moment)
        is_undecided = after.plan is None and moment.ends_hour(state.as_of)
        return _decide(self, after, moment, moment.fresh(state.as_of)) if is_undecided else after


def _execute(lane: LpLane, state: LpState, plan: Plan, moment: Moment) -> LpState:
    """The state after the plan, once every asset it involves has a bar; a pool no longer listed is not entered."""
    pool, position = _known_pools(state, moment).get(plan.pool), state.position
    if pool is None:
        return changed(state, plan=None)
    assets = {pool.asset, position.pool.asset} if position else {pool.asset}
    if not assets <= moment.bars.keys():
        return state
    done, price, time = changed(state, plan=None), moment.bars[pool.asset].open, moment.time
    if position is None:
        return changed(_enter(lane, done, pool, price, time), switched_at=time)
    if plan.kind == "harvest":
        return _harvest(done, position, price, time)
    left = _leave(lane, done, position, moment.bars[position.pool.asset].open, time)
    if plan.kind == "recentre":
        return _enter(lane, left, pool, price, time)
    entry = _enter(lane, left, pool, price, time, "switch")
    return changed(entry, switched_at=time, switches=entry.switches + 1)


def _enter(
    lane: LpLane, state: LpState, pool: Pool, price: float, time: int, kind: Literal["trade", "switch"] = "trade"
) -> LpState:
    """All the cash into a range around `price`: half of it is swapped for the asset, then both are deposited."""
    gas = gas_usd(ENTRY_GAS, pool, state.marks[ETHER])
    span = amm.around(price, lane.factor)
    deposit = (state.cash - gas) / (1 + amm.base_share(price, span) * (pool.fee + lane.terms.slippage))
    swap = state.cash - gas - deposit
    liquidity = amm.liquidity_of_value(deposit, price, span)
    base, quote = amm.amounts(liquidity, price, span)
    position = PoolPosition(pool, span, liquidity, base, quote, deposit, state.cash, time)
    event = LaneEvent(kind, time, pool.label, "provides liquidity", price, deposit, gas + swap)
    return _paid(state, event, gas, swap, cash=0.0, position=position)


def _leave(lane: LpLane, state: LpState, position: PoolPosition, price: float, time: int) -> LpState:
    """Withdraw the position, collect its fees and swap all of the asset for cash.

    On a move from pool to pool one swap serves both; its gas is counted on entry.
    """
    value, hodl_value = position.value(price), position.held(price)
    gas = gas_usd(EXIT_GAS, position.pool, state.marks[ETHER])
    swap = value * amm.base_share(price, position.span) * (position.pool.fee + lane.terms.slippage)
    cash = value + position.uncollected_usd - gas - swap
    pnl = cash - position.stake_usd
    event = LaneEvent("trade", time, position.pool.label, "withdraws liquidity", price, value, gas + swap, pnl)
    return _paid(
        state,
        event,
        gas,
        swap,
        cash=cash,
        position=None,
        divergence_usd=state.divergence_usd + value - hodl_value,
        market_usd=state.market_usd + hodl_value - position.deposited_usd,
        trades=state.trades + 1,
        wins=state.wins + (pnl > 0),
        won_usd=state.won_usd + max(0.0, pnl),
        lost_usd=state.lost_usd + max(0.0, -pnl),
    )


def _harvest(state: LpState, position: PoolPosition, price: float, time: int) -> LpState:
    """Collect the fees and add what remains after gas to the range, in the coins they were paid in."""
    gas = gas_usd(HARVEST_GAS, position.pool, state.marks[ETHER])
    addition = position.uncollected_usd - gas
    liquidity = amm.liquidity_of_value(addition, price, position.span)
    base, quote = amm.amounts(liquidity, price, position.span)
    larger = changed(
        position,
        liquidity=position.liquidity + liquidity,
        base=position.base + base,
        quote=position.quote + quote,
        deposited_usd=position.deposited_usd + addition,
        uncollected_usd=0.0,
    )
    event = LaneEvent("harvest", time, position.pool.label, "adds its fees", price, position.uncollected_usd, gas)
    return _paid(state, event, gas, 0.0, position=larger, harvests=state.harvests + 1)


def _paid(state: LpState, event: LaneEvent, gas: float, swap: float, **changes: Any) -> LpState:
    """The state after an event that cost gas and a swap, with its other changes."""
    costs = {"gas_usd": state.gas_usd + gas, "swap_usd": state.swap_usd + swap}
    return changed(state, events=(*state.events, event), **costs, **changes)


def _accrue(state: LpState, position: PoolPosition, moment: Moment) -> LpState:
    """The state with the position's share of the fees of this bar, and its time in range."""
    bar = moment.bars.get(position.pool.asset)
    if bar is None:
        return state
    pool = moment.pools.get(position.pool.key, position.pool)
    inside = amm.share_inside(bar.open, bar.close, position.span)
    # The usual volume of the pool, distributed like the asset's overall turnover.
    volume, reading = pool.volume_usd * moment.step / DAY, moment.readings.get(pool.asset)
    if reading and reading.turnover > 0:
        volume = pool.volume_usd * HOUR / DAY * bar.volume * bar.close / reading.turnover
    income = amm.fees(volume, pool.fee, inside, position.liquidity, active_liquidity(pool, bar.open))
    return changed(
        state,
        position=changed(position, pool=pool, uncollected_usd=position.uncollected_usd + income),
        fees_usd=state.fees_usd + income,
        seconds=state.seconds + moment.step,
        seconds_inside=state.seconds_inside + inside * moment.step,
        usd_seconds=state.usd_seconds + state.equity * moment.step,
    )


def _mark(state: LpState, moment: Moment) -> LpState:
    """The state at the last closes, uncollected fees included; ether is marked because it pays for gas."""
    bars, position = moment.bars, state.position
    assets = (position.pool.asset, ETHER) if position else (ETHER,)
    marked_assets = (asset for asset in assets if asset in bars or asset in state.marks)
    marks = {asset: bars[asset].close if asset in bars else state.marks[asset] for asset in marked_assets}
    equity = state.cash
    if position:
        equity += position.value(marks[position.pool.asset]) + position.uncollected_usd
    return changed(state, as_of=moment.as_of, marks=marks, equity=equity)


def _known_pools(state: LpState, moment: Moment) -> dict[str, Pool]:
    """The pools of the moment, and the lane's own as it was last listed: a source may omit a row for a while."""
    home = {state.position.pool.key: state.position.pool} if state.position else {}
    return {**home, **moment.pools}


def _decide(lane: LpLane, state: LpState, moment: Moment, latest: Mapping[str, HourReading]) -> LpState:
    """The state with a plan for the next open, if any. Gas is paid in ether, so without its price nothing is done."""
    if ETHER not in state.marks:
        return state
    if state.position is None:
        open_pools = {key: pool for key, pool in moment.pools.items() if pool.asset in latest}
        if lane.chases:  # the best pool, once one can be judged
            best = next(iter(_expectations(lane, state, open_pools, latest)), None)
            pool = None if best is None else open_pools[best]
        else:
            pool = deepest(open_pools)
        return changed(state, plan=Plan("enter", pool.key)) if pool else state
    position = state.position
    is_inside = position.span.holds(state.marks[position.pool.asset])
    since = state.as_of if position.outside_since is None else position.outside_since
    position = changed(position, outside_since=None if is_inside else since)
    state = changed(state, position=position)
    better = _better_pool(lane, state, position, moment, latest) if lane.chases else None
    if better:
        return changed(state, plan=Plan("switch", better.key))
    if position.outside_since is not None and state.as_of - position.outside_since >= RECENTRE_AFTER:
        return changed(state, plan=Plan("recentre", position.pool.key))
    harvest = gas_usd(HARVEST_GAS, position.pool, state.marks[ETHER])
    if position.uncollected_usd > max(HARVEST_USD, HARVEST_GAS_TIMES * harvest):
        return changed(state, plan=Plan("harvest", position.pool.key))
    return state


def _better_pool(
    lane: LpLane, state: LpState, position: PoolPosition, moment: Moment, latest: Mapping[str, HourReading]
) -> Pool | None:
    """The best other pool, when moving there pays; a position out of range is expected to earn and lose nothing."""
    pools, home = _known_pools(state, moment), position.pool.key
    expected = _expectations(lane, state, pools, latest)
    best = next(iter(expected), home)
    if home not in expected or best == home or state.as_of - state.switched_at < SWITCH_REST:
        return None
    now = expected[home] if position.outside_since is None else 0.0
    gain = (expected[best] - now) * state.equity * HORIZON_DAYS / DAYS_A_YEAR
    ether, slippage = state.marks[ETHER], lane.terms.slippage
    swap_out = amm.base_share(state.marks[position.pool.asset], position.span) * (position.pool.fee + slippage)
    swaps = state.equity * (swap_out + (pools[best].fee + slippage) / 2)
    cost = gas_usd(EXIT_GAS, position.pool, ether) + gas_usd(ENTRY_GAS, pools[best], ether) + swaps
    return pools[best] if gain > SWITCH_COST_TIMES * cost else None


def _expectations(
    lane: LpLane, state: LpState, pools: Mapping[str, Pool], latest: Mapping[str, HourReading]
) -> dict[str, float]:
    """The expected yield a year of each pool that can be judged: fees less the loss to arbitrage, by key.

    The highest is the first; ties are ordered by key.
    """
    readings = {asset: reading for asset, reading in latest.items() if isfinite(reading.volatility + reading.busy)}
    expected = {
        key: net_apr(pool, lane.factor, state.equity, readings[pool.asset].volatility, readings[pool.asset].busy)
        for key, pool in pools.items()
        if pool.asset in readings
    }
    return dict(sorted(expected.items(), key=lambda item: (-item[1], item[0])))
