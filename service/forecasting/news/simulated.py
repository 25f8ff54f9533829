"""The simulated desk: headlines written by templates from what the bars did, for a world that has no newspapers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from math import exp
from typing import NamedTuple

import numpy as np

from service.forecasting.news.happenings import LOOK_BACK_H, STREAKS, Track, happened, streak, track
from service.forecasting.news.headline import Headline, headline
from service.forecasting.news.templates import TEMPLATES
from service.market.assets import ASSETS
from service.market.bars import Bars, empty
from service.market.instants import DAY, HOUR

SOURCE = "Ninefold simulated desk"

# The UTC hours of the day at which coins are compared.
LEADER_AT, BREADTH_AT, LAGGARD_AT = 0, 8, 16
LEAST_COINS = 3
LEAST_MOVE = 0.002  # log return of a day: less leads nothing
ORDINALS = {3: "third", 5: "fifth", 7: "seventh"}
COINS = tuple(key for key, asset in ASSETS.items() if asset.calendar == "always")


class Event(NamedTuple):
    """What a headline is written of: when it was known, of which asset, and the words that its template takes."""

    time: int
    asset: str
    kind: str
    facts: dict[str, str]


def write(hourly: Mapping[str, Bars], since: int, until: int) -> list[Headline]:
    """The headlines after the unix second `since` and up to and with `until`, oldest first.

    A headline of an hour is written from bars that were complete by then, and which template is taken hangs on the
    asset and the hour: the same bars always give the same headlines, in one piece or in many. What is
    measured by a month, as most is, waits for a month of bars.
    """
    known = {asset: track(bars) for asset in ASSETS if len(bars := _needed(hourly, asset, since, until))}
    events = [event for asset, one in known.items() for event in _of_asset(asset, one, since)]
    coins = {asset: known[asset] for asset in COINS if asset in known}
    for time in range(since - since % HOUR + HOUR, until + 1, HOUR):
        events.extend(_of_coins(coins, time))
    order = list(ASSETS)
    return [_headline(event) for event in sorted(events, key=lambda each: (each.time, order.index(each.asset)))]


def _needed(hourly: Mapping[str, Bars], asset: str, since: int, until: int) -> Bars:
    """The bars to write from: those that end after `since` and up to `until`, and what is looked back on."""
    if asset not in hourly:
        return empty(HOUR)
    bars = hourly[asset].until(until)
    return bars[max(0, len(bars.until(since)) - LOOK_BACK_H) :]


def _of_asset(asset: str, known: Track, since: int) -> Iterator[Event]:
    first = int(np.searchsorted(known.time, since, side="right"))
    told = set()
    for row, kind in happened(asset, known, slice(first, None)):
        told.add(row)
        yield Event(int(known.time[row]), asset, kind, _facts(asset, known, row, kind))
    if asset not in COINS:
        return
    for row in np.flatnonzero(known.time[first:] % DAY == 0) + first:
        days = streak(known, row)
        if abs(days) in STREAKS and row not in told:
            facts = {**_facts(asset, known, row, "streak"), "nth": ORDINALS[abs(days)]}
            yield Event(int(known.time[row]), asset, "streak_up" if days > 0 else "streak_down", facts)


def _facts(asset: str, known: Track, row: int, kind: str) -> dict[str, str]:
    """What the templates of a kind may take, as they are printed."""
    four = kind.startswith("burst")
    week = kind.startswith("week")
    move = known.four[row] if four else np.log(known.close[row] / known.close[row - 1]) if week else known.day[row]
    sigmas = known.four_sigmas[row] if four else known.day_sigmas[row]
    return {
        "name": ASSETS[asset].name,
        "price": price(known.close[row]),
        "pct": percent(move),
        "sigmas": f"{abs(sigmas):.1f}",
        "ratio": f"{known.ratio[row]:.1f}",
        "level": f"{known.level[row]:,.10g}",
    }


def _of_coins(coins: Mapping[str, Track], time: int) -> Iterator[Event]:
    """What the coins did beside each other, at three hours of each day."""
    hour = time % DAY // HOUR
    if hour not in (LEADER_AT, BREADTH_AT, LAGGARD_AT):
        return
    rows = {asset: row for asset, known in coins.items() if (row := known.row_at(time)) is not None}
    moves = {asset: float(coins[asset].day[row]) for asset, row in rows.items() if np.isfinite(coins[asset].day[row])}
    if len(moves) < LEAST_COINS:
        return
    if hour == BREADTH_AT:
        yield _breadth(moves, time)
        return
    asset = max(moves, key=moves.get) if hour == LEADER_AT else min(moves, key=moves.get)
    if abs(moves[asset]) < LEAST_MOVE:
        return
    kind = ("leader" if hour == LEADER_AT else "laggard") + ("_up" if moves[asset] > 0 else "_down")
    facts = {
        "name": ASSETS[asset].name,
        "price": price(coins[asset].close[rows[asset]]),
        "pct": percent(moves[asset]),
        "count": str(len(moves)),
        "others": str(len(moves) - 1),
    }
    yield Event(time, asset, kind, facts)


def _breadth(moves: Mapping[str, float], time: int) -> Event:
    up, down = (sum(sign * move > 0 for move in moves.values()) for sign in (1, -1))
    mean = sum(moves.values()) / len(moves)
    kind = "breadth_mixed"
    if up >= len(moves) - 1 and mean > 0:
        kind = "breadth_up"
    if down >= len(moves) - 1 and mean < 0:
        kind = "breadth_down"
    return Event(
        time, COINS[0], kind, {"up": str(up), "down": str(down), "count": str(len(moves)), "pct": percent(mean)}
    )


def _headline(event: Event) -> Headline:
    sentences = TEMPLATES[event.kind]
    drawn = sha256(f"{event.asset} {event.time} {event.kind}".encode()).digest()
    title = sentences[int.from_bytes(drawn[:4]) % len(sentences)].format_map(event.facts)
    return headline(title[0].upper() + title[1:], SOURCE, event.time, simulated=True)


def price(value: float) -> str:
    """USD as a headline has it: whole dollars from a thousand on, four decimals under ten."""
    return f"${value:,.0f}" if value >= 1000 else f"${value:,.2f}" if value >= 10 else f"${value:,.4f}"


def percent(move: float) -> str:
    """The size of a log return in percent to one decimal."""
    return f"{100 * abs(exp(move) - 1):.1f}%"
