"""A lane on an exchange: one paper account over several assets, with a decision each hour and a mark at every bar.

Every asset has an equal share of the capital. A decision at an hour's close is filled at the asset's next open; a
stop order is filled within a bar, at its price or at an open that is already beyond it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from service.market.instants import HOUR
from service.trading.accounts import HOURS_A_YEAR
from service.trading.lanes.lane import HourReading, Lane, LaneEvent, LaneState, LaneVote, Moment, Status, changed
from service.trading.lanes.logics import OUT, Holding, Intent, Logic


@dataclass(frozen=True)
class CexLane(Lane["CexState"]):
    """A lane that trades `assets` by the decisions of `decide`."""

    assets: tuple[str, ...]
    decide: Logic

    def begin(self, at: int) -> CexState:
        usd = self.terms.capital
        return CexState(lane=self.name, started_at=at, as_of=at, cash=usd, equity=usd)

    def advance(self, state: CexState, moment: Moment) -> CexState:
        after = _charge_shorts(self, state, state.as_of, moment.time)
        after = _fill_orders(self, after, moment) if after.orders else after
        after = _fill_stops(self, after, moment) if after.holdings else after
        after = _charge_shorts(self, after, moment.time, moment.as_of)
        after = _mark(self, after, moment)
        readings = {} if after.halted else moment.fresh(state.as_of)
        return _decide(self, after, readings, moment.votes) if readings else after


@dataclass(frozen=True, kw_only=True)
class CexState(LaneState):
    """The whole state of a lane after its last bar.

    `cash` includes the proceeds of short sales, `marks` are the last closes of the assets held, `equity` values them at
    these marks. `orders` wait for their asset's next open. `borrow_usd` of interest were paid on closed shorts.
    `halted`: the account fell below its floor and no longer trades.
    """

    holdings: Mapping[str, Holding] = field(default_factory=dict)
    orders: Mapping[str, Intent] = field(default_factory=dict)
    marks: Mapping[str, float] = field(default_factory=dict)
    borrow_usd: float = 0.0
    halted: bool = False

    @property
    def status(self) -> Status:
        return "in_market" if self.holdings else "waiting"


def _charge_shorts(lane: CexLane, state: CexState, since: int, until: int) -> CexState:
    """The interest of every short for each hour that begins between two unix seconds, or in which it was opened."""
    charges = {}
    for asset, holding in state.holdings.items():
        before = since // HOUR if holding.opened_at == since else -(-since // HOUR)
        hours = -(-until // HOUR) - before
        if holding.side < 0 and hours:
            owed = holding.owed - holding.quantity * lane.terms.borrow / HOURS_A_YEAR * hours
            charges[asset] = changed(holding, owed=owed)
    return changed(state, holdings={**state.holdings, **charges}) if charges else state


def _fill_orders(lane: CexLane, state: CexState, moment: Moment) -> CexState:
    """Fill the order of each asset that has a bar, at its open."""
    for asset in lane.assets:
        if asset in state.orders and asset in moment.bars:
            state = _trade(lane, state, asset, moment.bars[asset].open, moment.time)
            orders = {name: order for name, order in state.orders.items() if name != asset}
            state = changed(state, orders=orders)
    return state


def _trade(lane: CexLane, state: CexState, asset: str, price: float, time: int) -> CexState:
    """Fill an order at `price` before slippage; of a position on the ordered side the difference is traded.

    The ordered position is its weight of the asset's share of the account at the last marks; a ruined one opens none.
    """
    intent, holding = state.orders[asset], state.holdings.get(asset)
    if holding and holding.side != intent.side:
        state, holding = _close(lane, state, asset, price, time, "closes"), None
    if not intent.side:
        return state
    equity = max(0.0, _equity(lane, state, state.marks))
    value = equity * lane.terms.invested * intent.weight / len(lane.assets)
    missing = value - abs(holding.quantity) * price if holding else value
    if missing < 0:
        return _close(lane, state, asset, price, time, "reduces", share=-missing / (value - missing))
    return _open(lane, state, asset, missing, price, time) if value else state


def _fill_stops(lane: CexLane, state: CexState, moment: Moment) -> CexState:
    """Close each position whose stop was reached within its bar, at the stop or an open that is already beyond it."""
    for asset in lane.assets:
        holding, bar = state.holdings.get(asset), moment.bars.get(asset)
        if holding is None or bar is None or holding.stop is None:
            continue
        is_long, stop = holding.side > 0, holding.stop
        is_reached = bar.low <= stop if is_long else bar.high >= stop
        if is_reached:
            price = min(bar.open, stop) if is_long else max(bar.open, stop)
            state = _close(lane, state, asset, price, moment.time, "is stopped out of")
    return state


def _open(lane: CexLane, state: CexState, asset: str, value: float, price: float, time: int) -> CexState:
    """Buy or sell short for `value` USD as ordered, in addition to what is held."""
    terms, intent, holding = lane.terms, state.orders[asset], state.holdings.get(asset)
    entry_price = price * (1 + intent.side * terms.slippage)
    quantity, fee = intent.side * value / entry_price, value * terms.fee
    purchase = Holding(quantity, entry_price, fee, time, intent.stop, intent.weight)
    verb, side = "adds to" if holding else "opens", "long" if intent.side > 0 else "short"
    cost = fee + abs(quantity) * price * terms.slippage
    return changed(
        state,
        cash=state.cash - intent.side * value - fee,
        holdings={**state.holdings, asset: _sum(holding, purchase) if holding else purchase},
        fees_usd=state.fees_usd + fee,
        events=(*state.events, LaneEvent("trade", time, asset, f"{verb} {side}", entry_price, value, cost)),
    )


def _sum(holding: Holding, purchase: Holding) -> Holding:
    """One holding of two on the same side, with the stop and the weight of the later one."""
    quantity = holding.quantity + purchase.quantity
    cost = holding.quantity * holding.entry_price + purchase.quantity * purchase.entry_price
    fees = holding.fee_usd + purchase.fee_usd
    return Holding(quantity, cost / quantity, fees, holding.opened_at, purchase.stop, purchase.weight, holding.owed)


def _close(
    lane: CexLane, state: CexState, asset: str, price: float, time: int, verb: str, share: float = 1.0
) -> CexState:
    """Close the position in the asset, or a `share` of it, at `price` before slippage."""
    terms, holding = lane.terms, state.holdings[asset]
    exit_price = price * (1 - holding.side * terms.slippage)
    quantity, entry_fee, interest = share * holding.quantity, share * holding.fee_usd, share * holding.owed * exit_price
    value = abs(quantity) * exit_price + interest
    fee = value * terms.fee
    pnl = quantity * (exit_price - holding.entry_price) - interest - entry_fee - fee
    note = f"{verb} {'long' if holding.side > 0 else 'short'}"
    cost = fee + abs(quantity) * price * terms.slippage
    others = {name: held for name, held in state.holdings.items() if name != asset}
    left = {}
    if share < 1:  # what is held after a part was closed as ordered
        parts = {name: (1 - share) * getattr(holding, name) for name in ("quantity", "fee_usd", "owed")}
        left = {asset: changed(holding, **parts, stop=state.orders[asset].stop, weight=state.orders[asset].weight)}
    return changed(
        state,
        cash=state.cash + holding.side * value - fee,
        holdings={**others, **left},
        trades=state.trades + 1,
        wins=state.wins + (pnl > 0),
        won_usd=state.won_usd + max(0.0, pnl),
        lost_usd=state.lost_usd + max(0.0, -pnl),
        fees_usd=state.fees_usd + fee,
        borrow_usd=state.borrow_usd + interest,
        events=(*state.events, LaneEvent("trade", time, asset, note, exit_price, value, cost, pnl)),
    )


def _mark(lane: CexLane, state: CexState, moment: Moment) -> CexState:
    """The state at the last closes; an account below its floor closes every position and stays out."""
    bars = moment.bars
    marks = {asset: bars[asset].close if asset in bars else state.marks[asset] for asset in state.holdings}
    equity = _equity(lane, state, marks)
    is_ruined = equity < lane.terms.floor_usd and not state.halted
    return changed(
        state,
        as_of=moment.as_of,
        marks=marks,
        equity=equity,
        orders=dict.fromkeys(state.holdings, OUT) if is_ruined else state.orders,
        halted=state.halted or is_ruined,
    )


def _equity(lane: CexLane, state: CexState, marks: Mapping[str, float]) -> float:
    """USD in the account with positions at `marks`, or at their entry price before their first mark."""
    equity = state.cash
    for asset in lane.assets:
        holding = state.holdings.get(asset)
        if holding:
            equity += (holding.quantity - holding.owed) * marks.get(asset, holding.entry_price)
    return equity


def _decide(
    lane: CexLane, state: CexState, readings: Mapping[str, HourReading], votes: Mapping[str, LaneVote]
) -> CexState:
    """Apply the logic to every asset whose hour has just closed: orders for the next open, stops at once."""
    holdings, orders = dict(state.holdings), dict(state.orders)
    for asset in lane.assets:
        if asset not in readings:
            continue
        holding = holdings.get(asset)
        intent = lane.decide(readings[asset], holding, votes.get(asset))
        standing = holding.kept if holding else OUT
        if (intent.side, intent.weight) != (standing.side, standing.weight):
            orders[asset] = intent
        elif holding and intent.stop != holding.stop:
            holdings[asset] = changed(holding, stop=intent.stop)
    return changed(state, holdings=holdings, orders=orders)
