"""What a lane that provides liquidity is between two bars, and the truth about what it made.

Fees are US dollars and lie beside the position until they are harvested. One quote coin is one US dollar.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from service.market.instants import DAY
from service.trading import amm
from service.trading.lanes.lane import Event, Lane, Status
from service.trading.performance import DAYS_A_YEAR
from service.trading.pools import Pool

YEAR = DAYS_A_YEAR * DAY


@dataclass(frozen=True)
class LpLane(Lane):
    """A lane with ranges from price / `factor` to price x `factor`, that `chases` the best pool or stays."""

    factor: float
    chases: bool


@dataclass(frozen=True)
class Position:
    """Liquidity in a pool between two prices.

    `base` and `quote` are the coins that were put in, worth `deposited_usd` then: what holding them would be.
    `stake_usd` is the cash the position was made from. `uncollected_usd` are its fees since the last harvest.
    `outside_since` is the end of the first hour of those the price has been out of range.
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
        """USD that the coins put in would be worth at `price` had they been held."""
        return self.base * price + self.quote


@dataclass(frozen=True)
class Plan:
    """What was decided at the last hour's close; `pool` is the key of the one to be in after it."""

    kind: Literal["enter", "harvest", "switch", "recentre"]
    pool: str


@dataclass(frozen=True)
class LpState:
    """All there is to a lane after the bar that was complete at the unix second `as_of`.

    USD: `cash` outside any pool, `equity` with everything; since the start `fees_usd` earned, `gas_usd` and
    `swap_usd` (pool fee and slippage) paid; of closed positions `divergence_usd` (against holding the coins) and
    `market_usd` (what holding them made). `marks` are the last closes of ether and of the pool's asset. `seconds` in
    pools, `seconds_inside` of them in range, `usd_seconds` the equity over them. A trade is a position that was
    closed. `events` are of this bar alone.
    """

    lane: str
    started_at: int
    as_of: int
    cash: float
    equity: float
    capital: float
    marks: Mapping[str, float]
    position: Position | None = None
    plan: Plan | None = None
    switched_at: int = 0
    fees_usd: float = 0.0
    gas_usd: float = 0.0
    swap_usd: float = 0.0
    divergence_usd: float = 0.0
    market_usd: float = 0.0
    seconds: float = 0.0
    seconds_inside: float = 0.0
    usd_seconds: float = 0.0
    trades: int = 0
    wins: int = 0
    harvests: int = 0
    switches: int = 0
    events: tuple[Event, ...] = ()

    @property
    def status(self) -> Status:
        """What the lane is doing: a harvest or switch that was decided counts until the next bar has carried it out."""
        if self.position is None:
            return "waiting"
        doing = {"harvest": "harvesting", "switch": "switching"}
        return doing.get(self.plan.kind, "in_lp") if self.plan else "in_lp"


@dataclass(frozen=True)
class Truth:
    """Where the result of a lane comes from: the five USD amounts add up to its PnL.

    `market_usd` is what holding the coins made, `divergence_usd` what the pool made of them instead, `fees_usd` what
    it earned, less `gas_usd` and `swap_usd`. `vs_hodl_pct` is the equity against having held the same coins for
    nothing; `fee_apr_pct` the fees on the equity while it was in a pool, in percent a year.
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


def truth(state: LpState) -> Truth:
    """The books of a lane at its last bar; percentages of time are None before it has been in a pool."""
    divergence, market, uncollected = state.divergence_usd, state.market_usd, 0.0
    if state.position:
        position, price = state.position, state.marks[state.position.pool.asset]
        divergence += position.value(price) - position.held(price)
        market += position.held(price) - position.deposited_usd
        uncollected = position.uncollected_usd
    return Truth(
        market_usd=market,
        divergence_usd=divergence,
        fees_usd=state.fees_usd,
        uncollected_usd=uncollected,
        gas_usd=state.gas_usd,
        swap_usd=state.swap_usd,
        vs_hodl_pct=100 * (state.equity / (state.capital + market) - 1),
        in_range_pct=100 * state.seconds_inside / state.seconds if state.seconds else None,
        fee_apr_pct=100 * state.fees_usd / state.usd_seconds * YEAR if state.seconds else None,
    )
