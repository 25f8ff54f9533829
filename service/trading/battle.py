"""The Bot Battle: its lanes and its two venues as a document and as rows of a CSV file, beside buying and holding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from service.documents import Document, DocumentHeader, percent, rounded, usd
from service.market.bars import Bars, empty
from service.market.instants import DAY, HOUR, iso
from service.tabular import Table, table_of
from service.trading.accounts import TERMS, AccountTerms
from service.trading.lanes import LANES, AnyLane, CexState, LpState, State
from service.trading.lanes.cex import CexLane
from service.trading.lanes.lane import Status, Venue
from service.trading.lanes.lp_state import attribution
from service.trading.pools import ASSUMED_POOLS

HISTORY = "/api/v1/bot-battle/history"
NO_BARS = empty(HOUR)


@dataclass(frozen=True)
class BattleLane:
    """One lane: USD, percent, closed positions. Fields of liquidity pools are null for a lane on an exchange.

    `apr_avg_pct` relates the fees earned to the equity while in a pool, in percent a year: it is gross. `net_apr_pct`
    is the same after divergence, gas and swaps, against holding the coins. `profit_factor` is the sum of the profits of
    the `trades` over that of their losses, null without a loss. `mode` is `paper`; in a pool it names the source of the
    pool's data. `last_tick` is the end of the last bar the lane processed. `benchmark_pnl_pct` is the result of buying
    and holding since the lane's start, in equal shares: the assets that a lane on an exchange trades, the coin of the
    pool a lane stays in, or the coins of all pools it chooses among.
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
    net_apr_pct: float | None
    profit_factor: float | None
    benchmark_pnl_pct: float


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
    side: Literal["long", "short"]
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


@dataclass(frozen=True)
class BattleSummary(Totals):
    """Totals of all lanes, and the names of the best and the worst by `pnl_pct`."""

    best_lane: str
    worst_lane: str


@dataclass(frozen=True)
class RateLimit:
    """The limit of public telemetry: calls in a window of seconds, counted per `scope`."""

    limit: int
    window_s: int
    scope: str


@dataclass(frozen=True)
class BattleDocument(Document):
    """The document of GET /api/v1/bot-battle.

    The lanes began at `started_at`; what they did before the first start of the service, `live_since`, is backfilled.
    """

    summary: BattleSummary
    lanes: tuple[BattleLane, ...]
    venues: Venues
    rate_limit: RateLimit
    started_at: str
    live_since: str


def describe(
    states: Mapping[str, State],
    benchmarks: Mapping[str, float],
    header: DocumentHeader,
    rate_limit: RateLimit,
    live_since: int,
    terms: AccountTerms = TERMS,
) -> BattleDocument:
    """The document from the state of every lane and its benchmark in USD, by name; `live_since` is a unix second."""
    lanes = tuple(lane_row(lane, states[name], benchmarks[name]) for name, lane in LANES.items())
    traders = {name: state for name in LANES if isinstance(state := states[name], CexState)}
    providers = {name: state for name in LANES if isinstance(state := states[name], LpState)}
    exchange = ExchangeVenue(
        **totals([lane for lane in lanes if lane.name in traders], states),
        fees_usd=usd(sum(state.fees_usd for state in traders.values())),
        borrow_usd=usd(sum(state.borrow_usd for state in traders.values())),
        borrow_rate_pct=percent(terms.borrow),
        positions=tuple(position for name, state in traders.items() for position in _positions(name, state)),
    )
    pools = PoolVenue(
        **totals([lane for lane in lanes if lane.name in providers], states),
        harvests=sum(state.harvests for state in providers.values()),
        switches=sum(state.switches for state in providers.values()),
        liquidity=tuple(_liquidity(name, state) for name, state in providers.items()),
    )
    ranking = sorted(lanes, key=lambda lane: (-lane.pnl_pct, lane.name))
    return BattleDocument(
        schema="bot-battle/1",
        **vars(header),
        summary=BattleSummary(**totals(lanes, states), best_lane=ranking[0].name, worst_lane=ranking[-1].name),
        lanes=lanes,
        venues=Venues(exchange, pools),
        rate_limit=rate_limit,
        started_at=iso(min(state.started_at for state in states.values())),
        live_since=iso(live_since),
    )


def table(battle: BattleDocument, venue: str = "all") -> Table:
    """The rows of the CSV file: all lanes, or those of one venue, with the world as their last column."""
    return table_of(BattleLane, [lane for lane in battle.lanes if venue in ("all", lane.venue)], world=battle.world)


