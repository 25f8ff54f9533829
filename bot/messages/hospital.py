"""The health of the strategies when a month closed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.messages.figures import UNKNOWN, footer, words
from bot.messages.writing import message, pages, said, table

A_PAGE = 15  # strategies come in threes
ORDER = ("healthy", "watch", "sick", "critical", "observation")
MARKS = {"healthy": "▲", "watch": "■", "sick": "▼", "critical": "✗", "observation": "·"}
CHANGES_SHOWN = 8


def hospital(told: Mapping[str, Any], category: str | None = None, *, now: datetime | None = None) -> list[str]:
    """The strategies of all categories or one, the healthiest first, under how many are how well."""
    wanted = category and category.strip().lower()
    kinds = sorted({one["category"] for one in told["strategies"]})
    shown = [one for one in told["strategies"] if wanted in (None, one["category"])]
    if not shown:
        known = "\n".join(f"/hospital {said(kind, 60)}" for kind in kinds[:20])
        return [message(["There is no such category. Send one of these:", known])]
    shown = sorted(shown, key=lambda one: (one["health_score"] is None, -(one["health_score"] or 0)))
    head = f"<b>Hospital {said(told['snapshot_month'], 40)}{' · ' + said(wanted, 60) if wanted else ''}</b>"
    tail = f"{_legend(shown)}\n{_caveat(told)}\n{footer(told, now, paper=True)}"
    tables = [table(map(_row, shown[at : at + A_PAGE]), "<1", ">3", "<27") for at in range(0, len(shown), A_PAGE)]
    return pages(tables, 1, head, tail)


def snapshot(told: Mapping[str, Any]) -> str:
    """A new month was examined: how many are how well, and who changed."""
    changes = told["summary"]["changes"]
    rows = [(MARKS.get(one["now"], "?"), one["key"]) for one in changes[:CHANGES_SHOWN]]
    more = len(changes) - CHANGES_SHOWN
    blocks = [
        f"<b>New hospital snapshot: {said(told['snapshot_month'], 40)}</b>",
        f"{told['summary']['strategies']} strategies: {_by_status(told['summary']['status'])}.",
        f"{len(changes)} changed, and are now:" if changes else "Nobody changed.",
        table(rows, "<1", "<30") if rows else "",
        f"and {more} more." if more > 0 else "",
        "/hospital shows them all.",
        _caveat(told),
    ]
    return message(blocks, footer(told, paper=True))


def _row(one: Mapping[str, Any]) -> tuple[str, ...]:
    score = one["health_score"]
    return MARKS.get(one["status"], "?"), UNKNOWN if score is None else f"{score:.0f}", one["key"]


def _legend(shown: list[Mapping[str, Any]]) -> str:
    counts: dict[str, int] = {}
    for one in shown:
        counts[one["status"]] = counts.get(one["status"], 0) + 1
    return _by_status(counts)


def _by_status(counts: Mapping[str, int]) -> str:
    """How many are how well, in the order of health; a status that is not known is told as it is."""
    names = [*(name for name in ORDER if counts.get(name)), *(name for name in counts if name not in ORDER)]
    told = [f"{MARKS.get(name, '?')} {counts[name]} {said(words(name), 40)}" for name in names[:8]]
    return ", ".join(told)


def _caveat(told: Mapping[str, Any]) -> str:
    return said(told["summary"]["caveat"], 300)
