"""The lanes as the history shows them, and one lane with what it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from bot.charts.paper import (
    COLOURS,
    REFERENCE,
    dollars,
    label_ends,
    moment,
    moments,
    notes,
    nothing,
    over_time,
    percents,
    png,
    sheet,
)

NONE_YET = "The lanes have not seen a bar yet. They begin with the next one, within five minutes."
NO_SUCH = "There is no history of such a lane."
MARKS = {"harvest": "^", "switch": "D", "trade": "o"}
NAMES = {"harvest": "△ harvest", "switch": "◇ pool switch", "trade": "○ trade"}
OTHER = "s"  # an event of a kind that is not known


def lanes(battle_history: Mapping[str, Any], battle: Mapping[str, Any]) -> bytes:
    """Every lane's gain in percent; solid on an exchange, dashed where it provides liquidity."""
    drawn = [one for one in battle_history["lanes"] if one["points"]]
    if not drawn:
        return nothing(battle, "The lanes of paper trading", NONE_YET)
    figure, (axes,) = sheet(1080)
    colours = [COLOURS[place % len(COLOURS)] for place in range(len(drawn))]
    ends = [_curve(axes, one, colour) for one, colour in zip(drawn, colours, strict=True)]
    axes.axhline(0, color=REFERENCE, linewidth=1.5)
    percents(axes)
    over_time(axes)
    label_ends(axes, ends)
    best = max(drawn, key=lambda one: _gains(one)[-1])
    venues = {one["venue"] for one in drawn}
    together = (battle["venues"][venues.pop()] if len(venues) == 1 else battle["summary"])["pnl_pct"]
    title = f"{best['name']} leads with {_gains(best)[-1]:+.1f}%, all together {together:+.1f}%"
    key = ("gain since each began", "solid: exchange, dashed: liquidity", _key(drawn, ("harvest", "switch")))
    return png(figure, title, notes(battle_history, *key), right=0.68)


def lane(battle_history: Mapping[str, Any], battle: Mapping[str, Any], name: str | None = None) -> bytes:
    """What one lane was worth in USD, with what it did; without a name the first of the history."""
    found = next((one for one in battle_history["lanes"] if name in (None, one["name"])), None)
    if found is None or not found["points"]:
        return nothing(battle, name or "One lane", NONE_YET if found else NO_SUCH)
    figure, (axes,) = sheet(900)
    times, worth = moments(found["points"]), [point["equity_usd"] for point in found["points"]]
    axes.plot(times, worth, color=COLOURS[0], linewidth=3)
    _mark(axes, found, COLOURS[0], worth, tuple(MARKS))
    axes.margins(y=0.15)
    dollars(axes)
    over_time(axes)
    made = worth[-1] - worth[0]
    title = f"{found['label']}: {made:+,.0f} USD in {_days(times)}, {_gains(found)[-1]:+.1f}% since it began"
    return png(figure, title, notes(battle_history, "worth in USD", _key([found], tuple(MARKS))))


def _curve(axes: Axes, one: Mapping[str, Any], colour: str) -> tuple[float, str, str]:
    """Draw a lane; its last value, its label and its colour."""
    gains = _gains(one)
    style = "--" if one["venue"] == "dex" else "-"
    axes.plot(moments(one["points"]), gains, color=colour, linewidth=3, linestyle=style)
    _mark(axes, one, colour, gains, ("harvest", "switch"))
    return gains[-1], f"{one['name']} {gains[-1]:+.1f}%", colour


def _gains(one: Mapping[str, Any]) -> list[float]:
    """Percent of what the lane began with, at each point."""
    return [100 * (point["equity_usd"] / one["initial_capital"] - 1) for point in one["points"]]


def _mark(axes: Axes, one: Mapping[str, Any], colour: str, heights: Sequence[float], kinds: Sequence[str]) -> None:
    """An open mark on the line where the lane did something of those kinds, or of one that is not known."""
    seconds = [time.timestamp() for time in moments(one["points"])]
    for event in one["events"]:
        if event["kind"] in MARKS and event["kind"] not in kinds:
            continue
        at = moment(event["time"])
        height = float(np.interp(at.timestamp(), seconds, heights))
        marker = MARKS.get(event["kind"], OTHER)
        axes.plot([at], [height], marker, markersize=12, markerfacecolor="white", markeredgecolor=colour, mew=2.5)


def _key(drawn: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> str:
    """What the marks mean, of those that are there."""
    seen = {event["kind"] for one in drawn for event in one["events"]}
    others = sorted(seen - set(MARKS))
    return ", ".join([*(NAMES[kind] for kind in kinds if kind in seen), *(f"□ {kind}" for kind in others)])


def _days(times: Sequence[datetime]) -> str:
    days = round((times[-1] - times[0]).total_seconds() / 86_400)
    return f"{days} day{'' if days == 1 else 's'}" if days else "less than a day"
