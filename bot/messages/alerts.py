"""The settings of /alerts, and the morning digest."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot.languages import english, translate, translate_plural
from bot.languages.punctuation import labelled
from bot.messages.apex import bitcoin_price, outlook
from bot.messages.battle import lanes_summary
from bot.messages.formats import change_arrow, direction_arrow, footer, signed_decimal, weekday_and_date
from bot.messages.markup import escaped, message
from bot.messages.predictions import verdict

if TYPE_CHECKING:
    from bot.store import Hours

EVENTS = {
    "followed": english("What I follow"),
    "flip": english("The consensus changes sides"),
    "lane": english("A lane harvests fees or switches pools"),
    "hospital": english("A new hospital snapshot"),
    "digest": english("Daily digest"),
}
STATES = {"on": english("on"), "silent": english("silent"), "off": english("off")}


def alerts(switches: Mapping[str, str], digest: Mapping[str, Any] | None = None, quiet: Hours | None = None) -> str:
    """The state of every event, with the digest's hour and time zone and the quiet hours, None if not set."""
    hour = f" ({digest['hour']:02d}:00 {escaped(digest['timezone'], 60)})" if digest else ""
    lines = [
        labelled(
            f"{_name(EVENTS, event, 60)}{hour if event == 'digest' and state != 'off' else ''}",
            f"<b>{_name(STATES, state, 40)}</b>",
        )
        for event, state in switches.items()
    ]
    if quiet:
        hours = f"{quiet.begin:02d}:00–{quiet.end:02d}:00 {escaped(quiet.timezone, 60)}"
        lines.append(translate("Quiet hours: {hours}", hours=hours))
    head = translate("<b>Your alerts</b>")
    return message([head, *lines, "", translate("A silent alert makes no sound. Tap a button to change it.")])


def digest(widget: Mapping[str, Any], battle: Mapping[str, Any], versus: Mapping[str, Any], now: datetime) -> str:
    """A day's summary: the Bitcoin price, the consensus, the news, the lanes and the track record.

    `now` is an aware datetime in the reader's time zone, whose date is shown.
    """
    bitcoin, consensus, pulse = widget["btc"], widget["consensus"], widget["news"]
    change = bitcoin["change_24h_pct"]
    pnl_arrow = change_arrow(battle["summary"]["pnl_pct"])
    blocks = [
        translate("<b>Digest, {day}</b>", day=weekday_and_date(now)),
        f"{change_arrow(change)} {bitcoin_price(bitcoin)}",
        f"{direction_arrow(consensus['direction'])} {outlook(consensus)}"
        if consensus
        else translate("The oracle has no consensus yet."),
        f"{direction_arrow(pulse['direction'])} {_news(pulse)}",
        f"{pnl_arrow} {lanes_summary(battle)}",
        verdict(versus),
        translate("PAPER trading, research only. Not investment advice. Switch this off with /alerts."),
    ]
    return message(blocks, footer(widget, now))


def _name(names: Mapping[str, str], key: str, limit: int) -> str:
    return translate(names[key]) if key in names else escaped(key, limit)


def _news(pulse: Mapping[str, Any]) -> str:
    return translate_plural(
        "Bitcoin news score {score} ({n} story)",
        "Bitcoin news score {score} ({n} stories)",
        pulse["n"],
        score=signed_decimal(pulse["score"], 2),
    )
