"""The simulated desk: headlines written from events in the bars by templates, for worlds without newspapers.

Every step looks back over windows of fixed length, so the events of an hour are the same however many bars lie before
or after it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from math import exp
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from service.forecasting.news.headline import Headline, headline
from service.market.assets import ASSETS, COINS, open_at
from service.market.bars import Bars, empty
from service.market.instants import DAY, HOUR
from service.scores.proper import Array

Flags = NDArray[np.bool_]

MONTH_H = 30 * 24  # bars: at least 30 days, more where the market closes
LOOK_BACK_H = MONTH_H + 5 * 24  # bars before the first hour
BIG_DAY = 2.0  # sigmas in 24 hours
BIG_BURST = 3.0  # sigmas in four hours
WILD_RATIO, CALM_RATIO = 1.8, 0.5  # the last day's hourly swings over the last month's
FLAT = 0.001  # log return between two weeks
QUIET_H = {"extreme": 24, "burst": 12, "day": 12, "level": 48, "range": 48}


@dataclass(frozen=True)
class PriceTrack:
    """One asset at the ends of its bars, shape (n,) each; NaN where the bars do not reach back far enough.

    `change` is the log return of a bar, `day` and `four` those over 24 and 4 hours, `day_sigmas` and `four_sigmas` the
    same over the hourly swings of the last month, `ratio` the last day's swings over the month's, `highest` and
    `lowest` the month's extremes before the bar, `level` the round price that was crossed.
    """

    time: NDArray[np.int64]
    close: Array
    change: Array
    day: Array
    day_sigmas: Array
    four: Array
    four_sigmas: Array
    ratio: Array
    highest: Array
    lowest: Array
    level: Array


def track(bars: Bars) -> PriceTrack:
    time, logs = bars.time + bars.step, np.log(bars.close)
    change = np.diff(logs, prepend=logs[0])
    squares = np.square(change)
    month = np.sqrt(_trailing(squares, MONTH_H, np.mean))
    day, day_bars = _move(time, logs, DAY)
    four, four_bars = _move(time, logs, 4 * HOUR)
    return PriceTrack(
        time=time,
        close=bars.close,
        change=change,
        day=day,
        day_sigmas=_ratio(day, month * np.sqrt(day_bars)),
        four=four,
        four_sigmas=_ratio(four, month * np.sqrt(four_bars)),
        ratio=_ratio(np.sqrt(_trailing(squares, 24, np.mean)), month),
        highest=np.append(np.nan, _trailing(bars.high, MONTH_H, np.max)[:-1]),
        lowest=np.append(np.nan, _trailing(bars.low, MONTH_H, np.min)[:-1]),
        level=_levels(bars.close),
    )


def events(asset: str, prices: PriceTrack, first: int) -> Iterator[tuple[int, str, int]]:
    """The events from the row `first` on: row, kind, and direction (1 up, -1 down, 0 neither).

    Of several events in one row it is the first in the order below. A kind is reported when it begins and not again
    during its quiet time.
    """
    # A market that only rests for an hour is open two hours before.
    opens = (np.diff(prices.time, prepend=prices.time[0]) > DAY) & ~open_at(asset, prices.time - 3 * HOUR)
    high, change = prices.close > prices.highest, prices.change
    is_flat, nowhere = np.abs(change) < FLAT, np.zeros(len(high))
    kinds = {
        "extreme": (high | (prices.close < prices.lowest), np.where(high, 1, -1)),
        "burst": (np.abs(prices.four_sigmas) >= BIG_BURST, np.sign(prices.four)),
        "day": (np.abs(prices.day_sigmas) >= BIG_DAY, np.sign(prices.day)),
        "level": (np.isfinite(prices.level), np.sign(change)),
        "range": ((prices.ratio >= WILD_RATIO) | (prices.ratio <= CALM_RATIO), nowhere),
        "week": (opens & ~is_flat, np.sign(change)),
        "flat_week": (opens & is_flat, nowhere),
    }
    is_taken = np.zeros(len(high), dtype=bool)
    for kind, (flags, direction) in kinds.items():
        begins = _begins(flags, QUIET_H.get(kind, 0)) & ~is_taken
        yield from ((int(row), kind, int(direction[row])) for row in np.flatnonzero(begins) if row >= first)
        is_taken |= begins


def _move(time: NDArray[np.int64], logs: Array, span: int) -> tuple[Array, NDArray[np.int64]]:
    """The log return over `span` seconds and its number of bars, from the last bar that ended by then."""
    start = np.searchsorted(time, time - span, side="right") - 1
    return np.where(start < 0, np.nan, logs - logs[start]), np.arange(len(time)) - start


def _trailing(values: Array, size: int, of: Callable[..., Array]) -> Array:
    """`of` the `size` values up to and including each row; NaN before there are as many."""
    result = np.full(len(values), np.nan)
    if len(values) >= size:
        result[size - 1 :] = of(sliding_window_view(values, size), axis=1)
    return result


def _ratio(values: Array, of: Array) -> Array:
    return np.divide(values, of, out=np.full(len(values), np.nan), where=of > 0)


def _begins(flags: Flags, span: int) -> Flags:
    """Where a flag is raised and was not in the `span` bars before."""
    counts = np.append(0, np.cumsum(flags))
    row = np.arange(len(flags))
    return flags & (counts[row] == counts[np.maximum(row - span, 0)])


def _levels(close: Array) -> Array:
    """The round price between each close and the one before, the nearest to the later one; NaN where none.

    Round is a multiple of 1, 2 or 5 times a power of ten, the largest that is at most a tenth of the close before.
    """
    before, after = close[:-1], close[1:]
    power = 10.0 ** np.floor(np.log10(before / 10))
    step = power * np.select([before / 10 >= 5 * power, before / 10 >= 2 * power], [5, 2], 1)
    level = np.round(np.where(after > before, np.floor(after / step), np.ceil(after / step)) * step, 8)
    is_crossed = (np.minimum(before, after) < level) & (level <= np.maximum(before, after))
    return np.append(np.nan, np.where(is_crossed, level, np.nan))


SOURCE = "Ninefold simulated desk"

# The UTC hours of the day at which coins are compared.
FIRST_AT, LAST_AT = 0, 16
LEAST_COINS = 3
LEAST_MOVE = 0.002  # log return of a day; smaller moves have no rank

_TEMPLATES = tomllib.loads(Path(__file__).with_name("templates.toml").read_text(encoding="utf-8"))
SENTENCES: dict[str, list[str]] = _TEMPLATES["sentences"]
WORDS: dict[int, dict[str, list[str]]] = {1: _TEMPLATES["up"], -1: _TEMPLATES["down"], 0: {}}  # by direction


class PriceEvent(NamedTuple):
    """An event in a row of an asset's track; `direction` is 1 up, -1 down or 0, `facts` are those not in the row."""

    asset: str
    row: int
    kind: str
    direction: int
    facts: dict[str, str]


