"""The arena: every strategy in every asset, computed from a fixed bar on.

A backfill, catching up and a live tick are the same functions over more or fewer bars, so nothing of a strategy is
stored and a restart recomputes it. An arena is carried on over later bars from where it stood, with the same result to
the bit. Decisions are made in blocks of 90 days, and bars older than 180 days before a block never count. The bounds of
blocks never move, unlike those of a trailing window, on which 0.4% of the decisions differ. On the recorded bars blocks
change no decision (a test); a position without any signal for longer than 180 days may change at a bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from service.market.assets import ASSETS
from service.market.bars import Bars, Prices, Times, empty
from service.market.instants import DAY, HOUR
from service.trading.accounts import TERMS, AccountTerms, Targets, TradeHistory, carry_on, unused_account
from service.trading.performance import daily_equity, day_ends
from service.trading.strategies import GHOSTS, STRATEGIES

BLOCK_S = 90 * DAY
SEEN_BEFORE_S = 180 * DAY  # of bars before a block, on which its decisions may depend

NO_TARGETS: Targets = np.zeros(0, np.int8)


@dataclass(frozen=True)
class Account:
    """One strategy or ghost in one asset.

    `daily` (days,) is its equity in USD at each 24:00 UTC since the anchor, marked at the last hour complete by then;
    `equity` and `mark_price` are USD now (the price is None before the first bar).
    """

    asset: str
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
    accounts: Mapping[str, Accounts]

    @property
    def strategies(self) -> dict[str, Accounts]:
        return {key: self.accounts[key] for key in STRATEGIES}

    @property
    def terms(self) -> AccountTerms:
        return next((account.history.terms for account in self.accounts["buy_and_hold"].values()), TERMS)

    @property
    def assets(self) -> tuple[str, ...]:
        return tuple(self.accounts["buy_and_hold"])

    def traded(self) -> Arena:
        """The arena without the accounts in assets that never had a bar."""
        benchmark = self.accounts["buy_and_hold"]
        assets = [asset for asset in benchmark if benchmark[asset].mark_price is not None]
        accounts = {key: {asset: by_asset[asset] for asset in assets} for key, by_asset in self.accounts.items()}
        return replace(self, accounts=accounts)


Decisions = Mapping[str, Mapping[str, Targets]]  # by key of the strategy or ghost, then by asset


def run(hours: Mapping[str, Bars], marks: Mapping[str, Bars], anchor: int, terms: AccountTerms = TERMS) -> Arena:
    """Every strategy and ghost in every asset since the unix second `anchor`, marked within the running hour."""
    return mark(advance(unused_arena(anchor, terms), hours), hours, marks)


def unused_arena(anchor: int, terms: AccountTerms = TERMS) -> Arena:
    """The accounts at the unix second `anchor`, before the first bar."""
    unused_accounts = {
        asset: Account(asset, unused_account(terms), np.zeros(0), terms.capital, None) for asset in ASSETS
    }
    return Arena(anchor, anchor, day_ends(anchor, anchor), dict.fromkeys((*STRATEGIES, *GHOSTS), unused_accounts))


def advance(before: Arena, hours: Mapping[str, Bars]) -> Arena:
    """The arena `before`, which was not marked within an hour, after the later ones of `hours`.

    `hours` are the complete one-hour bars since its anchor; an asset without bars has unused accounts.
    """
    arena, complete_hours = before, _since(before.anchor, hours)
    end = end_of(complete_hours, default=before.as_of)
    while arena.as_of < end:
        block = block_start(arena.anchor, arena.as_of)
        block_end = min(end, block + BLOCK_S)
        window = {asset: bars.since(block - SEEN_BEFORE_S).until(block_end) for asset, bars in complete_hours.items()}
        new_bars = {asset: bars.since(arena.as_of) for asset, bars in window.items()}
        arena = _with_bars(arena, complete_hours, new_bars, decide(window, since=arena.as_of), block_end)
    return arena


def mark(arena: Arena, hours: Mapping[str, Bars], marks: Mapping[str, Bars]) -> Arena:
    """The arena, which has advanced over all of `hours`, within the hour that is still running.

    `marks` are the shorter bars the hours were made of. Only those after the last complete hour are used: they fill the
    decisions of its close and mark the accounts. Without them, as with hourly files, the last hour is the mark.
    """
    complete_hours = _since(arena.anchor, hours)
    new_marks = {
        asset: marks.get(asset, empty(HOUR)).since(bars.as_of if len(bars) else arena.anchor)
        for asset, bars in complete_hours.items()
    }
    running_bars = {asset: running_hour(bars) for asset, bars in new_marks.items()}
    return _with_bars(arena, complete_hours, running_bars, {}, max(arena.as_of, end_of(new_marks, default=arena.as_of)))


def block_start(anchor: int, instant: int) -> int:
    """The unix second at which the block of decisions with `instant` begins; one begins at the first full hour."""
    first = anchor + -anchor % HOUR
    return instant - (instant - first) % BLOCK_S


def end_of(bars: Mapping[str, Bars], default: int) -> int:
    """The unix second at which the last of the bars of all assets was complete; `default` without any."""
    return max((history.as_of for history in bars.values() if len(history)), default=default)


def decide(hours: Mapping[str, Bars], since: int) -> Decisions:
    """What every strategy and ghost decides at the bars among `hours` that open at the unix second `since` or later.

    Targets are int8, one for each of these bars of the asset.
    """
    peers = {asset: peers_of(asset, hours) for asset in ASSETS}
    first = {asset: int(np.searchsorted(bars.time, since)) for asset, bars in hours.items()}
    targets = {
        key: {asset: strategy.decide(hours[asset], peers[asset]) for asset in ASSETS}
        for key, strategy in STRATEGIES.items()
    }
    targets |= {key: {asset: ghost.decide(asset, hours[asset]) for asset in ASSETS} for key, ghost in GHOSTS.items()}
    return {
        key: {asset: decisions[first[asset] :] for asset, decisions in by_asset.items()}
        for key, by_asset in targets.items()
    }


def peers_of(asset: str, bars: Mapping[str, Bars]) -> Prices:
    """Closes of the other assets with the trading hours of `asset`, at its bars: shape (assets, n), USD.

    A peer without a bar of that hour has its previous close, and NaN before its first. Assets with other trading
    hours are left out: metals have no prices over a weekend.
    """
    times, calendar = bars[asset].time, ASSETS[asset].calendar
    others = [bars[key] for key in ASSETS if key != asset and ASSETS[key].calendar == calendar and key in bars]
    closes = [np.append(np.nan, peer.close)[np.searchsorted(peer.time, times, side="right")] for peer in others]
    return np.array(closes).reshape(len(others), len(times))


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


def _since(anchor: int, hours: Mapping[str, Bars]) -> dict[str, Bars]:
    """The hours of each asset since the anchor, none where there are none."""
    return {asset: hours.get(asset, empty(HOUR)).since(anchor) for asset in ASSETS}


def _with_bars(
    before: Arena, complete_hours: Mapping[str, Bars], new_bars: Mapping[str, Bars], decisions: Decisions, as_of: int
) -> Arena:
    """The arena at the unix second `as_of`, after new bars; days end with the last of the complete hours."""
    days = day_ends(before.anchor, as_of)
    new_days = days[len(before.days) :]
    accounts = {}
    for key, by_asset in before.accounts.items():
        targets = decisions.get(key, dict.fromkeys(by_asset, NO_TARGETS))
        accounts[key] = {
            asset: _carried_on(account, targets[asset], new_bars[asset], complete_hours[asset], new_days)
            for asset, account in by_asset.items()
        }
    return Arena(before.anchor, as_of, days, accounts)


def _carried_on(account: Account, targets: Targets, new_bars: Bars, complete_hours: Bars, days: Times) -> Account:
    """The account after new bars, with its equity at the ends of further `days`."""
    history = carry_on(account.history, targets, new_bars)
    daily = np.append(account.daily, daily_equity(history, complete_hours, days)) if len(days) else account.daily
    if not len(new_bars):
        return replace(account, daily=daily)
    equity = float(history.equity(new_bars.time[-1:], new_bars.close[-1:])[0])
    return Account(account.asset, history, daily, equity, mark_price=float(new_bars.close[-1]))


@dataclass(frozen=True)
class NetPosition:
    """The numbers of strategies that are long, short and flat in one asset."""

    long: int
    short: int
    flat: int


def net_positions(arena: Arena) -> dict[str, NetPosition]:
    """The net position in each asset now. A decision that no bar has filled yet does not count."""
    positions = {}
    for asset in arena.assets:
        histories = [accounts[asset].history for accounts in arena.strategies.values()]
        sides = [int(history.side[-1]) for history in histories if history.is_open]
        positions[asset] = NetPosition(sides.count(1), sides.count(-1), len(histories) - len(sides))
    return positions


def net_history(arena: Arena, asset: str) -> dict[int, NetPosition]:
    """The net position of `asset` at each full hour after the anchor and not after `as_of`, by its unix second.

    It is the position held until that second, before the decisions of that second are filled. Later bars never change
    it, and at `as_of` it is that of `net_positions`.
    """
    times = np.arange(arena.anchor - arena.anchor % HOUR + HOUR, arena.as_of + 1, HOUR, dtype=np.int64)
    histories = [accounts[asset].history for accounts in arena.strategies.values()]
    counts: list[list[int]] = []
    for side in (1, -1):
        entries = np.concatenate([history.entry_time[history.side == side] for history in histories])
        left = np.concatenate([history.exit_time[history.side[: history.closed] == side] for history in histories])
        counts.append((np.searchsorted(np.sort(entries), times) - np.searchsorted(np.sort(left), times)).tolist())
    rows = zip(times.tolist(), *counts, strict=True)
    return {time: NetPosition(long, short, len(histories) - long - short) for time, long, short in rows}
