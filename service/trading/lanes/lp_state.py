"""The state of a liquidity lane between two bars, and where its profit or loss comes from.

A lane has all its capital in cash or in one position. Fees are US dollars and stay beside the position until they are
harvested. One quote coin counts as one US dollar.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from service.market.instants import DAY
from service.trading import amm
from service.trading.lanes.lane import LaneState, Status
from service.trading.performance import DAYS_A_YEAR
from service.trading.pools import Pool

YEAR = DAYS_A_YEAR * DAY

PlanKind = Literal["enter", "harvest", "switch", "recentre"]
_PLAN_STATUS: dict[PlanKind, Status] = {"harvest": "harvesting", "switch": "switching"}


@dataclass(frozen=True)
class PoolPosition:
    """Liquidity in a pool between two prices.

    `base` and `quote` are the coins deposited, worth `deposited_usd` at that time: the benchmark of holding them.
    `stake_usd` is the cash the position was made from. `uncollected_usd` are its fees since the last harvest.
    `outside_since` is the end of the first hour since which the price has been out of range.
    """

    pool: Pool
    span: amm.Range
    liquidity: float
    base: float
    quote: float
    deposited_usd: float
    stake_usd: float
    opened_at: int
    uncollected_usd: float = 0.0
    outside_since: int | None = None

    def value(self, price: float) -> float:
        """USD in the range at `price`, without uncollected fees."""
        return self.liquidity * amm.unit_value(price, self.span)

    def held(self, price: float) -> float:
        """USD that the deposited coins would be worth at `price` had they been held."""
        return self.base * price + self.quote


@dataclass(frozen=True)
class Plan:
    """A decision of the last hour's close; `pool` is the key of the pool the lane will be in once it is executed."""

    kind: PlanKind
    pool: str


@dataclass(frozen=True, kw_only=True)
class LpState(LaneState):
    """The whole state of a lane after its last bar; `position` is None outside any pool.

    USD: `cash` outside any pool; since the start `fees_usd` earned, and `gas_usd` and `swap_usd` (pool fee and
    slippage) paid; of closed positions `divergence_usd` (result against holding the coins) and `market_usd` (result of
    holding them). `marks` are the last closes of ether and of the pool's asset. `seconds` is the time in pools,
    `seconds_inside` the part of it in range, `usd_seconds` the integral of equity over it.
    """

    capital: float
    marks: Mapping[str, float]
    plan: Plan | None = None
    switched_at: int = 0
    gas_usd: float = 0.0
    swap_usd: float = 0.0
    divergence_usd: float = 0.0
    market_usd: float = 0.0
    seconds: float = 0.0
    seconds_inside: float = 0.0
    usd_seconds: float = 0.0
    harvests: int = 0
    switches: int = 0
    position: PoolPosition | None = None

    @property
    def status(self) -> Status:
        """A planned harvest or switch is the status until the next bar has executed it."""
        if self.position is None:
            return "waiting"
        return _PLAN_STATUS.get(self.plan.kind, "in_lp") if self.plan else "in_lp"


@dataclass(frozen=True)
class PnlAttribution:
    """The sources of a lane's profit or loss; it is the sum of the first three amounts less `gas_usd` and `swap_usd`.

    `market_usd` is the result of holding the coins, `divergence_usd` the result of the pool against holding them,
    `fees_usd` the fees earned. `vs_hodl_pct` is the equity against having held the same coins at no cost.
    `fee_apr_pct` relates the fees to the equity while in a pool, in percent a year; `net_apr_pct` the fees after
    divergence, gas and swaps, which is what the pool earned beyond holding the coins.
    """

    market_usd: float
    divergence_usd: float
    fees_usd: float
    uncollected_usd: float
    gas_usd: float
    swap_usd: float
    vs_hodl_pct: float
    in_range_pct: float | None
    fee_apr_pct: float | None
    net_apr_pct: float | None


def attribution(state: LpState) -> PnlAttribution:
    """The sources of a lane's result at its last bar; rates and shares are None before any position."""
    divergence, market, uncollected = state.divergence_usd, state.market_usd, 0.0
    if position := state.position:
        price = state.marks[position.pool.asset]
        divergence += position.value(price) - position.held(price)
        market += position.held(price) - position.deposited_usd
        uncollected = position.uncollected_usd
    return PnlAttribution(
        market_usd=market,
        divergence_usd=divergence,
        fees_usd=state.fees_usd,
        uncollected_usd=uncollected,
        gas_usd=state.gas_usd,
        swap_usd=state.swap_usd,
        vs_hodl_pct=100 * (state.equity / (state.capital + market) - 1),
        in_range_pct=100 * state.seconds_inside / state.seconds if state.seconds else None,
        fee_apr_pct=_apr_pct(state, state.fees_usd),
        net_apr_pct=_apr_pct(state, state.fees_usd + divergence - state.gas_usd - state.swap_usd),
    )


def _apr_pct(state: LpState, earned_usd: float) -> float | None:
    """What was earned in relation to the equity while in a pool, in percent a year."""
    return 100 * earned_usd / state.usd_seconds * YEAR if state.seconds else None