def lane_row(lane: AnyLane, state: State, benchmark: float) -> BattleLane:
    """The row of a lane after its last bar; `benchmark` is USD now, from the same capital."""
    has_bars = state.as_of > state.started_at
    liquidity = state if isinstance(state, LpState) else None
    position = liquidity.position if liquidity else None
    # Before a whole day in a pool annualising is meaningless.
    sources = attribution(liquidity) if liquidity and liquidity.seconds >= DAY else None
    return BattleLane(
        venue=lane.venue,
        name=lane.name,
        label=lane.label,
        logic=lane.logic,
        mode=f"paper-{position.pool.source}" if position else "paper",
        active=has_bars and not (isinstance(state, CexState) and state.halted),
        status=state.status,
        initial_capital=usd(TERMS.capital),
        capital=usd(state.equity),
        pnl_pct=percent(state.equity / TERMS.capital - 1),
        pnl_usd=usd(state.equity - TERMS.capital),
        trades=state.trades,
        win_rate_pct=percent(state.wins / state.trades) if state.trades else None,
        apr_avg_pct=rounded(sources.fee_apr_pct, 4) if sources else None,
        harvest_count=liquidity.harvests if liquidity else None,
        switch_count=liquidity.switches if liquidity else None,
        current_pool=position.pool.label if position else None,
        positions_count=int(position is not None) if liquidity else None,
        last_tick=iso(state.as_of) if has_bars else None,
        api_path=f"{HISTORY}?lane={lane.name}",
        bot_id=lane.bot_id,
        net_apr_pct=rounded(sources.net_apr_pct, 4) if sources else None,
        profit_factor=round(state.won_usd / state.lost_usd, 4) if state.lost_usd else None,
        benchmark_pnl_pct=percent(benchmark / TERMS.capital - 1),
    )


def totals(lanes: Sequence[BattleLane], states: Mapping[str, State]) -> dict[str, Any]:
    """The fields of Totals for some lanes."""
    mine = [states[lane.name] for lane in lanes]
    initial, capital = TERMS.capital * len(mine), sum(state.equity for state in mine)
    trades, wins = sum(state.trades for state in mine), sum(state.wins for state in mine)
    return {
        "lanes": len(lanes),
        "active": sum(lane.active for lane in lanes),
        "initial_capital": usd(initial),
        "capital": usd(capital),
        "pnl_usd": usd(capital - initial),
        "pnl_pct": percent(capital / initial - 1),
        "trades": trades,
        "win_rate_pct": percent(wins / trades) if trades else None,
        "benchmark_pnl_pct": round(sum(lane.benchmark_pnl_pct for lane in lanes) / len(lanes), 4),
    }


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


def _liquidity(name: str, state: LpState) -> Liquidity:
    sources, position = vars(attribution(state)), state.position
    return Liquidity(
        lane=name,
        pool=position.pool.label if position else None,
        range_low=round(position.span.low, 8) if position else None,
        range_high=round(position.span.high, 8) if position else None,
        price=state.marks[position.pool.asset] if position else None,
        **{name: usd(amount) for name, amount in sources.items() if name.endswith("_usd")},
        vs_hodl_pct=round(sources["vs_hodl_pct"], 4),
        in_range_pct=rounded(sources["in_range_pct"], 4),
    )


def benchmarks(
    states: Mapping[str, State], hours: Mapping[str, Bars], marks: Mapping[str, Bars], terms: AccountTerms = TERMS
) -> dict[str, float]:
    """The benchmark of every lane in USD, by name, since the start of each."""
    return {
        name: held_equity(held_assets(name, state), hours, marks, state.started_at, terms)
        for name, state in states.items()
    }


def held_assets(name: str, state: State) -> tuple[str, ...]:
    """The assets that the benchmark of the lane `name` holds; see BattleLane."""
    lane = LANES[name]
    if isinstance(lane, CexLane):
        return lane.assets
    if lane.chases:
        return tuple(dict.fromkeys(pool.asset for pool in ASSUMED_POOLS.values()))
    return (state.position.pool.asset,) if isinstance(state, LpState) and state.position else ()


def held_equity(
    assets: Sequence[str], hours: Mapping[str, Bars], marks: Mapping[str, Bars], since: int, terms: AccountTerms = TERMS
) -> float:
    """USD in an account that bought `assets` in equal shares at the unix second `since` and holds them.

    Each is bought at the first open of `hours` from then on, with fee and slippage, and marked at the last close of
    `marks`, or of `hours` where there are no later ones. The share of an asset without a bar stays in cash.
    """
    if not assets:
        return terms.capital
    growths = []
    for asset in assets:
        held_bars = hours.get(asset, NO_BARS).since(since)
        if not len(held_bars):
            growths.append(1.0)
            continue
        last = np.append(held_bars.close, marks.get(asset, NO_BARS).close)[-1]
        growths.append(terms.invested * float(last) / (float(held_bars.open[0]) * (1 + terms.slippage)))
    return terms.capital * sum(growths) / len(assets)
