"""The settings of /alerts, and the morning digest."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bot.messages.apex import outlook
from bot.messages.battle import lanes_summary
from bot.messages.formats import change_arrow, direction_arrow, footer, price, signed_percent
from bot.messages.markup import escaped, message
from bot.messages.predictions import verdict

EVENTS = {
    "my_challenge": "My challenge is resolved",
    "flip": "The consensus changes sides",
    "lane": "A lane harvests fees or switches pools",
    "hospital": "A new hospital snapshot",
    "digest": "Morning digest",
}
STATES = {"on": "on", "silent": "silent", "off": "off"}


def alerts(switches: Mapping[str, str], digest: Mapping[str, Any] | None = None) -> str:
    """The state of every event; `digest` is the digest's hour and time zone, None if it was never set."""
    hour = f" at {digest['hour']:02d}:00 {escaped(digest['timezone'], 60)}" if digest else ""
    lines = [
        f"{EVENTS.get(event) or escaped(event, 60)}{hour if event == 'digest' and state != 'off' else ''}: "
        f"<b>{STATES.get(state) or escaped(state, 40)}</b>"
        for event, state in switches.items()
    ]
    return message(["<b>Your alerts</b>", *lines, "", "A silent alert makes no sound. Tap a button to change it."])


def digest(widget: Mapping[str, Any], battle: Mapping[str, Any], versus: Mapping[str, Any], now: datetime) -> str:
    """A day's summary: the Bitcoin price, the consensus, the news, the lanes and the track record."""
    today = now.astimezone(UTC)
    bitcoin, consensus, pulse = widget["btc"], widget["consensus"], widget["news"]
    change = bitcoin["change_24h_pct"]
    pnl_arrow = change_arrow(battle["summary"]["pnl_pct"])
    blocks = [
        f"<b>Digest, {today:%A} {today.day} {today:%B}</b>",
        f"{change_arrow(change)} Bitcoin {price(bitcoin['price'])} USD, {signed_percent(change)} in 24 hours",
        f"{direction_arrow(consensus['direction'])} {outlook(consensus)}"
        if consensus
        else "The oracle has no consensus yet.",
        f"{direction_arrow(pulse['direction'])} News score {pulse['score']:+.2f} ({pulse['n']:,} stories)"
        if pulse
        else "No news yet.",
        f"{pnl_arrow} {lanes_summary(battle)}",
        f"{verdict(versus)}.",
        "PAPER trading, research only. Not investment advice. Switch this off with /alerts.",
    ]
    return message(blocks, footer(widget, now))
