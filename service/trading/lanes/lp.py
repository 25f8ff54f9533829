"""A lane that provides concentrated liquidity: one position in one pool at a time.

A plan made at an hour's close is executed at the next open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from service.json_record import adapter
from service.market.bars import Bar
from service.market.instants import DAY, HOUR
from service.trading import amm
from service.trading.accounts import TERMS, AccountTerms
from service.trading.lanes.lane import Lane, LaneEvent, Moment, changed, recast, refuse_seen
from service.trading.lanes.lp_plan import ETHER, decide, known_pools
from service.trading.lanes.lp_state import Idle, InPool, LpState, Plan, PoolPosition
from service.trading.pools import ENTRY_GAS, EXIT_GAS, HARVEST_GAS, Pool, active_liquidity, gas_usd

S = TypeVar("S", Idle, InPool)


@dataclass(frozen=True)
class LpLane(Lane[LpState]):
    """A lane with ranges from price / `factor` to price x `factor`; it `chases` the best pool or stays in one."""

    factor: float
    chases: bool

    def begin(self, at: int, terms: AccountTerms = TERMS) -> Idle:
        return Idle(self.name, at, at, cash=terms.capital, equity=terms.capital, capital=terms.capital, marks={})

    def load(self, body: Mapping[str, Any]) -> LpState:
        state: LpState = adapter(LpState).validate_python(body)
        return state

    def step(self, state: LpState, moment: Moment, terms: AccountTerms = TERMS) -> LpState:
        refuse_seen(self.name, state.as_of, moment)
        after = changed(state, events=()) if state.events else state
        if after.plan:
            after = _execute(self, after, after.plan, moment, terms)
        if isinstance(after, InPool):
            after = _accrue(after, moment)
        after = _mark(after, moment)
        undecided = after.plan is None and moment.ends_hour(state.as_of)
        return decide(self, after, moment, moment.fresh(state.as_of), terms) if undecided else after


def _execute(lane: LpLane, state: LpState, plan: Plan, moment: Moment, terms: AccountTerms) -> LpState:
    """The state after the plan, once every asset it involves has a bar; a pool no longer listed is not entered."""
    pool = known_pools(state, moment).get(plan.pool)
    if pool is None:
        return changed(state, plan=None)
    assets = {pool.asset} if isinstance(state, Idle) else {pool.asset, state.position.pool.asset}
    if not assets <= moment.bars.keys():
        return state
    done, price, time = changed(state, plan=None), moment.bars[pool.asset].open, moment.time
    if isinstance(done, Idle):
        return changed(_enter(lane, done, pool, price, time, terms), switched_at=time)
    if plan.kind == "harvest":
        return _harvest(done, price, time)
    left = _leave(done, moment.bars[done.position.pool.asset].open, time, terms)
    if plan.kind == "recentre":
        return _enter(lane, left, pool, price, time, terms)
    moved = _enter(lane, left, pool, price, time, terms, "switch")
    return changed(moved, switched_at=time, switches=moved.switches + 1)


def _enter(
    lane: LpLane,
    state: Idle,
    pool: Pool,
    price: float,
    time: int,
    terms: AccountTerms,
    kind: Literal["trade", "switch"] = "trade",
) -> InPool:
    """All the cash into a range around `price`: half of it is swapped for the asset, then both are deposited."""
    gas = gas_usd(ENTRY_GAS, pool, state.marks[ETHER])
    span = amm.around(price, lane.factor)
    deposited = (state.cash - gas) / (1 + amm.base_share(price, span) * (pool.fee + terms.slippage))
    swap = state.cash - gas - deposited
    liquidity = amm.liquidity_of_value(deposited, price, span)
    base, quote = amm.amounts(liquidity, price, span)
    position = PoolPosition(pool, span, liquidity, base, quote, deposited, state.cash, time)
    event = LaneEvent(kind, time, pool.label, "provides liquidity", price, deposited, gas + swap)
    return _paid(state, InPool, event, gas, swap, cash=0.0, position=position)


def _leave(state: InPool, price: float, time: int, terms: AccountTerms) -> Idle:
    """Withdraw the position, collect its fees and swap all of the asset for cash.

    On a move from pool to pool one swap serves both; its gas is counted on entry.
    """
    position = state.position
    value, held = position.value(price), position.held(price)
    gas = gas_usd(EXIT_GAS, position.pool, state.marks[ETHER])
    swap = value * amm.base_share(price, position.span) * (position.pool.fee + terms.slippage)
    cash = value + position.uncollected_usd - gas - swap
    pnl = cash - position.stake_usd
    event = LaneEvent("trade", time, position.pool.label, "withdraws liquidity", price, value, gas + swap, pnl)
    return _paid(
        state,
        Idle,
        event,
        gas,
        swap,
        cash=cash,
        position=None,
        divergence_usd=state.divergence_usd + value - held,
        market_usd=state.market_usd + held - position.deposited_usd,
        trades=state.trades + 1,
        wins=state.wins + (pnl > 0),
        won_usd=state.won_usd + max(0.0, pnl),
        lost_usd=state.lost_usd + max(0.0, -pnl),
    )


def _harvest(state: InPool, price: float, time: int) -> InPool:
    """Collect the fees and add what remains after gas to the range, in the coins they were paid in."""
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
    event = LaneEvent("harvest", time, position.pool.label, "adds its fees", price, position.uncollected_usd, gas)
    return _paid(state, InPool, event, gas, 0.0, position=grown, harvests=state.harvests + 1)


def _paid(state: LpState, kind: type[S], event: LaneEvent, gas: float, swap: float, **changes: Any) -> S:
    """The state, of the class `kind`, after an event that cost gas and a swap, with its other changes."""
    spent = {"gas_usd": state.gas_usd + gas, "swap_usd": state.swap_usd + swap}
    return recast(kind, state, {"events": (*state.events, event), **spent, **changes})


def _accrue(state: InPool, moment: Moment) -> InPool:
    """The state with the position's share of the fees of this bar, and its time in range."""
    position = state.position
    bar = moment.bars.get(position.pool.asset)
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
    """USD traded in the pool during `bar`: its usual daily volume, distributed like the asset's overall turnover."""
    reading = moment.readings.get(pool.asset)
    if reading is None or not reading.turnover > 0:
        return pool.volume_usd * moment.step / DAY
    return pool.volume_usd * HOUR / DAY * bar.volume * bar.close / reading.turnover


def _mark(state: LpState, moment: Moment) -> LpState:
    """The state at the last closes, uncollected fees included; ether is marked because it pays for gas."""
    bars = moment.bars
    watched = (ETHER,) if isinstance(state, Idle) else (state.position.pool.asset, ETHER)
    priced = (asset for asset in watched if asset in bars or asset in state.marks)
    marks = {asset: bars[asset].close if asset in bars else state.marks[asset] for asset in priced}
    equity = state.cash
    if isinstance(state, InPool):
        equity += state.position.value(marks[state.position.pool.asset]) + state.position.uncollected_usd
    return changed(state, as_of=moment.as_of, marks=marks, equity=equity)
