"""The six paper-trading lanes: all of them, one of them, and an event of one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.languages import english, translate, translate_plural
from bot.languages.punctuation import ended, enumerated
from bot.messages.formats import (
    change_arrow,
    footer,
    instant,
    percent,
    price,
    signed_percent,
    signed_usd,
    term,
    trades_won,
    usd,
    words,
    world,
)
from bot.messages.markup import escaped, message, table

VENUES = {"cex": english("on an exchange"), "dex": english("providing liquidity")}
MAX_POSITIONS = 8
EVENTS = {
    "trade": english("{lane} traded"),
    "harvest": english("{lane} harvested fees"),
    "switch": english("{lane} switched pools"),
}


def lanes(battle: Mapping[str, Any], venue: str | None = None, *, now: datetime | None = None) -> str:
    """All lanes or those of one venue, the best first."""
    venue = venue and venue.strip().lower()
    entries = [lane for lane in battle["lanes"] if venue in (None, lane["venue"])]
    if not entries:
        return translate("There is no such venue. Send /lanes cex or /lanes dex, or /lanes for all.")
    entries = sorted(entries, key=lambda lane: -lane["pnl_pct"])
    summary = battle["venues"][venue] if venue in battle.get("venues", {}) else battle["summary"]
    capital, initial = usd(summary["capital"]), usd(summary["initial_capital"])
    blocks = [
        f"<b>{_title(entries, venue)}</b>",
        table(map(_row, entries), "<1", "<10", ">7", "<13"),
        translate(
            "Together {gain}: {capital} from {initial}.",
            gain=signed_percent(summary["pnl_pct"]),
            capital=capital,
            initial=initial,
        ),
        ended(enumerated([trades_won(summary["win_rate_pct"], summary["trades"]), _holding(summary)])),
        translate("Send /lane NAME to see one."),
    ]
    return message(blocks, footer(battle, now, paper=True))


def lane(battle: Mapping[str, Any], name: str, *, now: datetime | None = None) -> str:
    """One lane in full; for an unknown name, the list of names."""
    entry = next((lane for lane in battle["lanes"] if lane["name"] == name.strip().lower()), None)
    if entry is None:
        names = "\n".join(f"<code>/lane {escaped(lane['name'], 60)}</code>" for lane in battle["lanes"][:20])
        reason = translate("Unknown lane.") if name.strip() else translate("Which lane?")
        return message([f"{reason} {translate('Send one of these:')}", names])
    blocks = [
        f"<b>{change_arrow(entry['pnl_pct'])} {escaped(entry['label'], 120)}</b>",
        f"{escaped(entry['name'], 60)} · {_venue(entry['venue'])}",
        f"{escaped(_status(entry), 60)} · {translate('worth {amount}', amount=usd(entry['capital']))}",
        enumerated(
            [
                translate(
                    "{gain} ({amount}) since the start",
                    gain=signed_percent(entry["pnl_pct"]),
                    amount=signed_usd(entry["pnl_usd"]),
                ),
                _holding(entry),
            ]
        ),
        ended(trades_won(entry["win_rate_pct"], entry["trades"])),
        *_liquidity(battle, entry),
        *_positions(battle, entry),
    ]
    return message(blocks, footer(battle, now, paper=True))


def lane_event(event: Mapping[str, Any]) -> str:
    """An event of the battle history, joined with its `lane`, the lane's `label` and the `world`."""
    label, kind = escaped(event["label"], 120), event["kind"]
    parts = [
        translate("{amount} moved", amount=usd(event["value_usd"])),
        translate("costs {amount}", amount=usd(event["cost_usd"], 2)),
        translate("result {amount}", amount=signed_usd(event["pnl_usd"])) if event["pnl_usd"] is not None else "",
    ]
    head = translate(EVENTS[kind], lane=label) if kind in EVENTS else f"{label} {escaped(words(kind), 60)}"
    blocks = [
        f"<b>{head}</b>",
        f"{escaped(event['subject'], 200)}: {escaped(event['note'], 200)}",
        ended(enumerated(parts)),
        f"/lane {escaped(event['lane'], 60)}",
    ]
    return message(blocks, f"<i>{translate('PAPER')} · {world(event)} · {instant(event['time'])}</i>")


