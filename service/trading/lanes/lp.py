"""A lane that provides concentrated liquidity: one position in one pool at a time.

What was decided at an hour's close is carried out at the next open; until then it is the lane's status.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from service.market.bars import Bar
from service.market.instants import DAY, HOUR
from service.trading import amm
from service.trading.accounts import TERMS, Terms
from service.trading.lanes.lane import Event, Moment, changed, refuse_seen
from service.trading.lanes.lp_plan import ETHER, decide, known_pools
from service.trading.lanes.lp_state import LpLane, LpState, Plan, Position
from service.trading.pools import ENTRY_GAS, EXIT_GAS, HARVEST_GAS, Pool, active_liquidity, gas_usd


def begin(lane: LpLane, at: int, terms: Terms = TERMS) -> LpState:
    """The lane before its first bar; the first it may see ends after the unix second `at`."""
    return LpState(lane.name, at, at, cash=terms.capital, equity=terms.capital, capital=terms.capital, marks={})


def load(body: Mapping[str, Any]) -> LpState:
    """The state whose `dataclasses.asdict` went through JSON."""
    nested: dict[str, Any] = {"events": tuple(Event(**event) for event in body["events"])}
    if body["plan"]:
        nested["plan"] = Plan(**body["plan"])
    if body["position"]:
        position = body["position"]
        whole = {**position, "pool": Pool(**position["pool"]), "span": amm.Range(**position["span"])}
        nested["position"] = Position(**whole)
    return LpState(**{**body, **nested})


def step(lane: LpLane, state: LpState, moment: Moment, terms: Terms = TERMS) -> LpState:
    """The lane after one more bar. AlreadySeen if it is not later than the last."""
    refuse_seen(lane, state.as_of, moment)
    after = changed(state, events=()) if state.events else state
    after = _carry_out(lane, after, moment, terms) if after.plan else after
    after = _mark(_accrue(after, moment), moment)
    undecided = after.plan is None and moment.ends_hour(state.as_of)
    return decide(lane, after, moment, moment.fresh(state.as_of), terms) if undecided else after


def _carry_out(lane: LpLane, state: LpState, moment: Moment, terms: Terms) -> LpState:
    """Do what was decided, once every asset it takes has a bar; a pool that is gone by then is not entered."""
    pool, kind = known_pools(state, moment).get(state.plan.pool), state.plan.kind
    if pool is None:
        return changed(state, plan=None)
    if not _assets(state, pool) <= moment.bars.keys():
        return state
    done, price, time = changed(state, plan=None), moment.bars[pool.asset].open, moment.time
    if kind == "harvest":
        return _harvest(done, price, time)
    if kind == "enter":
        return changed(_enter(lane, done, pool, price, time, terms), switched_at=time)
    left = _leave(done, moment.bars[state.position.pool.asset].open, time, terms)
    if kind == "recentre":
        return _enter(lane, left, pool, price, time, terms)
    moved = _enter(lane, left, pool, price, time, terms, "switch")
    return changed(moved, switched_at=time, switches=moved.switches + 1)


def _assets(state: LpState, pool: Pool) -> set[str]:
    """The assets that must have a price for the lane to get from where it is into `pool`."""
    return {pool.asset, state.position.pool.asset} if state.position else {pool.asset}


def _enter(
    lane: LpLane,
    state: LpState,
    pool: Pool,
    price: float,
    time: int,
    terms: Terms,
    kind: Literal["trade", "switch"] = "trade",
) -> LpState:
    """All the cash into a range around `price`: half of it is swapped for the asset, then minted."""
    gas = gas_usd(ENTRY_GAS, pool, state.marks[ETHER])
    span = amm.around(price, lane.factor)
    deposited = (state.cash - gas) / (1 + amm.base_share(price, span) * (pool.fee + terms.slippage))
    swap = state.cash - gas - deposited
    liquidity = amm.liquidity_of_value(deposited, price, span)
    base, quote = amm.amounts(liquidity, price, span)
    position = Position(pool, span, liquidity, base, quote, deposited, state.cash, time)
    event = Event(kind, time, pool.label, "provides liquidity", price, deposited, gas + swap)
    return _paid(state, event, gas, swap, cash=0.0, position=position)


def _leave(state: LpState, price: float, time: int, terms: Terms) -> LpState:
    """Burn the position, collect its fees and swap all of the asset for cash.

    One swap carries the lane from pool to pool; its gas is counted on entry.
    """
    position = state.position
    value, held = position.value(price), position.held(price)
    gas = gas_usd(EXIT_GAS, position.pool, state.marks[ETHER])
    swap = value * amm.base_share(price, position.span) * (position.pool.fee + terms.slippage)
    cash = value + position.uncollected_usd - gas - swap
    pnl = cash - position.stake_usd
    event = Event("trade", time, position.pool.label, "withdraws liquidity", price, value, gas + swap, pnl)
    return _paid(
        state,
        event,
        gas,
        swap,
        cash=cash,
        position=None,
        divergence_usd=state.divergence_usd + value - held,
        market_usd=state.market_usd + held - position.deposited_usd,
        trades=state.trades + 1,
        wins=state.wins + (pnl > 0),
    )


def _harvest(state: LpState, price: float, time: int) -> LpState:
    """Collect the fees and add what the gas leaves of them to the range, in the coins they came in."""
    position = state.position
    gas = gas_usd(HARVEST_GAS, position.pool, state.marks[ETHER])
    added = position.uncollected_usd - gas
    liquidity = amm.liquidity_of_value(added, price, position.span)
    base, quote = amm.amounts(liquidity, price, position.span)
    grown = changed(
        position,
        liquidity=position.liquidity + liquidity,
        base=position.base + base,
        quote=position.quote + quote,
        deposited_usd=position.deposited_usd + added,
        uncollected_usd=0.0,
    )
    event = Event("harvest", time, position.pool.label, "adds its fees", price, position.uncollected_usd, gas)
    return _paid(state, event, gas, 0.0, position=grown, harvests=state.harvests + 1)


def _paid(state: LpState, event: Event, gas: float, swap: float, **changes: Any) -> LpState:
    """The state after an event that cost gas and a swap, with what else it changed."""
    return changed(
        state,
        events=(*state.events, event),
        gas_usd=state.gas_usd + gas,
        swap_usd=state.swap_usd + swap,
        **changes,
    )


def _accrue(state: LpState, moment: Moment) -> LpState:
    """The fees that this bar's trading left with the position, and how long it was in range."""
    position = state.position
    bar = moment.bars.get(position.pool.asset) if position else None
    if bar is None:
        return state
    pool = moment.pools.get(position.pool.key, position.pool)
    inside = amm.share_inside(bar.open, bar.close, position.span)
    volume = _pool_volume(pool, bar, moment)
    earned = amm.fees(volume, pool.fee, inside, position.liquidity, active_liquidity(pool, bar.open))
    return changed(
        state,
        position=changed(position, pool=pool, uncollected_usd=position.uncollected_usd + earned),
        fees_usd=state.fees_usd + earned,
        seconds=state.seconds + moment.step,
        seconds_inside=state.seconds_inside + inside * moment.step,
        usd_seconds=state.usd_seconds + state.equity * moment.step,
    )


def _pool_volume(pool: Pool, bar: Bar, moment: Moment) -> float:
    """USD traded in the pool during `bar`: its ordinary day, shaped like the asset's turnover everywhere."""
    reading = moment.readings.get(pool.asset)
    if reading is None or not reading.turnover > 0:
        return pool.volume_usd * moment.step / DAY
    return pool.volume_usd * HOUR / DAY * bar.volume * bar.close / reading.turnover


def _mark(state: LpState, moment: Moment) -> LpState:
    """Everything at its last close, uncollected fees with it; ether is marked for its gas."""
    position, bars = state.position, moment.bars
    watched = (position.pool.asset, ETHER) if position else (ETHER,)
    known = (asset for asset in watched if asset in bars or asset in state.marks)
    marks = {asset: bars[asset].close if asset in bars else state.marks[asset] for asset in known}
    equity = state.cash
    if position:
        equity += position.value(marks[position.pool.asset]) + position.uncollected_usd
    return changed(state, as_of=moment.as_of, marks=marks, equity=equity)
