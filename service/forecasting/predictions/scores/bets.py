"""A bet of the shadow book: 100 USD on the pool's side where it disagrees with the outside market."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from service.forecasting.predictions import Prediction

BetSide = Literal["yes", "no"]
BetStatus = Literal["open", "won", "lost", "void"]

STAKE_USD = 100.0
THRESHOLD_PTS = 3.0
FEE_RATE = 0.07
FEE = "0.07 x price x (1 - price) USD a contract: the taker fee that Kalshi publishes, assumed for every source"


@dataclass(frozen=True)
class Bet:
    """100 USD on one side of a market at `price` USD per contract.

    `cost` is USD per contract with the `fee`, `contracts` how many the stake buys, not always a whole number. `pnl` is
    the profit in USD, in whole cents: negative for a loss, 0 while the bet is open and if it is void.
    """

    side: BetSide
    price: float
    fee: float
    cost: float
    contracts: float
    status: BetStatus
    pnl: float


def bet_on(market: Prediction) -> Bet | None:
    """The bet on a market; None if there is none.

    There is no bet if the pool and the outside market differ by at most three percentage points, if the question names
    no event, or if the outside market has no price in (0, 1) for the pool's side: an ask for YES, a bid for NO.
    """
    commitment, odds = market.commitment, market.odds
    if commitment is None or odds is None or market.question.comparator == "open":
        return None
    # Rounded, because 0.53 - 0.5 is slightly above 0.03 in floating point.
    divergence = round(100 * (commitment.p - odds.p_yes), 6)
    if abs(divergence) <= THRESHOLD_PTS:
        return None
    side: BetSide = "yes" if divergence > 0 else "no"
    quote = odds.ask if side == "yes" else odds.bid
    if quote is None or not 0 < quote < 1:
        return None
    price = quote if side == "yes" else 1 - quote
    fee = FEE_RATE * price * (1 - price)
    contracts = STAKE_USD / (price + fee)
    status: BetStatus = "void" if market.settlement else "open"
    if market.outcome in ("yes", "no"):
        status = "won" if market.outcome == side else "lost"
    pnl = round({"won": contracts - STAKE_USD, "lost": -STAKE_USD}.get(status, 0.0), 2)
    return Bet(side, price, fee, price + fee, contracts, status, pnl)


def terms(bet: Bet) -> dict[str, Any]:
    """The fields of a bet that are published wherever one is, rounded."""
    return {
        "side": bet.side,
        "price": round(bet.price, 4),
        "contracts": round(bet.contracts, 4),
        "fee_usd": round(bet.contracts * bet.fee, 2),
        "stake_usd": STAKE_USD,
        "status": bet.status,
        "pnl_usd": None if bet.status == "open" else bet.pnl,
    }