def lanes_summary(battle: Mapping[str, Any]) -> str:
    """The lanes in one sentence: the total, the best and the worst."""
    by_name = {lane["name"]: lane for lane in battle["lanes"]}
    summary = battle["summary"]
    extremes = [
        f"{rank} {escaped(name, 60)} {signed_percent(by_name[name]['pnl_pct'])}"
        for rank, name in ((translate("best"), summary["best_lane"]), (translate("worst"), summary["worst_lane"]))
        if name in by_name
    ]
    results = [signed_percent(summary["pnl_pct"]), _holding(summary), *extremes]
    return f"{translate('Paper lanes')} {enumerated(results)}"


def _holding(result: Mapping[str, Any]) -> str:
    """What buying and holding the same assets would have made."""
    return translate("holding {gain}", gain=signed_percent(result["benchmark_pnl_pct"]))


def _title(entries: list[Mapping[str, Any]], venue: str | None) -> str:
    count = translate_plural("{n} lane", "{n} lanes", len(entries))
    if venue in VENUES:
        return f"{count} {translate(VENUES[venue])}"
    return enumerated([count, translate("{n} active", n=sum(bool(lane["active"]) for lane in entries))])


def _venue(key: str) -> str:
    return translate(VENUES[key]) if key in VENUES else escaped(key, 60)


def _row(lane: Mapping[str, Any]) -> tuple[str, ...]:
    return change_arrow(lane["pnl_pct"]), lane["name"], signed_percent(lane["pnl_pct"]), _status(lane)


def _status(lane: Mapping[str, Any]) -> str:
    return term(lane["status"] if lane["active"] else "not active")


def _liquidity(battle: Mapping[str, Any], lane: Mapping[str, Any]) -> list[str]:
    """The pools of a lane that provides liquidity, with their income and costs."""
    if lane["venue"] != "dex":
        return []
    entries = battle["venues"].get(lane["venue"], {}).get("liquidity", [])
    pools = [_pool(pool) for pool in entries if pool["lane"] == lane["name"]]
    harvests = translate_plural("{n} harvest", "{n} harvests", lane["harvest_count"] or 0)
    switches = translate_plural("{n} pool switch", "{n} pool switches", lane["switch_count"] or 0)
    return [*pools[:MAX_POSITIONS], ended(enumerated([harvests, switches]))]


def _pool(pool: Mapping[str, Any]) -> str:
    fees, divergence, gas = (
        signed_usd(amount) for amount in (pool["fees_usd"], pool["divergence_usd"], -pool["gas_usd"])
    )
    low, high, now = price(pool["range_low"]), price(pool["range_high"]), price(pool["price"])
    lines = [
        translate("range {low} to {high}, price {price}", low=low, high=high, price=now),
        translate("in range {percent} of the time", percent=percent(pool["in_range_pct"], 0)),
        translate("fees {fees}, divergence {divergence}, gas {gas}", fees=fees, divergence=divergence, gas=gas),
        translate("{gain} against holding the coins", gain=signed_percent(pool["vs_hodl_pct"])),
    ]
    return "\n".join([f"\n<b>{escaped(pool['pool'], 120)}</b>", *lines])


def _positions(battle: Mapping[str, Any], lane: Mapping[str, Any]) -> list[str]:
    """The open positions of a lane on an exchange."""
    if lane["venue"] != "cex":
        return []
    entries = battle["venues"].get(lane["venue"], {}).get("positions", [])
    positions = [position for position in entries if position["lane"] == lane["name"]]
    if not positions:
        return [translate("No open positions.")]
    rows = [
        (position["asset"], term(position["side"]), price(position["entry_price"]), signed_usd(position["pnl_usd"]))
        for position in positions[:MAX_POSITIONS]
    ]
    head = ("", "", translate("entry"), translate("gain"))
    return [f"\n{translate('Open positions:')}\n{table([head, *rows], '<6', '<5', '>8', '>11')}"]
