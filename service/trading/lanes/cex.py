"""A lane on an exchange: one paper account over several assets, with a decision each hour and a mark at every bar.

Every asset has an equal share of the capital. A decision at an hour's close is filled at the asset's next open; a
stop order is filled within a bar, at its price or at an open that is already beyond it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from service.market.bars import Bar
from service.trading.accounts import TERMS, AccountTerms
from service.trading.lanes.lane import Lane, LaneEvent, Moment, Status, changed, refuse_seen
from service.trading.lanes.logics import OUT, Holding, Intent, LaneView, Logic


@dataclass(frozen=True)
class CexLane(Lane):
    """A lane that trades `assets` by the decisions of `decide`."""

    assets: tuple[str, ...]
    decide: Logic

    def begin(self, at: int, terms: AccountTerms = TERMS) -> CexState:
        return CexState(self.name, started_at=at, as_of=at, cash=terms.capital, equity=terms.capital)

    def load(self, body: Mapping[str, Any]) -> CexState:
        nested = {
            "holdings": {asset: Holding(**holding) for asset, holding in body["holdings"].items()},
            "orders": {asset: Intent(**intent) for asset, intent in body["orders"].items()},
            "events": tuple(LaneEvent(**event) for event in body["events"]),
        }
        return CexState(**{**body, **nested})

    def step(self, state: CexState, moment: Moment, terms: AccountTerms = TERMS) -> CexState:
        refuse_seen(self, state.as_of, moment)
        after = changed(state, events=()) if state.events else state
        after = _fill_orders(self, after, moment, terms) if after.orders else after
        after = _fill_stops(self, after, moment, terms) if after.holdings else after
        after = _mark(self, after, moment, terms)
        fresh = {} if after.halted else moment.fresh(state.as_of)
        return _decide(self, after, fresh, moment.votes) if fresh else after


@dataclass(frozen=True)
class CexState:
    """The whole state of a lane after the bar that was complete at the unix second `as_of`.

    `cash` USD includes the proceeds of short sales, `marks` are the last closes of the assets held, `equity` values
    them at these marks. `orders` wait for their asset's next open. `trades` counts closed positions, `wins` those
    with a profit after costs; the profits add up to `won_usd`, the losses to `lost_usd`. `halted`: the account fell
    below its floor and no longer trades. `events` are those of this bar only.
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
    won_usd: float = 0.0
    lost_usd: float = 0.0
    fees_usd: float = 0.0
    halted: bool = False
    events: tuple[LaneEvent, ...] = ()

    @property
    def status(self) -> Status:
        """Whether anything is held."""
        return "in_market" if self.holdings else "waiting"


def _fill_orders(lane: CexLane, state: CexState, moment: Moment, terms: AccountTerms) -> CexState:
    """Fill the order of each asset that has a bar, at its open."""
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


def _fill_stops(lane: CexLane, state: CexState, moment: Moment, terms: AccountTerms) -> CexState:
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


def _open(lane: CexLane, state: CexState, asset: str, price: float, time: int, terms: AccountTerms) -> CexState:
    """Open the ordered position with the asset's share of the account, everything else valued at its last mark."""
    intent = state.orders[asset]
    value = _equity(lane, state, state.marks) * terms.invested * intent.weight / len(lane.assets)
    paid = price * (1 + intent.side * terms.slippage)
    quantity, fee = intent.side * value / paid, value * terms.fee
    holding = Holding(quantity, paid, fee, time, intent.stop)
    note = "opens long" if intent.side > 0 else "opens short"
    event = LaneEvent("trade", time, asset, note, paid, value, fee + abs(quantity) * price * terms.slippage)
    return changed(
        state,
        cash=state.cash - intent.side * value - fee,
        holdings={**state.holdings, asset: holding},
        fees_usd=state.fees_usd + fee,
        events=(*state.events, event),
    )


def _close(state: CexState, asset: str, price: float, time: int, verb: str, terms: AccountTerms) -> CexState:
    """Close the position in the asset at `price` before slippage."""
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
        won_usd=state.won_usd + max(0.0, pnl),
        lost_usd=state.lost_usd + max(0.0, -pnl),
        fees_usd=state.fees_usd + fee,
        events=(*state.events, LaneEvent("trade", time, asset, note, got, value, cost, pnl)),
    )


def _mark(lane: CexLane, state: CexState, moment: Moment, terms: AccountTerms) -> CexState:
    """The state at the last closes; an account below its floor closes every position and stays out."""
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
    """USD in the account with positions at `marks`, or at their entry price before their first mark."""
    equity = state.cash
    for asset in lane.assets:
        holding = state.holdings.get(asset)
        if holding:
            equity += holding.quantity * marks.get(asset, holding.entry_price)
    return equity


def _decide(lane: CexLane, state: CexState, fresh: Mapping, votes: Mapping[str, float]) -> CexState:
    """Apply the logic to every asset whose hour has just closed: orders for the next open, stops at once."""
    holdings, orders = dict(state.holdings), dict(state.orders)
    for asset in lane.assets:
        if asset not in fresh:
            continue
        held = holdings.get(asset)
        intent = lane.decide(LaneView(fresh[asset], held, votes.get(asset)))
        if intent.side != (held.side if held else 0):
            orders[asset] = intent
        elif held and intent.stop != held.stop:
            holdings[asset] = changed(held, stop=intent.stop)
    return changed(state, holdings=holdings, orders=orders)


def _without(mapping: Mapping, key: str) -> dict:
    return {name: value for name, value in mapping.items() if name != key}
