"""Who was right how often in a row."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.messages.figures import counted, footer, percent
from bot.messages.writing import message, table

LEAST_N = 30  # resolved questions under which a rate says nothing
COLUMNS = ("<10", ">3", ">4", ">6", ">5")


def streaks(told: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """Each voter's present and best streak, what was committed live apart from what was backfilled."""
    books = [_book(told, backfilled) for backfilled in (False, True)]
    blocks = [
        "<b>Right in a row</b>: now, best, and how often right at all",
        "– stands for fewer than 30 to count.",
        *books,
    ]
    if not any(books):
        blocks.append("Nothing has resolved yet.")
    return message(blocks, footer(told, now))


def _book(told: Mapping[str, Any], backfilled: bool) -> str:
    listed = [one for one in told["streaks"] if one["backfilled"] == backfilled and one["resolved"]]
    if not listed:
        return "" if backfilled else "\n<b>Live</b>: nothing has resolved yet."
    head = f"\n<b>{'Backfilled' if backfilled else 'Live'}</b>"
    shown = table([("", "now", "best", "right", "n"), *map(_row, listed[:12])], *COLUMNS)
    return f"{head}\n{shown}\n{_luck(told, backfilled)}"


def _row(one: Mapping[str, Any]) -> tuple[object, ...]:
    rate = percent(one["accuracy_pct"] if one["n"] >= LEAST_N else None, 0)
    return one["oracle"], one["current"], one["best"], rate, f"{one['n']:,}"


def _luck(told: Mapping[str, Any], backfilled: bool) -> str:
    luck = next((one for one in told["luck"] if one["backfilled"] == backfilled), None)
    if luck is None or not luck["questions"]:
        return ""
    flips = f"{counted(luck['flippers'], 'coin flipper')} over {counted(luck['questions'], 'question')}"
    return f"Luck: of {flips} the best reaches {luck['expected_best']:.0f}."
