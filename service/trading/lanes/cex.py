"""A lane on an exchange: one paper account over several assets, decided each hour, marked at every bar.

Every asset has an equal share of the capital. What is wanted at an hour's close is filled at the asset's next open;
a stop rests in the market and is filled within a bar, at its price or at an open already beyond it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from service.market.bars import Bar
from service.trading.accounts import TERMS, Terms
from service.trading.lanes.lane import Event, Lane, Moment, Status, changed, refuse_seen
from service.trading.lanes.logics import OUT, Holding, Intent, Logic, View


@dataclass(frozen=True)
class CexLane(Lane):
    """A lane that trades `assets` as `decide` says."""

    assets: tuple[str, ...]
    decide: Logic


@dataclass(frozen=True)
class CexState:
    """All there is to a lane after the bar that was complete at the unix second `as_of`.

    `cash` USD includes what short sales brought in, `marks` are the last closes of what is held, `equity` is with
    them. `orders` wait for their asset's next open. `trades` are closed positions, `wins` those with a profit after
    costs. `halted`: the account fell below its floor and trades no more. `events` are of this bar alone.
    """

    lane: str
    started_at: int
    as_of: int
    cash: float
    equity: float
    holdings: Mapping[str, Holding] = field(default_factory=dict)
    orders: Mapping[str, Intent] = field(default_factory=dict)
    marks: Mapping[str, float] = field(default_factory=dict)
    trades: int = 0
    wins: int = 0
    fees_usd: float = 0.0
    halted: bool = False
    events: tuple[Event, ...] = ()

    @property
    def status(self) -> Status:
        """Whether anything is held."""
        return "in_market" if self.holdings else "waiting"


def begin(lane: CexLane, at: int, terms: Terms = TERMS) -> CexState:
    """The lane before its first bar; the first it may see ends after the unix second `at`."""
    return CexState(lane.name, started_at=at, as_of=at, cash=terms.capital, equity=terms.capital)


def load(body: Mapping[str, Any]) -> CexState:
    """The state whose `dataclasses.asdict` went through JSON."""
    nested = {
        "holdings": {asset: Holding(**holding) for asset, holding in body["holdings"].items()},
        "orders": {asset: Intent(**intent) for asset, intent in body["orders"].items()},
        "events": tuple(Event(**event) for event in body["events"]),
    }
    return CexState(**{**body, **nested})


def step(lane: CexLane, state: CexState, moment: Moment, terms: Terms = TERMS) -> CexState:
    """The lane after one more bar. AlreadySeen if it is not later than the last."""
    refuse_seen(lane, state.as_of, moment)
    after = changed(state, events=()) if state.events else state
    after = _fill_orders(lane, after, moment, terms) if after.orders else after
    after = _fill_stops(lane, after, moment, terms) if after.holdings else after
    after = _mark(lane, after, moment, terms)
    fresh = {} if after.halted else moment.fresh(state.as_of)
    return _decide(lane, after, fresh, moment.votes) if fresh else after


def _fill_orders(lane: CexLane, state: CexState, moment: Moment, terms: Terms) -> CexState:
    """Fill what was wanted of each asset that has a bar, at its open."""
    for asset in lane.assets:
        if asset not in state.orders or asset not in moment.bars:
            continue
        intent, price = state.orders[asset], moment.bars[asset].open
        if asset in state.holdings:
            state = _close(state, asset, price, moment.time, "closes", terms)
        if intent.side:
            state = _open(lane, state, asset, price, moment.time, terms)
        state = changed(state, orders=_without(state.orders, asset))
    return state


def _fill_stops(lane: CexLane, state: CexState, moment: Moment, terms: Terms) -> CexState:
    for asset in lane.assets:
        holding, bar = state.holdings.get(asset), moment.bars.get(asset)
        price = _stopped_at(holding, bar) if holding and bar else None
        if price is not None:
            state = _close(state, asset, price, moment.time, "is stopped out of", terms)
    return state


def _stopped_at(holding: Holding, bar: Bar) -> float | None:
    """The price at which the resting stop was reached within `bar`; None where it was not."""
    if holding.stop is None:
        return None
    if holding.side > 0:
        return min(bar.open, holding.stop) if bar.low <= holding.stop else None
    return max(bar.open, holding.stop) if bar.high >= holding.stop else None


def _open(lane: CexLane, state: CexState, asset: str, price: float, time: int, terms: Terms) -> CexState:
    """Put the asset's share of the account, with everything else at its last mark, into the order that waits for it."""
    intent = state.orders[asset]
    value = _equity(lane, state, state.marks) * terms.invested * intent.weight / len(lane.assets)
    paid = price * (1 + intent.side * terms.slippage)
    quantity, fee = intent.side * value / paid, value * terms.fee
    holding = Holding(quantity, paid, fee, time, intent.stop)
    note = "opens long" if intent.side > 0 else "opens short"
    event = Event("trade", time, asset, note, paid, value, fee + abs(quantity) * price * terms.slippage)
    return changed(
        state,
        cash=state.cash - intent.side * value - fee,
        holdings={**state.holdings, asset: holding},
        fees_usd=state.fees_usd + fee,
        events=(*state.events, event),
    )