def write(hourly: Mapping[str, Bars], since: int, until: int) -> list[Headline]:
    """The headlines after the unix second `since` and up to and including `until`, oldest first.

    A headline uses bars that were complete at its hour, and the asset and the hour choose its template: the same bars
    always give the same headlines, in one piece or in many. Most events need a month of bars.
    """
    tracks = {asset: track(bars) for asset in ASSETS if len(bars := _needed(hourly, asset, since, until))}
    price_events = [
        PriceEvent(asset, row, kind, direction, {})
        for asset, prices in tracks.items()
        for row, kind, direction in events(asset, prices, int(np.searchsorted(prices.time, since, side="right")))
    ]
    coins = {asset: tracks[asset] for asset in COINS if asset in tracks}
    for time in range(since - since % HOUR + HOUR, until + 1, HOUR):
        price_events += _of_coins(coins, time)
    order = list(ASSETS)
    price_events.sort(key=lambda event: (tracks[event.asset].time[event.row], order.index(event.asset)))
    return [_headline(tracks[event.asset], event) for event in price_events]


def _needed(hourly: Mapping[str, Bars], asset: str, since: int, until: int) -> Bars:
    bars = hourly.get(asset, empty(HOUR)).until(until)
    return bars[max(0, len(bars.until(since)) - LOOK_BACK_H) :]


def _of_coins(coins: Mapping[str, PriceTrack], time: int) -> Iterator[PriceEvent]:
    hour = time % DAY // HOUR
    if hour not in (FIRST_AT, LAST_AT):
        return
    moves: dict[str, tuple[float, int]] = {}
    for asset, prices in coins.items():
        row = int(np.searchsorted(prices.time, time))
        if row < len(prices.time) and prices.time[row] == time and np.isfinite(prices.day[row]):
            moves[asset] = float(prices.day[row]), row
    if len(moves) < LEAST_COINS:
        return
    asset = sorted(moves, key=lambda coin: moves[coin][0])[-1 if hour == FIRST_AT else 0]
    move, row = moves[asset]
    if abs(move) >= LEAST_MOVE:
        rank = {"rank": "first" if hour == FIRST_AT else "last", "count": str(len(moves))}
        yield PriceEvent(asset, row, "rank", int(np.sign(move)), rank)


def _headline(prices: PriceTrack, event: PriceEvent) -> Headline:
    """The headline of an event with its facts as they are printed; asset, time and kind draw sentence and words."""
    asset, row, kind, direction, facts = event
    time, moves = int(prices.time[row]), {"burst": prices.four, "week": prices.change}
    sigmas = prices.four_sigmas if kind == "burst" else prices.day_sigmas
    facts = facts | {
        "name": ASSETS[asset].name,
        "price": price(prices.close[row]),
        "pct": percent(moves.get(kind, prices.day)[row]),
        "sigmas": f"{abs(sigmas[row]):.1f}",
        "ratio": f"{prices.ratio[row]:.1f}",
        "level": f"{prices.level[row]:,.10g}",
    }
    digest = sha256(f"{asset} {time} {kind}".encode()).digest()
    words = {slot: choices[digest[4] % len(choices)] for slot, choices in WORDS[direction].items()}
    sentences = SENTENCES[kind]
    title = sentences[int.from_bytes(digest[:4]) % len(sentences)].format_map(words | facts)
    return headline(title[0].upper() + title[1:], SOURCE, time, simulated=True)


def price(value: float) -> str:
    """USD as a headline prints it: whole dollars from a thousand on, four decimals under ten."""
    return f"${value:,.0f}" if value >= 1000 else f"${value:,.2f}" if value >= 10 else f"${value:,.4f}"


def percent(move: float) -> str:
    """The size of a log return in percent to one decimal."""
    return f"{100 * abs(exp(move) - 1):.1f}%"
