"""One bet of the shadow book: 100 USD on the pool's side where it disagrees with the outside market."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from service.forecasting.predictions import Settlement
from service.forecasting.predictions.opened import Opened
from service.forecasting.predictions.outside import SOURCE as SIMULATED
from service.forecasting.resolution import Outcome
from service.market.instants import iso

Side = Literal["yes", "no"]
Status = Literal["open", "won", "lost", "void"]

STAKE_USD = 100.0
THRESHOLD_PTS = 3.0
FEE_RATE = 0.07
FEE = "0.07 x price x (1 - price) USD a contract: the taker fee that Kalshi publishes, assumed for every source"


@dataclass(frozen=True)
class ShadowBet:
    """One bet: `price` is what the market asked for a contract that pays 1 USD, before the fee.

    The stake pays for the contracts and their fee; a void market returns it. `pnl_usd` is null while it is open.
    """

    market_id: str
    question: str
    asset: str
    backfilled: bool
    side: Side
    p_ai: float
    p_market: float
    price: float
    contracts: float
    fee_usd: float
    stake_usd: float
    opened_at: str
    deadline: str
    status: Status
    outcome: Outcome | None
    pnl_usd: float | None
    source: str
    simulated: bool


@dataclass(frozen=True)
class Bet:
    """100 USD on one side of a market, at `price` a contract."""

    on: Opened
    side: Side
    price: float
    settlement: Settlement | None

    @property
    def fee(self) -> float:
        """USD a contract."""
        return FEE_RATE * self.price * (1 - self.price)

    @property
    def cost(self) -> float:
        """USD a contract, its fee included."""
        return self.price + self.fee

    @property
    def contracts(self) -> float:
        """How many the stake buys; they may be fractions."""
        return STAKE_USD / self.cost

    @property
    def status(self) -> Status:
        """What has become of it."""
        if self.settlement is None:
            return "open"
        if self.settlement.outcome == "void":
            return "void"
        return "won" if self.settlement.outcome == self.side else "lost"

    @property
    def pnl(self) -> float:
        """USD won or lost; 0 for a void one, and while it is open."""
        return {"won": self.contracts - STAKE_USD, "lost": -STAKE_USD}.get(self.status, 0.0)


def bet_on(one: Opened, settlement: Settlement | None) -> Bet | None:
    """The bet that a market invited to, or None.

    There is none where the two differ by no more than three points, where the question names no event, and where
    nobody asked a price in (0, 1) for the pool's side: an ask for YES, a bid for NO.
    """
    if one.commitment is None or one.odds is None or one.market.question.comparator == "open":
        return None
    divergence = round(100 * (one.commitment.p - one.odds.p_yes), 6)  # .53 - .5 is a little more than .03
    if abs(divergence) <= THRESHOLD_PTS:
        return None
    side: Side = "yes" if divergence > 0 else "no"
    quote = one.odds.ask if side == "yes" else one.odds.bid
    if quote is None or not 0 < quote < 1:
        return None
    return Bet(one, side, quote if side == "yes" else 1 - quote, settlement)


def told(bet: Bet) -> ShadowBet:
    """A bet as it is published."""
    market, odds = bet.on.market, bet.on.odds
    return ShadowBet(
        market_id=market.id,
        question=market.question.text,
        asset=market.question.asset,
        backfilled=market.backfilled,
        side=bet.side,
        p_ai=round(bet.on.commitment.p, 4),
        p_market=round(odds.p_yes, 4),
        price=round(bet.price, 4),
        contracts=round(bet.contracts, 4),
        fee_usd=round(bet.contracts * bet.fee, 2),
        stake_usd=STAKE_USD,
        opened_at=iso(bet.on.commitment.voted_at),
        deadline=iso(market.deadline),
        status=bet.status,
        outcome=bet.settlement.outcome if bet.settlement else None,
        pnl_usd=round(bet.pnl, 2) if bet.settlement else None,
        source=odds.source,
        simulated=odds.source == SIMULATED,
    )
