"""Each voter's streak of correct predictions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.messages.formats import footer, percent
from bot.messages.markup import escaped, message, table

MIN_N = 30  # resolved questions below which an accuracy is not shown
COLUMNS = ("<10", ">3", ">4", ">6", ">5")


def streaks(document: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """Each voter's current and best streak, first of live votes, then of backfilled ones."""
    books = [_book(document, backfilled) for backfilled in (False, True)]
    blocks = [
        "<b>Correct in a row</b>: current and best streak, and the share of votes with a side that were right",
        f"– means fewer than {MIN_N} such votes.",
        *books,
    ]
    if not any(books):
        blocks.append("Nothing is resolved yet.")
    return message(blocks, footer(document, now))


def _book(document: Mapping[str, Any], backfilled: bool) -> str:
    listed = [row for row in document["streaks"] if row["backfilled"] == backfilled and row["resolved"]]
    if not listed:
        return "" if backfilled else "\n<b>Live</b>: nothing is resolved yet."
    head = f"\n<b>{'Backfilled' if backfilled else 'Live'}</b>"
    shown = table([("", "now", "best", "right", "n"), *map(_row, listed[:12])], *COLUMNS)
    return f"{head}\n{shown}\n{_luck(listed[0])}"


def _row(row: Mapping[str, Any]) -> tuple[object, ...]:
    accuracy = percent(row["accuracy_pct"] if row["n"] >= MIN_N else None, 0)
    return row["oracle"], row["current"], row["best"], accuracy, f"{row['n']:,}"


def _luck(row: Mapping[str, Any]) -> str:
    """What the first row would reach without insight, and by luck alone."""
    luck = row["luck"]
    if luck is None:
        return ""
    name, reached = escaped(row["oracle"], 40), percent(luck["best_reached_pct"], 0)
    right = percent(row["always_no_pct"], 0) if row["n"] >= MIN_N else None
    beside = f" On its questions, NO every time is right {right} of the time." if right else ""
    return f"If {name}'s probabilities are right, luck alone gives it such a best streak in {reached} of cases.{beside}"
