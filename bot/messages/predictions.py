"""The open prediction markets, and the record of the AI against the outside market."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from bot.messages.figures import UNKNOWN, asset, chance, footer, instant, percent, price
from bot.messages.writing import message, pages, said, table

MARKETS_A_PAGE = 4
TOO_FEW = "not enough resolved markets"


def markets(told: Mapping[str, Any], *, now: datetime | None = None) -> list[str]:
    """The open markets, MARKETS_A_PAGE to a page in the order given; the number before each is its place."""
    listed = [market(place, one) for place, one in enumerate(told["markets"], 1)]
    if not listed:
        return [message(["No market is open right now. New ones open every day at 12:00 UTC."], footer(told, now))]
    return pages(listed, MARKETS_A_PAGE, f"<b>{told['count']} open markets</b>", footer(told, now))


def market(place: int, one: Mapping[str, Any]) -> str:
    """One market: what the AIs, the outside market and the users say of it."""
    now_at = one["context"] and f" · now {price(one['context']['price'])}"
    marks = " · backfilled" if one["backfilled"] else ""
    return "\n".join(
        [
            f"\n<b>{place}.</b> {said(one['question'], 420)}",
            f"Yes: {_ai(one['ai'])} · {_outside(one['market_odds'])} · {users(one['user_votes'])}",
            f"{asset(one['asset'])}{now_at or ''} · until {instant(one['closes_at'])}{marks}",
        ]
    )


def users(votes: Mapping[str, Any]) -> str:
    """What the users say, with how many they are."""
    if not votes["total"]:
        return "no user votes"
    return f"users {percent(votes['yes_pct'], 0)} (n = {votes['total']:,})"


def accuracy(versus: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """The AI against the market, each book by itself, and each voter of the one that has enough."""
    books = sorted(versus["books"], key=lambda book: book["backfilled"])
    known = [book for book in books if not too_few(book)]
    blocks = [
        "<b>The AI against the market</b>",
        *(_book(book) for book in books[:4]),
        *(_voters(book) for book in known[:1]),
        "Brier: mean squared error, lower is better; 0.25 is a coin.",
    ]
    return message(blocks, footer(versus, now))


def too_few(book: Mapping[str, Any]) -> bool:
    """Whether a book has too few resolved markets for a number."""
    return book["verdict"] == TOO_FEW


def name_of(book: Mapping[str, Any]) -> str:
    """Which book this is."""
    return "Backfilled" if book["backfilled"] else "Live"


def verdict(versus: Mapping[str, Any]) -> str:
    """The record in a sentence, of the live book once it has enough."""
    books = sorted(versus["books"], key=lambda book: book["backfilled"])
    chosen = next((book for book in books if not too_few(book)), None)
    if chosen is None:
        return f"AI against market: {TOO_FEW}"
    ai, market = (
        f"{percent(chosen[one]['accuracy_pct'], 0)} right (n = {chosen[one]['accuracy_n']:,})"
        for one in ("ai", "market")
    )
    return f"AI {ai}, market {market}, {name_of(chosen).lower()}: {said(chosen['verdict'], 120)}"


def _ai(pool: Mapping[str, Any] | None) -> str:
    return f"AI {chance(pool['p_yes'])}" if pool else "AI not known yet"


def _outside(odds: Mapping[str, Any] | None) -> str:
    if not odds:
        return "no outside market"
    return f"market {chance(odds['p_yes'])}{' (SIMULATED)' if odds['simulated'] else ''}"


def _book(book: Mapping[str, Any]) -> str:
    head = f"\n<b>{name_of(book)}</b>: {book['n']:,} resolved"
    if too_few(book):
        return f"{head}\nNot enough resolved markets to say anything yet."
    rows = [
        _scored(label, book[key]) for label, key in (("AI", "ai"), ("market", "market"), ("base rate", "base_rate"))
    ]
    shown = table([("", "right", "n", "Brier"), *rows], "<9", ">6", ">6", ">7")
    return f"{head}\n{shown}\n{_verdict(book)}"


def _scored(label: str, scores: Mapping[str, Any]) -> Sequence[str]:
    return label, percent(scores["accuracy_pct"]), f"{scores['accuracy_n']:,}", _brier(scores["brier"])


def _verdict(book: Mapping[str, Any]) -> str:
    found = said(book["verdict"], 120).capitalize()
    gap = book["difference"]
    if gap is None:
        return f"{found}."
    return f"{found}: Brier differs by {gap['mean']:+.4f}, 95% interval {gap['low']:+.4f} to {gap['high']:+.4f}."


def _voters(book: Mapping[str, Any]) -> str:
    rows = [_scored(one["voter"], one) for one in book["voters"][:12]]
    return f"\n<b>Each voter</b>, {name_of(book).lower()}\n{table(rows, '<9', '>6', '>6', '>7')}" if rows else ""


def _brier(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.4f}"