def _close(state: CexState, asset: str, price: float, time: int, verb: str, terms: Terms) -> CexState:
    """Sell what is held of the asset, or buy it back, at `price` before slippage."""
    holding = state.holdings[asset]
    got = price * (1 - holding.side * terms.slippage)
    value = abs(holding.quantity) * got
    fee = value * terms.fee
    pnl = holding.quantity * (got - holding.entry_price) - holding.fee_usd - fee
    note = f"{verb} {'long' if holding.side > 0 else 'short'}"
    cost = fee + abs(holding.quantity) * price * terms.slippage
    return changed(
        state,
        cash=state.cash + holding.side * value - fee,
        holdings=_without(state.holdings, asset),
        trades=state.trades + 1,
        wins=state.wins + (pnl > 0),
        fees_usd=state.fees_usd + fee,
        events=(*state.events, Event("trade", time, asset, note, got, value, cost, pnl)),
    )


def _mark(lane: CexLane, state: CexState, moment: Moment, terms: Terms) -> CexState:
    """Everything at its last close; an account below its floor gets out of all it holds and stays out."""
    bars = moment.bars
    marks = {asset: bars[asset].close if asset in bars else state.marks[asset] for asset in state.holdings}
    equity = _equity(lane, state, marks)
    ruined = equity < terms.floor_usd and not state.halted
    return changed(
        state,
        as_of=moment.as_of,
        marks=marks,
        equity=equity,
        orders=dict.fromkeys(state.holdings, OUT) if ruined else state.orders,
        halted=state.halted or ruined,
    )


def _equity(lane: CexLane, state: CexState, marks: Mapping[str, float]) -> float:
    """USD in the account with what is held at `marks`, or at its entry price before its first mark."""
    equity = state.cash
    for asset in lane.assets:
        holding = state.holdings.get(asset)
        if holding:
            equity += holding.quantity * marks.get(asset, holding.entry_price)
    return equity


def _decide(lane: CexLane, state: CexState, fresh: Mapping, votes: Mapping[str, float]) -> CexState:
    """Ask the logic about every asset whose hour has just closed: orders for the next open, stops for now."""
    holdings, orders = dict(state.holdings), dict(state.orders)
    for asset in lane.assets:
        if asset not in fresh:
            continue
        held = holdings.get(asset)
        intent = lane.decide(View(fresh[asset], held, votes.get(asset)))
        if intent.side != (held.side if held else 0):
            orders[asset] = intent
        elif held and intent.stop != held.stop:
            holdings[asset] = changed(held, stop=intent.stop)
    return changed(state, holdings=holdings, orders=orders)


def _without(mapping: Mapping, key: str) -> dict:
    return {name: value for name, value in mapping.items() if name != key}
