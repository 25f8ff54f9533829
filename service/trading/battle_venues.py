"""The two venues of the Bot Battle: totals of their lanes, open positions, costs and sources of the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.documents import rounded
from service.market.instants import iso
from service.trading.accounts import TERMS, AccountTerms
from service.trading.battle_lanes import BattleLane
from service.trading.lanes import CexState, LpState, State
from service.trading.lanes.lp_state import attribution
from service.trading.statements import Side, percent, usd


@dataclass(frozen=True)
class Totals:
    """Totals of some lanes: how many there are, how many are active, their capital and their result.

    `benchmark_pnl_pct` is the result of buying and holding their assets instead, lane by lane.
    """

    lanes: int
    active: int
    initial_capital: float
    capital: float
    pnl_usd: float
    pnl_pct: float
    trades: int
    win_rate_pct: float | None
    benchmark_pnl_pct: float


@dataclass(frozen=True)
class OpenPosition:
    """An open position on the exchange: prices in USD, `pnl_usd` at the last close net of entry fee and interest.

    `stop_price` is the price of its stop order, if there is one.
    """

    lane: str
    asset: str
    side: Side
    quantity: float
    entry_price: float
    mark_price: float
    pnl_usd: float
    opened_at: str
    stop_price: float | None


@dataclass(frozen=True)
class ExchangeVenue(Totals):
    """The lanes on the exchange, their fees and their open positions.

    `borrow_usd` is the interest that closed short positions have paid, at `borrow_rate_pct` a year.
    """

    fees_usd: float
    borrow_usd: float
    borrow_rate_pct: float
    positions: tuple[OpenPosition, ...]


@dataclass(frozen=True)
class Liquidity:
    """The sources of a liquidity lane's result.

    Its PnL is `market_usd` (the result of holding the coins) + `divergence_usd` (the result of the pool against
    holding them) + `fees_usd` - `gas_usd` - `swap_usd`. `vs_hodl_pct` is its capital against having held the same
    coins at no cost. The range is in USD.
    """

    lane: str
    pool: str | None
    range_low: float | None
    range_high: float | None
    price: float | None
    market_usd: float
    divergence_usd: float
    fees_usd: float
    uncollected_usd: float
    gas_usd: float
    swap_usd: float
    vs_hodl_pct: float
    in_range_pct: float | None


@dataclass(frozen=True)
class PoolVenue(Totals):
    """The lanes in liquidity pools, and the sources of the result of each."""

    harvests: int
    switches: int
    liquidity: tuple[Liquidity, ...]


@dataclass(frozen=True)
class Venues:
    """Both venues."""

    cex: ExchangeVenue
    dex: PoolVenue


def totals(lanes: Sequence[BattleLane], states: Mapping[str, State]) -> dict[str, Any]:
    """The fields of Totals for some lanes."""
    mine = [states[lane.name] for lane in lanes]
    initial, capital = TERMS.capital * len(mine), sum(state.equity for state in mine)
    return {
        "lanes": len(lanes),
        "active": sum(lane.active for lane in lanes),
        "initial_capital": usd(initial),
        "capital": usd(capital),
        "pnl_usd": usd(capital - initial),
        "pnl_pct": percent(capital / initial - 1),
        "trades": sum(lane.trades for lane in lanes),
        "win_rate_pct": _win_rate_pct(mine),
        "benchmark_pnl_pct": round(sum(lane.benchmark_pnl_pct for lane in lanes) / len(lanes), 4),
    }


def _win_rate_pct(states: Sequence[State]) -> float | None:
    trades, wins = sum(state.trades for state in states), sum(state.wins for state in states)
    return percent(wins / trades) if trades else None


def exchange_venue(
    lanes: Sequence[BattleLane], states: Mapping[str, State], terms: AccountTerms = TERMS
) -> ExchangeVenue:
    """The venue of the lanes on the exchange, whose costs are the `terms`."""
    mine = [lane for lane in lanes if lane.venue == "cex"]
    traded = {lane.name: state for lane in mine if isinstance(state := states[lane.name], CexState)}
    positions = tuple(position for name, state in traded.items() for position in _positions(name, state))
    return ExchangeVenue(
        **totals(mine, states),
        fees_usd=usd(sum(state.fees_usd for state in traded.values())),
        borrow_usd=usd(sum(state.borrow_usd for state in traded.values())),
        borrow_rate_pct=percent(terms.borrow),
        positions=positions,
    )


def _positions(name: str, state: CexState) -> list[OpenPosition]:
    return [
        OpenPosition(
            lane=name,
            asset=asset,
            side="long" if holding.side > 0 else "short",
            quantity=round(abs(holding.quantity), 8),
            entry_price=round(holding.entry_price, 8),
            mark_price=state.marks[asset],
            pnl_usd=usd(
                holding.quantity * (state.marks[asset] - holding.entry_price)
                - holding.owed * state.marks[asset]
                - holding.fee_usd
            ),
            opened_at=iso(holding.opened_at),
            stop_price=rounded(holding.stop, 8),
        )
        for asset, holding in sorted(state.holdings.items())
    ]


def pool_venue(lanes: Sequence[BattleLane], states: Mapping[str, State]) -> PoolVenue:
    """The venue of the lanes in pools."""
    mine = [lane for lane in lanes if lane.venue == "dex"]
    providers = {lane.name: state for lane in mine if isinstance(state := states[lane.name], LpState)}
    return PoolVenue(
        **totals(mine, states),
        harvests=sum(state.harvests for state in providers.values()),
        switches=sum(state.switches for state in providers.values()),
        liquidity=tuple(_liquidity(name, state) for name, state in providers.items()),
    )


def _liquidity(name: str, state: LpState) -> Liquidity:
    result, position = attribution(state), state.position
    return Liquidity(
        lane=name,
        pool=position.pool.label if position else None,
        range_low=round(position.span.low, 8) if position else None,
        range_high=round(position.span.high, 8) if position else None,
        price=state.marks[position.pool.asset] if position else None,
        market_usd=usd(result.market_usd),
        divergence_usd=usd(result.divergence_usd),
        fees_usd=usd(result.fees_usd),
        uncollected_usd=usd(result.uncollected_usd),
        gas_usd=usd(result.gas_usd),
        swap_usd=usd(result.swap_usd),
        vs_hodl_pct=round(result.vs_hodl_pct, 4),
        in_range_pct=rounded(result.in_range_pct, 4),
    )
