"""The six paper-trading lanes: all of them, one of them, and an event of one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.messages.formats import (
    change_arrow,
    footer,
    instant,
    percent,
    plural,
    price,
    signed_percent,
    signed_usd,
    trades_won,
    usd,
    words,
    world,
)
from bot.messages.markup import escaped, message, table

VENUES = {"cex": "on an exchange", "dex": "providing liquidity"}
POSITIONS_SHOWN = 8
STATUSES = {"in_lp": "in a pool"}
EVENTS = {"trade": "traded", "harvest": "harvested fees", "switch": "switched pools"}


def lanes(battle: Mapping[str, Any], venue: str | None = None, *, now: datetime | None = None) -> str:
    """All lanes or those of one venue, the best first."""
    venue = venue and venue.strip().lower()
    shown = [lane for lane in battle["lanes"] if venue in (None, lane["venue"])]
    if not shown:
        return f"There is no such venue. Send /lanes {' or /lanes '.join(VENUES)}, or /lanes for all."
    shown = sorted(shown, key=lambda lane: -lane["pnl_pct"])
    summary = battle["venues"][venue] if venue in battle.get("venues", {}) else battle["summary"]
    total = f"{usd(summary['capital'])} from {usd(summary['initial_capital'])}"
    blocks = [
        f"<b>{_title(shown, venue)}</b>",
        table(map(_row, shown), "<1", "<10", ">7", "<13"),
        f"Together {signed_percent(summary['pnl_pct'])}: {total}.",
        f"{trades_won(summary['win_rate_pct'], summary['trades'])}.",
        "Send /lane NAME to see one.",
    ]
    return message(blocks, footer(battle, now, paper=True))


def lane(battle: Mapping[str, Any], name: str, *, now: datetime | None = None) -> str:
    """One lane in full; for an unknown name, the list of names."""
    shown = next((lane for lane in battle["lanes"] if lane["name"] == name.strip().lower()), None)
    if shown is None:
        names = "\n".join(f"<code>/lane {escaped(lane['name'], 60)}</code>" for lane in battle["lanes"][:20])
        reason = "There is no such lane." if name.strip() else "Which lane?"
        return message([f"{reason} Send one of these:", names])
    blocks = [
        f"<b>{change_arrow(shown['pnl_pct'])} {escaped(shown['label'], 120)}</b>",
        f"{escaped(shown['name'], 60)} · {VENUES.get(shown['venue']) or escaped(shown['venue'], 60)}",
        f"{escaped(_status(shown), 60)} · worth {usd(shown['capital'])}",
        f"{signed_percent(shown['pnl_pct'])} ({signed_usd(shown['pnl_usd'])}) since the start",
        f"{trades_won(shown['win_rate_pct'], shown['trades'])}.",
        *_liquidity(battle, shown),
        *_positions(battle, shown),
    ]
    return message(blocks, footer(battle, now, paper=True))


def lane_event(event: Mapping[str, Any]) -> str:
    """An event of the battle history, joined with its `lane`, the lane's `label` and the `world`."""
    action = EVENTS.get(event["kind"]) or escaped(words(event["kind"]), 60)
    amounts = f"{usd(event['value_usd'])} moved, costs {usd(event['cost_usd'], 2)}"
    result = f", result {signed_usd(event['pnl_usd'])}" if event["pnl_usd"] is not None else ""
    blocks = [
        f"<b>{escaped(event['label'], 120)} {action}</b>",
        f"{escaped(event['subject'], 200)}: {escaped(event['note'], 200)}",
        f"{amounts}{result}.",
        f"/lane {escaped(event['lane'], 60)} shows the lane.",
    ]
    return message(blocks, f"<i>PAPER · {world(event)} · {instant(event['time'])}</i>")


def lanes_summary(battle: Mapping[str, Any]) -> str:
    """The lanes in one sentence: the total, the best and the worst."""
    by_name = {lane["name"]: lane for lane in battle["lanes"]}
    summary = battle["summary"]
    extremes = [
        f"{rank} {escaped(name, 60)} {signed_percent(by_name[name]['pnl_pct'])}"
        for rank, name in (("best", summary["best_lane"]), ("worst", summary["worst_lane"]))
        if name in by_name
    ]
    return f"Paper lanes {', '.join([signed_percent(summary['pnl_pct']), *extremes])}"


def _title(shown: list[Mapping[str, Any]], venue: str | None) -> str:
    if venue in VENUES:
        return f"{plural(len(shown), 'lane')} {VENUES[venue]}"
    return f"{plural(len(shown), 'lane')}, {sum(bool(lane['active']) for lane in shown)} active"


def _row(lane: Mapping[str, Any]) -> tuple[str, ...]:
    return change_arrow(lane["pnl_pct"]), lane["name"], signed_percent(lane["pnl_pct"]), _status(lane)


def _status(lane: Mapping[str, Any]) -> str:
    return (STATUSES.get(lane["status"]) or words(lane["status"])) if lane["active"] else "not active"


def _liquidity(battle: Mapping[str, Any], lane: Mapping[str, Any]) -> list[str]:
    """The pools of a lane that provides liquidity, with their income and costs."""
    if lane["venue"] != "dex":
        return []
    listed = battle["venues"].get(lane["venue"], {}).get("liquidity", [])
    pools = [_pool(pool) for pool in listed if pool["lane"] == lane["name"]]
    counts = f"{plural(lane['harvest_count'] or 0, 'harvest')}, {lane['switch_count'] or 0:,} pool switches."
    return [*pools[:POSITIONS_SHOWN], counts]


def _pool(pool: Mapping[str, Any]) -> str:
    fees, divergence, gas = (
        signed_usd(amount) for amount in (pool["fees_usd"], pool["divergence_usd"], -pool["gas_usd"])
    )
    return (
        f"\n<b>{escaped(pool['pool'], 120)}</b>\n"
        f"range {price(pool['range_low'])} to {price(pool['range_high'])}, price {price(pool['price'])}\n"
        f"in range {percent(pool['in_range_pct'], 0)} of the time\n"
        f"fees {fees}, divergence {divergence}, gas {gas}\n"
        f"{signed_percent(pool['vs_hodl_pct'])} against holding the coins"
    )


def _positions(battle: Mapping[str, Any], lane: Mapping[str, Any]) -> list[str]:
    """The open positions of a lane on an exchange."""
    if lane["venue"] != "cex":
        return []
    listed = battle["venues"].get(lane["venue"], {}).get("positions", [])
    positions = [position for position in listed if position["lane"] == lane["name"]]
    if not positions:
        return ["No open positions."]
    rows = [
        (position["asset"], position["side"], price(position["entry_price"]), signed_usd(position["pnl_usd"]))
        for position in positions[:POSITIONS_SHOWN]
    ]
    return ["\nOpen positions:\n" + table([("", "", "entry", "gain"), *rows], "<6", "<5", ">8", ">11")]
