"""Markets, and the track record in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.languages import english, translate, translate_plural
from bot.languages.punctuation import bracketed
from bot.messages.formats import (
    as_of,
    asset,
    book_name,
    chance,
    footer,
    instant,
    percent,
    price,
    sentence,
    term,
    world,
)
from bot.messages.markup import escaped, message, pages

MARKETS_A_PAGE = 4
HOW_TO_FORECAST = english("Tap a percentage to forecast yes. Only you see it until the market is decided.")
NO_VERDICT = "not enough resolved markets"  # the API's verdict
ACCURACY = {"percent": "accuracy_pct", "low": "accuracy_low_pct", "high": "accuracy_high_pct"}


def markets(
    document: Mapping[str, Any], own_votes: Mapping[str, str] | None = None, *, now: datetime | None = None
) -> list[str]:
    """The open markets in the API's order, numbered from 1, MARKETS_A_PAGE to a page; own votes are by market id."""
    own = own_votes or {}
    blocks = [market(number, entry, own.get(entry["id"])) for number, entry in enumerate(document["markets"], 1)]
    tail = footer(document, now)
    if not blocks:
        return [message([translate("No market is open right now. New markets open every day at 12:00 UTC.")], tail)]
    head = translate_plural("<b>{n} open market</b>", "<b>{n} open markets</b>", document["count"])
    return pages(blocks, MARKETS_A_PAGE, head, tail)


def one_market(entry: Mapping[str, Any]) -> str:
    """The page of a market: what all sides give it now, how it will be settled, and how it was."""
    outcome, latest = entry["resolution"]["outcome"], entry["ai_now"]
    own_vote, own_forecast = entry["my_vote"], entry["my_forecast"]
    votes = [
        _ai(entry["ai"]),
        translate("AI now {chance}", chance=chance(latest["p_yes"])) if latest else "",
        outside_odds(entry["market_odds"]),
        user_votes(entry["user_votes"], own_vote and own_vote["vote"]),
    ]
    blocks = [
        f"<b>{escaped(entry['question'], 800)}</b>",
        translate("Yes: {votes}", votes=" · ".join(part for part in votes if part)),
        translate("Your forecast: yes {chance}", chance=chance(own_forecast["p_yes"])) if own_forecast else "",
        _facts(entry),
        translate("Resolved: {outcome}", outcome=escaped(term(outcome), 20)) if outcome else "",
        translate("Evidence: {evidence}", evidence=sentence(entry["resolution"]["evidence"], 400)) if outcome else "",
        translate("Rule: {rule}", rule=sentence(entry["resolution"]["rule"], 400)) if not outcome else "",
        translate(HOW_TO_FORECAST) if entry["status"] == "open" else "",
    ]
    latest_at = entry["resolution"]["resolved_at"] or (latest and latest["as_of"]) or entry["created_at"]
    return message(blocks, f"<i>{world(entry)} · {as_of(latest_at)}</i>\n{translate('Not investment advice.')}")


def _facts(entry: Mapping[str, Any]) -> str:
    """The asset, its price, the end of the market, and whether it was backfilled."""
    parts = [
        asset(entry["asset"]),
        translate("now {price}", price=price(entry["context"]["price"])) if entry["context"] else "",
        translate("until {date}", date=instant(entry["closes_at"])),
        translate("backfilled") if entry["backfilled"] else "",
    ]
    return " · ".join(part for part in parts if part)


def chance_levels(entry: Mapping[str, Any]) -> list[int]:
    """Probabilities in percent about ten points below and above that of the AI, without those that cannot come."""
    latest = entry["ai_now"] or entry["ai"]
    if latest is None:
        return []
    levels = (round((100 * latest["p_yes"] + step) / 5) * 5 for step in (-10, 10))
    return [level for level in levels if 5 <= level <= 95]


def market(number: int, entry: Mapping[str, Any], own_vote: str | None = None) -> str:
    """One market: the probabilities of the AI, of the outside market and of the users."""
    votes = f"{_ai(entry['ai'])} · {outside_odds(entry['market_odds'])} · {user_votes(entry['user_votes'], own_vote)}"
    return "\n".join(
        [
            f"\n<b>{number}.</b> {escaped(entry['question'], 420)}",
            translate("Yes: {votes}", votes=votes),
            _facts(entry),
        ]
    )


def user_votes(votes: Mapping[str, Any], own_vote: str | None = None) -> str:
    """The share of users that voted yes, with their number, and the reader's own vote."""
    own_text = f", {translate('your vote: {vote}', vote=escaped(term(own_vote), 20))}" if own_vote else ""
    if not votes["total"]:
        return translate("no user votes") + own_text
    return translate("users {percent} (n = {n})", percent=percent(votes["yes_pct"], 0), n=votes["total"]) + own_text


def outside_odds(odds: Mapping[str, Any] | None) -> str:
    """The outside market's probability of yes."""
    if not odds:
        return translate("no outside market")
    return translate("market {chance}", chance=chance(odds["p_yes"])) + _simulated(odds)


def _simulated(odds: Mapping[str, Any]) -> str:
    """The mark of odds, or of a book with odds, of no real market."""
    return bracketed(translate("SIMULATED")) if odds["simulated"] else ""


def verdict(versus: Mapping[str, Any]) -> str:
    """The track record in one sentence, of the live book once it has enough resolved markets."""
    book = next((book for book in _live_first(versus) if not _has_too_few(book)), None)
    if book is None:
        return translate("AI against market: {verdict}.", verdict=term(NO_VERDICT))
    ai, outside = (
        translate(
            "{percent} right (n = {n}, 95% interval {low} to {high})",
            n=book[side]["accuracy_n"],
            **{name: percent(book[side][field], 0) for name, field in ACCURACY.items()},
        )
        for side in ("ai", "market")
    )
    return translate(
        "AI {ai}, market {market}, {book}: {verdict}.",
        ai=ai,
        market=outside + _simulated(book),
        book=book_name(book).lower(),
        verdict=escaped(term(book["verdict"]), 120),
    )


def _live_first(versus: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return sorted(versus["books"], key=lambda book: book["backfilled"])


def _has_too_few(book: Mapping[str, Any]) -> bool:
    """Whether a book has too few resolved markets for any number."""
    return book["verdict"] == NO_VERDICT


def _ai(pool: Mapping[str, Any] | None) -> str:
    return translate("AI {chance}", chance=chance(pool["p_yes"])) if pool else translate("no AI vote yet")
