"""What a person hears unasked: the switches, and the morning digest."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bot.messages.apex import outlook
from bot.messages.battle import standing
from bot.messages.figures import arrow, change, footer, moved, price
from bot.messages.predictions import verdict
from bot.messages.writing import message, said

EVENTS = {
    "my_challenge": "My challenge is over",
    "flip": "The consensus changes sides",
    "lane": "A lane harvests or switches pools",
    "hospital": "A new hospital snapshot",
    "digest": "Morning digest",
}
STATES = {"on": "on", "silent": "silent", "off": "off"}


def alerts(switches: Mapping[str, str], digest: Mapping[str, Any] | None = None) -> str:
    """How each event is switched; `digest` is the hour and timezone of the digest, where it has one."""
    hour = f" at {digest['hour']:02d}:00 {said(digest['timezone'], 60)}" if digest else ""
    lines = [
        f"{EVENTS.get(event) or said(event, 60)}{hour if event == 'digest' and state != 'off' else ''}: "
        f"<b>{STATES.get(state) or said(state, 40)}</b>"
        for event, state in switches.items()
    ]
    return message(["<b>What I tell you by myself</b>", *lines, "", "Silent comes without a sound. Tap to change."])


def digest(widget: Mapping[str, Any], battle: Mapping[str, Any], versus: Mapping[str, Any], now: datetime) -> str:
    """A day's summary: bitcoin, the consensus, the news, the lanes, the record."""
    at = now.astimezone(UTC)
    bitcoin, consensus, pulse = widget["btc"], widget["consensus"], widget["news"]
    blocks = [
        f"<b>Digest, {at:%A} {at.day} {at:%B}</b>",
        f"{moved(bitcoin['change_24h_pct'])} Bitcoin {price(bitcoin['price'])} USD, "
        f"{change(bitcoin['change_24h_pct'])} in 24 hours",
        f"{arrow(consensus['direction'])} {outlook(consensus)}" if consensus else "The oracle has no consensus yet.",
        f"{arrow(pulse['direction'])} News score {pulse['score']:+.2f} ({pulse['n']} stories)"
        if pulse
        else "No news yet.",
        f"{moved(battle['summary']['pnl_pct'])} {standing(battle)}",
        f"{verdict(versus)}.",
        "PAPER trading, research only. Not investment advice. /alerts switches this off.",
    ]
    return message(blocks, footer(widget, now))
