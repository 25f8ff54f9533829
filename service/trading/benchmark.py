"""What buying and holding a lane's assets would have made since its start: the benchmark beside its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from service.market.bars import Bars, empty
from service.market.instants import HOUR
from service.trading.accounts import TERMS, AccountTerms
from service.trading.lanes import LANES, State
from service.trading.lanes.cex import CexLane
from service.trading.lanes.lp_state import InPool
from service.trading.pools import ASSUMED_POOLS

NONE = empty(HOUR)


def held_equity(
    assets: Sequence[str],
    hours: Mapping[str, Bars],
    marks: Mapping[str, Bars],
    since: int,
    terms: AccountTerms = TERMS,
) -> float:
    """USD in an account that bought `assets` in equal shares at the unix second `since` and holds them.

    Each is bought at the first open of `hours` from then on, with fee and slippage, and marked at the last close of
    `marks`, or of `hours` where there are no later ones. The share of an asset without a bar stays in cash.
    """
    if not assets:
        return terms.capital
    return terms.capital * sum(_growth(asset, hours, marks, since, terms) for asset in assets) / len(assets)


def _growth(asset: str, hours: Mapping[str, Bars], marks: Mapping[str, Bars], since: int, terms: AccountTerms) -> float:
    bought = hours.get(asset, NONE).since(since)
    if not len(bought):
        return 1.0
    last = marks.get(asset, NONE) if len(marks.get(asset, NONE)) else bought
    return terms.invested * float(last.close[-1]) / (float(bought.open[0]) * (1 + terms.slippage))


def held_assets(name: str, state: State) -> tuple[str, ...]:
    """The assets that the benchmark of the lane `name` holds.

    A lane on an exchange: those it trades. One that stays in a pool: the coin of that pool. One that chases the best
    pool: the coins of all it chooses among.
    """
    lane = LANES[name]
    if isinstance(lane, CexLane):
        return lane.assets
    if lane.chases:
        return tuple(dict.fromkeys(pool.asset for pool in ASSUMED_POOLS.values()))
    return (state.position.pool.asset,) if isinstance(state, InPool) else ()


def benchmarks(
    states: Mapping[str, State], hours: Mapping[str, Bars], marks: Mapping[str, Bars], terms: AccountTerms = TERMS
) -> dict[str, float]:
    """The benchmark of every lane in USD, by name, since the start of each."""
    return {
        name: held_equity(held_assets(name, state), hours, marks, state.started_at, terms)
        for name, state in states.items()
    }
