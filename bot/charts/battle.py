"""The lanes of the battle history: all of them in percent, and one in USD with its events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.charts.sheet import (
    ChartTheme,
    Sheet,
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
    signed_percent,
    signed_usd,
    stamp,
)
from bot.periods import ALL_TIME, WORDS, base, change_pct, lane_gain, together_pct

NO_BARS = "The lanes have no data yet. They start with the next bar, within five minutes."
NO_HISTORY = "There is no history of this lane."
NO_TRADES = "It holds its {:,.0f} USD and waits for the first signal of its rule."
MARKERS = {"harvest": "^", "switch": "D", "trade": "o"}
LABELS = {"harvest": "△ harvest", "switch": "◇ pool switch", "trade": "○ trade"}
OTHER_MARKER = "s"  # for an event of a kind that this version does not know
FEW_LANES = 3  # lanes; a chart of more is higher
MOST_MARKERS = 30  # on the chart of all lanes; with more, harvests are not marked


def lanes(
    battle_history: Mapping[str, Any], battle: Mapping[str, Any], venue: str | None, period: str, theme: ChartTheme
) -> bytes:
    """The gain of every lane or of those of a venue over a period, in percent.

    Of two venues, the lanes that provide liquidity are dashed.
    """
    selection = [lane for lane in battle_history["lanes"] if lane["points"] and venue in (None, lane["venue"])]
    if not selection:
        return empty_chart(battle, "The paper-trading lanes", NO_BARS, theme)
    chart = sheet(1160 if len(selection) > FEW_LANES else 960, theme)
    colours = {lane["name"]: theme.colour(index) for index, lane in enumerate(battle_history["lanes"])}
    is_mixed = len({lane["venue"] for lane in selection}) > 1
    is_crowded = sum(event["kind"] != "trade" for lane in selection for event in lane["events"]) > MOST_MARKERS
    kinds = ("switch",) if is_crowded else ("harvest", "switch")
    ends = [_draw_lane(chart, lane, period, colours[lane["name"]], kinds, is_mixed) for lane in selection]
    chart.axes.axhline(0, color=theme.reference, linewidth=1.5)
    format_percents(chart.axes)
    format_time_axis(chart.axes)
    label_ends(chart, ends)
    best = max(selection, key=lambda lane: lane_gain(lane, period))
    gain, total = (signed_percent(value) for value in (lane_gain(best, period), together_pct(selection, period)))
    title = f"{best['name']} leads with {gain} {WORDS[period]}, all together {total}"
    since = "gain since each start" if period == ALL_TIME else f"gain since {stamp(selection[0]['points'][0]['time'])}"
    key = (since, "solid: exchange, dashed: liquidity" if is_mixed else "", _legend(selection, kinds))
    return png(chart, title, notes(battle_history, *key))


def lane(
    battle_history: Mapping[str, Any], battle: Mapping[str, Any], name: str | None, period: str, theme: ChartTheme
) -> bytes:
    """One lane's equity in USD over a period, with its events; without a name the first lane of the history."""
    entry = next((lane for lane in battle_history["lanes"] if name in (None, lane["name"])), None)
    if entry is None or not entry["points"]:
        return empty_chart(battle, name or "One lane", NO_BARS if entry else NO_HISTORY, theme)
    if _is_untraded(entry):
        reason = NO_TRADES.format(entry["initial_capital"])
        return empty_chart(battle, f"{entry['label']} has not traded yet", reason, theme)
    chart, colour = sheet(960, theme), theme.ours
    times, equity = moments(entry["points"]), [point["equity_usd"] for point in entry["points"]]
    draw_line(chart.axes, times, equity, color=colour, linewidth=3.5)
    draw_events(chart, entry["points"], equity, _markers(entry, colour, tuple(MARKERS)))
    chart.axes.margins(y=0.15)
    format_dollars(chart.axes)
    format_time_axis(chart.axes)
    gain = signed_usd(equity[-1] - base(entry["points"], period, entry["initial_capital"]))
    title = f"{entry['label']}: {gain}, {signed_percent(lane_gain(entry, period))} {WORDS[period]}"
    since = signed_percent(lane_gain(entry, ALL_TIME))
    key = ("equity in USD", _legend([entry], tuple(MARKERS)), "" if period == ALL_TIME else f"{since} since the start")
    return png(chart, title, notes(battle_history, *key))


def _draw_lane(
    chart: Sheet, lane: Mapping[str, Any], period: str, colour: str, kinds: Sequence[str], is_mixed: bool
) -> tuple[float, str, str]:
    """Draw a lane; returns its last value, its label and its colour."""
    start = base(lane["points"], period, lane["initial_capital"])
    gains = [change_pct(start, point["equity_usd"]) for point in lane["points"]]
    style = "--" if is_mixed and lane["venue"] == "dex" else "-"
    draw_line(chart.axes, moments(lane["points"]), gains, color=colour, linewidth=3.5, linestyle=style)
    draw_events(chart, lane["points"], gains, _markers(lane, colour, kinds))
    label = "no trade yet" if _is_untraded(lane) else signed_percent(gains[-1])
    return gains[-1], f"{lane['name']} {label}", colour


def _is_untraded(lane: Mapping[str, Any]) -> bool:
    """Whether a lane has never had a position: its capital is as it was."""
    return not lane["events"] and {point["equity_usd"] for point in lane["points"]} == {lane["initial_capital"]}


def _markers(lane: Mapping[str, Any], colour: str, kinds: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """The lane's events of the given kinds and of unknown kinds, for `draw_events`."""
    for event in lane["events"]:
        if event["kind"] in kinds or event["kind"] not in MARKERS:
            yield event["time"], MARKERS.get(event["kind"], OTHER_MARKER), colour


def _legend(selection: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> str:
    """The meaning of the markers that occur."""
    present = {event["kind"] for lane in selection for event in lane["events"]}
    others = sorted(present - set(MARKERS))
    return ", ".join([*(LABELS[kind] for kind in kinds if kind in present), *(f"□ {kind}" for kind in others)])
