"""The six lanes of paper trading, one of them, and what one just did."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.messages.figures import change, counted, footer, gain, instant, moved, percent, price, usd, won, words, world
from bot.messages.writing import message, said, table

VENUES = {"cex": "on an exchange", "dex": "providing liquidity"}
POSITIONS_SHOWN = 8
DOING = {"in_lp": "in a pool"}
WHAT = {"trade": "traded", "harvest": "harvested", "switch": "switched pools"}


def lanes(battle: Mapping[str, Any], venue: str | None = None, *, now: datetime | None = None) -> str:
    """How the lanes stand, or those of one venue, the best first."""
    venue = venue and venue.strip().lower()
    shown = [lane for lane in battle["lanes"] if venue in (None, lane["venue"])]
    if not shown:
        return f"There are no lanes of that kind. Send /lanes {' or /lanes '.join(VENUES)}, or /lanes for all."
    shown = sorted(shown, key=lambda lane: -lane["pnl_pct"])
    summary = battle["venues"][venue] if venue in battle.get("venues", {}) else battle["summary"]
    blocks = [
        f"<b>{counted(len(shown), 'lane')} {VENUES[venue]}</b>" if venue in VENUES else f"<b>{_of_all(shown)}</b>",
        table(map(_row, shown), "<1", "<10", ">7", "<13"),
        f"Together {change(summary['pnl_pct'])}: {usd(summary['capital'])} of {usd(summary['initial_capital'])}.",
        f"{won(summary['win_rate_pct'], summary['trades'])}.",
        "/lane NAME shows one.",
    ]
    return message(blocks, footer(battle, now, paper=True))


def lane(battle: Mapping[str, Any], name: str, *, now: datetime | None = None) -> str:
    """One lane in full; of a name that is none, the names."""
    found = next((one for one in battle["lanes"] if one["name"] == name.strip().lower()), None)
    if found is None:
        names = "\n".join(f"<code>/lane {said(one['name'], 60)}</code>" for one in battle["lanes"][:20])
        asked = "There is no such lane." if name.strip() else "Which lane?"
        return message([f"{asked} Send one of these:", names])
    blocks = [
        f"<b>{moved(found['pnl_pct'])} {said(found['label'], 120)}</b>",
        f"{said(found['name'], 60)} · {VENUES.get(found['venue']) or said(found['venue'], 60)}",
        f"{_status(found)} · worth {usd(found['capital'])}",
        f"{change(found['pnl_pct'])} ({gain(found['pnl_usd'])}) since it began",
        f"{won(found['win_rate_pct'], found['trades'])}.",
        *_liquidity(battle, found),
        *_positions(battle, found),
    ]
    return message(blocks, footer(battle, now, paper=True))


def lane_event(event: Mapping[str, Any]) -> str:
    """A harvest or a switch, as the history tells it, with the `lane`, its `label` and the `world`."""
    did = WHAT.get(event["kind"]) or said(words(event["kind"]), 60)
    money = f"{usd(event['value_usd'])} moved, {usd(event['cost_usd'], 2)} of costs"
    made = f", {gain(event['pnl_usd'])} made" if event["pnl_usd"] is not None else ""
    blocks = [
        f"<b>{said(event['label'], 120)} {did}</b>",
        f"{said(event['subject'], 200)}: {said(event['note'], 200)}",
        f"{money}{made}.",
        f"/lane {said(event['lane'], 60)} shows how it stands.",
    ]
    return message(blocks, f"<i>PAPER · {world(event)} · {instant(event['time'])}</i>")


def standing(battle: Mapping[str, Any]) -> str:
    """The lanes in a sentence: together, the best, the worst."""
    by_name = {one["name"]: one for one in battle["lanes"]}
    summary = battle["summary"]
    ends = [
        f"{end} {said(summary[f'{end}_lane'], 60)} {change(by_name[summary[f'{end}_lane']]['pnl_pct'])}"
        for end in ("best", "worst")
        if summary[f"{end}_lane"] in by_name
    ]
    return f"Paper lanes {', '.join([change(summary['pnl_pct']), *ends])}"


def _of_all(shown: list[Mapping[str, Any]]) -> str:
    return f"{counted(len(shown), 'lane')}, {sum(bool(one['active']) for one in shown)} active"


def _row(one: Mapping[str, Any]) -> tuple[str, ...]:
    return moved(one["pnl_pct"]), one["name"], change(one["pnl_pct"]), _doing(one)


def _status(one: Mapping[str, Any]) -> str:
    return said(_doing(one), 60)


def _doing(one: Mapping[str, Any]) -> str:
    return (DOING.get(one["status"]) or words(one["status"])) if one["active"] else "not active"


def _liquidity(battle: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """What providing liquidity brought and cost; nothing of a lane on an exchange."""
    listed = battle["venues"].get(found["venue"], {}).get("liquidity", [])
    lines = [
        f"\n<b>{said(one['pool'], 120)}</b>\n"
        f"range {price(one['range_low'])} to {price(one['range_high'])}, price {price(one['price'])}\n"
        f"in range {percent(one['in_range_pct'], 0)} of the time\n"
        f"fees {gain(one['fees_usd'])}, divergence {gain(one['divergence_usd'])}, gas {gain(-one['gas_usd'])}\n"
        f"{change(one['vs_hodl_pct'])} against holding"
        for one in listed
        if one["lane"] == found["name"]
    ]
    if found["venue"] != "dex":
        return []
    done = f"{counted(found['harvest_count'] or 0, 'harvest')}, {found['switch_count'] or 0} pool switches."
    return [*lines[:POSITIONS_SHOWN], done]


def _positions(battle: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """What a lane on an exchange holds."""
    listed = battle["venues"].get(found["venue"], {}).get("positions", [])
    held = [one for one in listed if one["lane"] == found["name"]]
    if found["venue"] != "cex":
        return []
    if not held:
        return ["It holds nothing now."]
    rows = [(one["asset"], one["side"], price(one["entry_price"]), gain(one["pnl_usd"])) for one in held]
    heading = ("", "", "entry", "gain")
    return ["\nIt holds:\n" + table([heading, *rows[:POSITIONS_SHOWN]], "<6", "<5", ">8", ">11")]
