"""The settings of /alerts and of groups, the morning digest, and the weekly digest of groups."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.languages import LANGUAGES, english, labelled, language, translate, translate_plural, zone
from bot.messages import research
from bot.messages.formats import (
    Document,
    change_arrow,
    direction_arrow,
    footer,
    percent,
    price,
    signed_percent,
    term,
    weekday_and_date,
)
from bot.messages.markup import escaped, message
from bot.messages.predictions import OUTCOMES, ai, mark, question, verdict

EVENTS = {
    "followed": english("What I follow"),
    "flip": english("The consensus changes sides"),
    "digest": english("Daily digest"),
}
SETTINGS = {"weekly": english("Weekly digest"), "commands_only": english("Only commands")}
WEEK = timedelta(days=7)
MAX_ENTRIES = 3  # resolved markets and open challenges


def alerts(digest_hour: str | None = None, quiet_hours: str | None = None) -> str:
    """The hours of the digest and of quiet, such as 22-7, None if not set; the buttons say the state of every event."""
    hours = "–".join(map(_full_hour, quiet_hours.split("-"))) if quiet_hours else ""
    lines = [
        translate("<b>Your alerts</b>"),
        labelled(translate("Digest hour"), _full_hour(digest_hour)) if digest_hour else "",
        translate("Quiet hours: {hours}", hours=hours) if hours else "",
        labelled(translate("Time zone"), escaped(zone().key, 60)),
        translate("A silent alert makes no sound. Tap a button to change it."),
    ]
    return message(lines)


def digest(widget: Document, battle: Document, versus: Document, now: datetime) -> str:
    """A day's summary; `now` is an aware datetime in the reader's time zone, whose date is shown."""
    bitcoin, consensus, pulse = widget["btc"], widget["consensus"], widget["news"]
    change = bitcoin["change_24h_pct"]
    blocks = [
        translate("<b>Digest, {day}</b>", day=weekday_and_date(now)),
        f"{change_arrow(change)} {bitcoin_price(bitcoin)}",
        f"{direction_arrow(consensus['direction'])} {outlook(consensus)}"
        if consensus
        else translate("The oracle has no consensus yet."),
        research.news(pulse),
        research.lanes(battle),
        verdict(versus),
        translate("PAPER trading, research only. Not investment advice. Switch this off with /alerts."),
    ]
    return message(blocks, footer(widget, now))


def flipped(widget: Document) -> str:
    """The consensus has changed sides."""
    new = widget["consensus"]
    blocks = [
        f"<b>{direction_arrow(new['direction'])} "
        + translate("The consensus is now: {direction}", direction=escaped(term(new["direction"]), 40))
        + "</b>",
        outlook(new),
        bitcoin_price(widget["btc"]),
    ]
    return message(blocks, footer(widget))


def outlook(consensus: Document) -> str:
    """The consensus for its horizon, in one line."""
    bull, bear = (percent(consensus[f"{side}_probability"], 0) for side in ("bull", "bear"))
    return translate_plural(
        "Next {n} hour: bull {bull}, bear {bear}, {strength}",
        "Next {n} hours: bull {bull}, bear {bear}, {strength}",
        consensus["horizon_hours"],
        bull=bull,
        bear=bear,
        strength=escaped(term(consensus["strength"]), 40),
    )


def bitcoin_price(bitcoin: Document) -> str:
    """The Bitcoin price and its change."""
    change = signed_percent(bitcoin["change_24h_pct"])
    return translate("Bitcoin {price} USD, {change} in 24 hours", price=price(bitcoin["price"]), change=change)


def _full_hour(hour: str) -> str:
    return f"{int(hour):02d}:00"


def group_settings() -> str:
    """/settings in a group, above the buttons that say the state of every switch."""
    lines = [
        translate("<b>Settings of this group</b>"),
        labelled(translate("Language"), LANGUAGES[language()]),
        translate("The digest comes on Mondays at 08:00 UTC. With “only commands” I ignore mentions and replies."),
    ]
    return message(lines)


def weekly(resolutions: Document, versus: Document, battle: Document, challenges: Document, now: datetime) -> str:
    """What the markets of the week before `now` came to, the AI's track record, the lanes, the open challenges."""
    markets = [market for market in resolutions["markets"] if _is_of_week(market, now)]
    blocks = [
        translate("<b>The week to {day}</b>", day=weekday_and_date(now)),
        _counts(markets),
        *map(_outcome, markets[:MAX_ENTRIES]),
        verdict(versus),
        research.lanes(battle),
        *_challenges(challenges),
        translate("PAPER trading, research only. Not investment advice. Switch this off with /settings."),
    ]
    return message(blocks, footer(battle))


def _is_of_week(market: Document, now: datetime) -> bool:
    """Whether a market was voted on live and decided in the seven days before `now`."""
    resolution = market["resolution"]
    if market["backfilled"] or resolution["outcome"] not in ("yes", "no"):
        return False
    return now - WEEK < datetime.fromisoformat(resolution["resolved_at"]) <= now


def _counts(markets: Sequence[Document]) -> str:
    yes = sum(market["resolution"]["outcome"] == "yes" for market in markets)
    return translate_plural(
        "{n} market resolved: {yes} yes, {no} no.",
        "{n} markets resolved: {yes} yes, {no} no.",
        len(markets),
        yes=yes,
        no=len(markets) - yes,
    )


def _outcome(market: Document) -> str:
    outcome, pool = market["resolution"]["outcome"], market["ai"]
    forecast = f" · {ai(pool)} {mark(pool['p_yes'], outcome)}" if pool else ""
    return f"<i>{escaped(question(market), 200)}</i> {translate(OUTCOMES[outcome])}{forecast}"


def _challenges(document: Document) -> list[str]:
    """The number of open challenges, and the newest with the command that shows them here."""
    head = translate_plural("<b>{n} open challenge</b>", "<b>{n} open challenges</b>", document["count"])
    lines = [
        f"/challenge {challenge['number']} <i>{escaped(challenge['question'], 200)}</i>"
        for challenge in document["challenges"][:MAX_ENTRIES]
    ]
    return [head, *lines] if document["count"] else []
