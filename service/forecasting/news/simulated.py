"""The simulated desk: headlines written from the bars by templates, for worlds without newspapers."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from hashlib import sha256
from math import exp
from pathlib import Path
from typing import NamedTuple

import numpy as np

from service.forecasting.news.headline import Headline, headline
from service.forecasting.news.price_events import LOOK_BACK_H, STREAKS, PriceTrack, events, streak, track
from service.market.assets import ASSETS
from service.market.bars import Bars, empty
from service.market.instants import DAY, HOUR

SOURCE = "Ninefold simulated desk"

# The UTC hours of the day at which coins are compared.
FIRST_AT, BREADTH_AT, LAST_AT = 0, 8, 16
LEAST_COINS = 3
LEAST_MOVE = 0.002  # log return of a day; smaller moves have no rank
ORDINALS = {3: "third", 5: "fifth", 7: "seventh"}
COINS = tuple(key for key, asset in ASSETS.items() if asset.calendar == "always")

_TEMPLATES = tomllib.loads(Path(__file__).with_name("templates.toml").read_text(encoding="utf-8"))
SENTENCES: dict[str, list[str]] = _TEMPLATES["sentences"]
WORDS: dict[int, dict[str, list[str]]] = {1: _TEMPLATES["up"], -1: _TEMPLATES["down"], 0: {}}  # by direction


class PriceEvent(NamedTuple):
    """An event at the unix second `time`; `facts` fill the template, `direction` is 1 up, -1 down or 0."""

    time: int
    asset: str
    kind: str
    direction: int
    facts: dict[str, str]


def write(hourly: Mapping[str, Bars], since: int, until: int) -> list[Headline]:
    """The headlines after the unix second `since` and up to and including `until`, oldest first.

    A headline uses bars that were complete at its hour, and the asset and the hour choose its template: the same bars
    always give the same headlines, in one piece or in many. Most events need a month of bars.
    """
    tracks = {asset: track(bars) for asset in ASSETS if len(bars := _needed(hourly, asset, since, until))}
    of_assets = [event for asset, prices in tracks.items() for event in _of_asset(asset, prices, since)]
    coins = {asset: tracks[asset] for asset in COINS if asset in tracks}
    hours = range(since - since % HOUR + HOUR, until + 1, HOUR)
    compared = [event for time in hours for event in _of_coins(coins, time)]
    order = list(ASSETS)
    return [
        _headline(event)
        for event in sorted([*of_assets, *compared], key=lambda event: (event.time, order.index(event.asset)))
    ]


def _needed(hourly: Mapping[str, Bars], asset: str, since: int, until: int) -> Bars:
    """The bars that end after `since` and up to `until`, and the look-back before them."""
    if asset not in hourly:
        return empty(HOUR)
    bars = hourly[asset].until(until)
    return bars[max(0, len(bars.until(since)) - LOOK_BACK_H) :]


def _of_asset(asset: str, prices: PriceTrack, since: int) -> Iterator[PriceEvent]:
    first = int(np.searchsorted(prices.time, since, side="right"))
    rows = set()
    for row, kind, direction in events(asset, prices, first):
        rows.add(row)
        yield _event(asset, prices, row, "flat_week" if kind == "week" and not direction else kind, direction)
    if asset not in COINS:
        return
    for row in (np.flatnonzero(prices.time[first:] % DAY == 0) + first).tolist():
        days = streak(prices, row)
        if abs(days) in STREAKS and row not in rows:
            yield _event(asset, prices, row, "streak", int(np.sign(days)), nth=ORDINALS[abs(days)])


def _event(asset: str, prices: PriceTrack, row: int, kind: str, direction: int, **facts: str) -> PriceEvent:
    """The event of a row with the facts that its templates may take, as they are printed."""
    moves = {"burst": prices.four, "week": prices.change}
    sigmas = prices.four_sigmas if kind == "burst" else prices.day_sigmas
    printed = {
        "name": ASSETS[asset].name,
        "price": price(prices.close[row]),
        "pct": percent(moves.get(kind, prices.day)[row]),
        "sigmas": f"{abs(sigmas[row]):.1f}",
        "ratio": f"{prices.ratio[row]:.1f}",
        "level": f"{prices.level[row]:,.10g}",
    }
    return PriceEvent(int(prices.time[row]), asset, kind, direction, printed | facts)


def _of_coins(coins: Mapping[str, PriceTrack], time: int) -> Iterator[PriceEvent]:
    """The coins compared with each other, at three hours of each day."""
    hour = time % DAY // HOUR
    if hour not in (FIRST_AT, BREADTH_AT, LAST_AT):
        return
    rows = {asset: row for asset, prices in coins.items() if (row := prices.row_at(time)) is not None}
    moves = {asset: float(coins[asset].day[row]) for asset, row in rows.items() if np.isfinite(coins[asset].day[row])}
    if len(moves) < LEAST_COINS:
        return
    if hour == BREADTH_AT:
        yield _breadth(moves, time)
        return
    asset = sorted(moves, key=lambda coin: moves[coin])[-1 if hour == FIRST_AT else 0]
    if abs(moves[asset]) >= LEAST_MOVE:
        rank = {"rank": "first" if hour == FIRST_AT else "last", "count": str(len(moves))}
        yield _event(asset, coins[asset], rows[asset], "rank", int(np.sign(moves[asset])), **rank)


def _breadth(moves: Mapping[str, float], time: int) -> PriceEvent:
    """The direction of all coins but one, or mixed."""
    mean = sum(moves.values()) / len(moves)
    direction = int(np.sign(mean))
    agreeing = sum(move * direction > 0 for move in moves.values())
    is_common = direction != 0 and agreeing >= len(moves) - 1
    shown = agreeing if is_common else sum(move > 0 for move in moves.values())
    facts = {"coins": f"{shown} of {len(moves)} coins", "pct": percent(mean)}
    return PriceEvent(time, COINS[0], "breadth" if is_common else "mixed", direction if is_common else 0, facts)


def _headline(event: PriceEvent) -> Headline:
    """The headline of an event; its asset, time and kind draw the sentence and the words."""
    digest = sha256(f"{event.asset} {event.time} {event.kind}".encode()).digest()
    words = {slot: choices[digest[4] % len(choices)] for slot, choices in WORDS[event.direction].items()}
    sentences = SENTENCES[event.kind]
    title = sentences[int.from_bytes(digest[:4]) % len(sentences)].format_map(words | event.facts)
    return headline(title[0].upper() + title[1:], SOURCE, event.time, simulated=True)


def price(value: float) -> str:
    """USD as a headline prints it: whole dollars from a thousand on, four decimals under ten."""
    return f"${value:,.0f}" if value >= 1000 else f"${value:,.2f}" if value >= 10 else f"${value:,.4f}"


def percent(move: float) -> str:
    """The size of a log return in percent to one decimal."""
    return f"{100 * abs(exp(move) - 1):.1f}%"
