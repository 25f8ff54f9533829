"""The lanes of the battle history: all of them in percent, and one in USD with its events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from matplotlib.axes import Axes

from bot.charts.sheet import (
    COLOURS,
    REFERENCE,
    draw_events,
    draw_line,
    empty_chart,
    format_dollars,
    format_percents,
    format_time_axis,
    label_ends,
    moments,
    notes,
    png,
    sheet,
)

NO_BARS = "The lanes have no data yet. They start with the next bar, within five minutes."
NO_HISTORY = "There is no history of this lane."
MARKERS = {"harvest": "^", "switch": "D", "trade": "o"}
LABELS = {"harvest": "△ harvest", "switch": "◇ pool switch", "trade": "○ trade"}
OTHER_MARKER = "s"  # for an event of a kind that this version does not know


def lanes(battle_history: Mapping[str, Any], battle: Mapping[str, Any]) -> bytes:
    """Every lane's gain in percent; solid lines trade on an exchange, dashed ones provide liquidity."""
    drawn = [lane for lane in battle_history["lanes"] if lane["points"]]
    if not drawn:
        return empty_chart(battle, "The paper-trading lanes", NO_BARS)
    figure, (axes,) = sheet(1080)
    colours = [COLOURS[index % len(COLOURS)] for index in range(len(drawn))]
    ends = [_draw_lane(axes, lane, colour) for lane, colour in zip(drawn, colours, strict=True)]
    axes.axhline(0, color=REFERENCE, linewidth=1.5)
    format_percents(axes)
    format_time_axis(axes)
    label_ends(axes, ends)
    best = max(drawn, key=lambda lane: _gains(lane)[-1])
    venues = {lane["venue"] for lane in drawn}
    total = (battle["venues"][venues.pop()] if len(venues) == 1 else battle["summary"])["pnl_pct"]
    title = f"{best['name']} leads with {_gains(best)[-1]:+.1f}%, all together {total:+.1f}%"
    key = ("gain since each start", "solid: exchange, dashed: liquidity", _legend(drawn, ("harvest", "switch")))
    return png(figure, title, notes(battle_history, *key), right=0.68)


def lane(battle_history: Mapping[str, Any], battle: Mapping[str, Any], name: str | None = None) -> bytes:
    """One lane's equity in USD, with its events; without a name the first lane of the history."""
    shown = next((lane for lane in battle_history["lanes"] if name in (None, lane["name"])), None)
    if shown is None or not shown["points"]:
        return empty_chart(battle, name or "One lane", NO_BARS if shown else NO_HISTORY)
    figure, (axes,) = sheet(900)
    times, equity = moments(shown["points"]), [point["equity_usd"] for point in shown["points"]]
    draw_line(axes, times, equity, color=COLOURS[0], linewidth=3)
    draw_events(axes, shown["points"], equity, _markers(shown, COLOURS[0], tuple(MARKERS)))
    axes.margins(y=0.15)
    format_dollars(axes)
    format_time_axis(axes)
    gain = equity[-1] - equity[0]
    title = f"{shown['label']}: {gain:+,.0f} USD in {_days(times)}, {_gains(shown)[-1]:+.1f}% since the start"
    return png(figure, title, notes(battle_history, "equity in USD", _legend([shown], tuple(MARKERS))))


def _draw_lane(axes: Axes, lane: Mapping[str, Any], colour: str) -> tuple[float, str, str]:
    """Draw a lane; returns its last value, its label and its colour."""
    gains = _gains(lane)
    style = "--" if lane["venue"] == "dex" else "-"
    draw_line(axes, moments(lane["points"]), gains, color=colour, linewidth=3, linestyle=style)
    draw_events(axes, lane["points"], gains, _markers(lane, colour, ("harvest", "switch")))
    return gains[-1], f"{lane['name']} {gains[-1]:+.1f}%", colour


def _gains(lane: Mapping[str, Any]) -> list[float]:
    """The gain at each point, in percent of the initial capital."""
    return [100 * (point["equity_usd"] / lane["initial_capital"] - 1) for point in lane["points"]]


def _markers(lane: Mapping[str, Any], colour: str, kinds: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """The lane's events of the given kinds and of unknown kinds, for `draw_events`."""
    for event in lane["events"]:
        if event["kind"] in kinds or event["kind"] not in MARKERS:
            yield event["time"], MARKERS.get(event["kind"], OTHER_MARKER), colour


def _legend(drawn: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> str:
    """The meaning of the markers that occur."""
    present = {event["kind"] for lane in drawn for event in lane["events"]}
    others = sorted(present - set(MARKERS))
    return ", ".join([*(LABELS[kind] for kind in kinds if kind in present), *(f"□ {kind}" for kind in others)])


def _days(times: Sequence[datetime]) -> str:
    days = round((times[-1] - times[0]).total_seconds() / 86_400)
    return f"{days:,} day{'' if days == 1 else 's'}" if days else "less than a day"
