"""The open prediction markets, and the track record of the AI against the outside market."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from bot.messages.formats import UNKNOWN, asset, chance, footer, instant, percent, plural, price
from bot.messages.markup import escaped, message, pages, table

MARKETS_A_PAGE = 4
TOO_FEW = "not enough resolved markets"
FORECASTERS = (("AI", "ai"), ("market", "market"), ("base rate", "base_rate"))


def markets(document: Mapping[str, Any], *, now: datetime | None = None) -> list[str]:
    """The open markets in the API's order, numbered from 1, MARKETS_A_PAGE to a page."""
    listed = [market(number, entry) for number, entry in enumerate(document["markets"], 1)]
    tail = footer(document, now)
    if not listed:
        return [message(["No market is open right now. New markets open every day at 12:00 UTC."], tail)]
    return pages(listed, MARKETS_A_PAGE, f"<b>{plural(document['count'], 'open market')}</b>", tail)


def market(number: int, entry: Mapping[str, Any]) -> str:
    """One market: the probabilities of the AI, of the outside market and of the users."""
    current = f" · now {price(entry['context']['price'])}" if entry["context"] else ""
    backfilled = " · backfilled" if entry["backfilled"] else ""
    odds = outside_odds(entry["market_odds"])
    return "\n".join(
        [
            f"\n<b>{number}.</b> {escaped(entry['question'], 420)}",
            f"Yes: {_ai(entry['ai'])} · {odds} · {user_votes(entry['user_votes'])}",
            f"{asset(entry['asset'])}{current} · until {instant(entry['closes_at'])}{backfilled}",
        ]
    )


def user_votes(votes: Mapping[str, Any]) -> str:
    """The share of users that voted yes, with their number."""
    if not votes["total"]:
        return "no user votes"
    return f"users {percent(votes['yes_pct'], 0)} (n = {votes['total']:,})"


def outside_odds(odds: Mapping[str, Any] | None) -> str:
    """The outside market's probability of yes."""
    if not odds:
        return "no outside market"
    return f"market {chance(odds['p_yes'])}{' (SIMULATED)' if odds['simulated'] else ''}"


def accuracy(versus: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """The AI against the market: the live and the backfilled book, and each voter of the first with enough markets."""
    books = _live_first(versus)
    voters = next((_voters(book) for book in books if not _has_too_few(book)), "")
    blocks = [
        "<b>The AI against the market</b>",
        *(_book(book) for book in books[:4]),
        voters,
        "Brier score: mean squared error. Lower is better; a coin flip has 0.25.",
    ]
    return message(blocks, footer(versus, now))


def verdict(versus: Mapping[str, Any]) -> str:
    """The track record in one sentence, of the live book once it has enough resolved markets."""
    book = next((book for book in _live_first(versus) if not _has_too_few(book)), None)
    if book is None:
        return f"AI against market: {TOO_FEW}"
    ai, outside = (
        f"{percent(book[side]['accuracy_pct'], 0)} right (n = {book[side]['accuracy_n']:,})"
        for side in ("ai", "market")
    )
    return f"AI {ai}, market {outside}, {_name(book).lower()}: {escaped(book['verdict'], 120)}"


def _live_first(versus: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return sorted(versus["books"], key=lambda book: book["backfilled"])


def _has_too_few(book: Mapping[str, Any]) -> bool:
    """Whether a book has too few resolved markets for any number."""
    return book["verdict"] == TOO_FEW


def _name(book: Mapping[str, Any]) -> str:
    return "Backfilled" if book["backfilled"] else "Live"


def _ai(pool: Mapping[str, Any] | None) -> str:
    return f"AI {chance(pool['p_yes'])}" if pool else "no AI vote yet"


def _book(book: Mapping[str, Any]) -> str:
    head = f"\n<b>{_name(book)}</b>: {book['n']:,} resolved"
    if _has_too_few(book):
        return f"{head}\nNot enough resolved markets for a result yet."
    rows = [_scores(label, book[key]) for label, key in FORECASTERS]
    shown = table([("", "right", "n", "Brier"), *rows], "<9", ">6", ">6", ">7")
    return f"{head}\n{shown}\n{_reference(book['ai'])}\n{_difference(book)}"


def _scores(label: str, scores: Mapping[str, Any]) -> Sequence[str]:
    brier = UNKNOWN if scores["brier"] is None else f"{scores['brier']:.4f}"
    return label, percent(scores["accuracy_pct"]), f"{scores['accuracy_n']:,}", brier


def _reference(scores: Mapping[str, Any]) -> str:
    """What two forecasters without insight reach, and the AI's skill beyond them."""
    likelier, never = percent(scores["likelier_side_pct"]), percent(scores["always_no_pct"])
    skill = UNKNOWN if scores["skill"] is None else f"{100 * scores['skill']:+.1f}%"
    line = f"Right without insight: always the likelier side {likelier}, always NO {never}."
    return f"{line}\nSkill of the AI over how often such markets came true before: {skill}."


def _difference(book: Mapping[str, Any]) -> str:
    summary = escaped(book["verdict"], 120).capitalize()
    gap = book["difference"]
    if gap is None:
        return f"{summary}."
    interval = f"95% interval {gap['low']:+.4f} to {gap['high']:+.4f}"
    return f"{summary}: Brier scores differ by {gap['mean']:+.4f}, {interval}."


def _voters(book: Mapping[str, Any]) -> str:
    rows = [_scores(voter["voter"], voter) for voter in book["voters"][:12]]
    return f"\n<b>Each voter</b>, {_name(book).lower()}\n{table(rows, '<9', '>6', '>6', '>7')}" if rows else ""
