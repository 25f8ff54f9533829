"""Each voter's streak of correct predictions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.languages import translate
from bot.messages.formats import book_name, decimal, footer, percent
from bot.messages.markup import escaped, message, table

MIN_N = 30  # resolved questions below which an accuracy is not shown
COLUMNS = ("<9", ">4", ">5", ">7", ">5")


def streaks(document: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """Each voter's current and best streak, first of live votes, then of backfilled ones."""
    books = [_book(document, backfilled) for backfilled in (False, True)]
    blocks = [
        translate(
            "<b>Correct in a row</b>: current and best streak, and the share of votes with a side that were right"
        ),
        translate("– means fewer than {n} such votes.", n=MIN_N),
        *books,
    ]
    if not any(books):
        blocks.append(translate("Nothing is resolved yet."))
    return message(blocks, footer(document, now))


def _book(document: Mapping[str, Any], backfilled: bool) -> str:
    listed = [row for row in document["streaks"] if row["backfilled"] == backfilled and row["resolved"]]
    if not listed:
        return "" if backfilled else "\n" + translate("<b>Live</b>: nothing is resolved yet.")
    head = f"\n<b>{book_name(listed[0])}</b>"
    columns = ("", translate("now"), translate("max"), translate("right"), "n")
    shown = table([columns, *map(_row, listed[:12])], *COLUMNS)
    return f"{head}\n{shown}\n{_luck(listed[0])}"


def _row(row: Mapping[str, Any]) -> tuple[object, ...]:
    accuracy = percent(row["accuracy_pct"] if row["n"] >= MIN_N else None, 0)
    return row["oracle"], row["current"], row["best"], accuracy, decimal(row["n"], 0)


def _luck(row: Mapping[str, Any]) -> str:
    """What the first row would reach without insight, and by luck alone."""
    luck = row["luck"]
    if luck is None:
        return ""
    name, reached = escaped(row["oracle"], 40), percent(luck["best_reached_pct"], 0)
    right = percent(row["always_no_pct"], 0) if row["n"] >= MIN_N else None
    text = translate(
        "If the probabilities of {voter} are right, luck alone gives it such a best streak in {percent} of cases.",
        voter=name,
        percent=reached,
    )
    if right is None:
        return text
    beside = translate("On its questions, NO every time is right {percent} of the time.", percent=right)
    return f"{text} {beside}"
