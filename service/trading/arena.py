"""The arena: every strategy in every asset, computed from a fixed bar on.

A backfill, catching up and a live tick are the same functions over more or fewer bars, so nothing of a strategy is
stored and a restart recomputes it. The anchor must never move: on a trailing window 0.4% of the decisions differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from service.market.assets import ASSETS
from service.market.bars import Bars, Prices, Times, empty, join
from service.market.instants import HOUR
from service.trading.accounts import TERMS, AccountTerms, TradeHistory, trade
from service.trading.ghosts import GHOSTS
from service.trading.performance import daily_equity, day_ends
from service.trading.rules.targets import Targets
from service.trading.strategies import STRATEGIES


@dataclass(frozen=True)
class Account:
    """One strategy or ghost in one asset.

    `targets` int8 (n,) are its decisions at the complete hours since the anchor, `daily` (days,) is its equity in USD
    at each 24:00 UTC since then, `equity` and `mark_price` are USD now (the price is None before the first bar).
    """

    asset: str
    targets: Targets
    history: TradeHistory
    daily: Prices
    equity: float
    mark_price: float | None


Accounts = Mapping[str, Account]


@dataclass(frozen=True)
class Arena:
    """All accounts at the unix second `as_of`, by key of the strategy or ghost and then by asset.

    `anchor` is the unix second of their start, `days` (days,) the ends of the UTC days since then.
    """

    anchor: int
    as_of: int
    days: Times
    strategies: Mapping[str, Accounts]
    ghosts: Mapping[str, Accounts]


@dataclass(frozen=True)
class Decisions:
    """What every strategy and ghost decides, by its key and then by asset.

    `hours` are the complete one-hour bars since the unix second `anchor`, by asset; targets are int8, one for each.
    """

    anchor: int
    hours: Mapping[str, Bars]
    strategies: Mapping[str, Mapping[str, Targets]]
    ghosts: Mapping[str, Mapping[str, Targets]]


def run(hours: Mapping[str, Bars], marks: Mapping[str, Bars], anchor: int, terms: AccountTerms = TERMS) -> Arena:
    """Run every strategy and ghost in every asset: `fill` of what they `decide`."""
    return fill(decide(hours, anchor), marks, terms)


def decide(hours: Mapping[str, Bars], anchor: int) -> Decisions:
    """The decisions of every strategy and ghost in every asset.

    `hours` are the complete one-hour bars since the unix second `anchor`; an asset without bars has no decisions.
    """
    decided = {asset: hours.get(asset, empty(HOUR)).since(anchor) for asset in ASSETS}
    peers = {asset: peers_of(asset, decided) for asset in ASSETS}
    return Decisions(
        anchor=anchor,
        hours=decided,
        strategies={
            key: {asset: strategy.decide(decided[asset], peers[asset]) for asset in strategy.assets}
            for key, strategy in STRATEGIES.items()
        },
        ghosts={key: {asset: ghost.decide(asset, decided[asset]) for asset in ASSETS} for key, ghost in GHOSTS.items()},
    )


def fill(decisions: Decisions, marks: Mapping[str, Bars], terms: AccountTerms = TERMS) -> Arena:
    """The accounts that follow these decisions.

    Parameters
    ----------
    decisions : Decisions
        An asset without bars has idle accounts.
    marks : Bars by asset
        The shorter bars the hours were made of. Only those after the last complete hour are used: they fill the
        decisions of its close and mark the accounts. Without them, as with hourly files, the last hour is the mark.
    """
    anchor, decided = decisions.anchor, decisions.hours
    later = {asset: _after(decided[asset], marks.get(asset, empty(HOUR)), anchor) for asset in ASSETS}
    as_of = max((bars.as_of for bars in (*decided.values(), *later.values()) if len(bars)), default=anchor)
    days = day_ends(anchor, as_of)
    filled = {asset: join([decided[asset], running_hour(later[asset])]) for asset in ASSETS}

    def accounts(by_asset: Mapping[str, Targets]) -> Accounts:
        return {
            asset: _account(asset, targets, trade(targets, filled[asset], terms), filled[asset], days)
            for asset, targets in by_asset.items()
        }

    return Arena(
        anchor=anchor,
        as_of=as_of,
        days=days,
        strategies={key: accounts(by_asset) for key, by_asset in decisions.strategies.items()},
        ghosts={key: accounts(by_asset) for key, by_asset in decisions.ghosts.items()},
    )


def peers_of(asset: str, bars: Mapping[str, Bars]) -> Prices:
    """Closes of the other assets with the trading hours of `asset`, at its bars: shape (assets, n), USD.

    A peer without a bar of that hour has its previous close, and NaN before its first. Assets with other trading
    hours are left out: metals have no prices over a weekend.
    """
    times = bars[asset].time
    calendar = ASSETS[asset].calendar
    others = [key for key in ASSETS if key != asset and ASSETS[key].calendar == calendar and key in bars]
    return np.array([_closes_at(bars[key], times) for key in others]).reshape(len(others), len(times))


def running_hour(marks: Bars) -> Bars:
    """`marks` as one bar of the hour that is still running, in which the first of them opens; empty without any."""
    if not len(marks):
        return empty(HOUR)
    return Bars(
        time=marks.time[:1] // HOUR * HOUR,
        open=marks.open[:1],
        high=marks.high.max(keepdims=True),
        low=marks.low.min(keepdims=True),
        close=marks.close[-1:],
        volume=marks.volume.sum(keepdims=True),
        step=HOUR,
    )


def _after(hours: Bars, marks: Bars, anchor: int) -> Bars:
    return marks.since(hours.as_of if len(hours) else anchor)


def _closes_at(bars: Bars, times: Times) -> Prices:
    """The last close available at the close of the bars that open at `times` (n,); NaN before the first."""
    if np.array_equal(bars.time, times):
        return bars.close
    return np.append(np.nan, bars.close)[np.searchsorted(bars.time, times, side="right")]


def _account(asset: str, targets: Targets, history: TradeHistory, bars: Bars, days: Times) -> Account:
    now = history.equity(bars.time[-1:], bars.close[-1:])
    return Account(
        asset=asset,
        targets=targets,
        history=history,
        daily=daily_equity(history, bars, days),
        equity=float(now[0]) if len(now) else history.terms.capital,
        mark_price=float(bars.close[-1]) if len(bars) else None,
    )
