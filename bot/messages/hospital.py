"""The monthly snapshot of the strategies' health."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.languages import translate, translate_plural
from bot.languages.punctuation import ended, enumerated, labelled
from bot.messages.formats import UNKNOWN, decimal, footer
from bot.messages.markup import MORE, escaped, message, pages, table
from bot.messages.terms import term

A_PAGE = 15  # strategies
STATUSES = ("healthy", "watch", "sick", "critical", "observation")
MARKS = {"healthy": "▲", "watch": "■", "sick": "▼", "critical": "✗", "observation": "·"}
CHANGES_SHOWN = 8


def hospital(document: Mapping[str, Any], category: str | None = None, *, now: datetime | None = None) -> list[str]:
    """The strategies of all categories or of one, the healthiest first, with the number in each status."""
    category = category and category.strip().lower()
    strategies = document["strategies"]
    shown = [strategy for strategy in strategies if category in (None, strategy["category"])]
    if not shown:
        categories = sorted({strategy["category"] for strategy in strategies})
        choices = "\n".join(f"/hospital {escaped(choice, 60)}" for choice in categories[:20])
        return [message([translate("There is no such category. Send one of these:"), choices])]
    shown = sorted(shown, key=lambda strategy: (strategy["health_score"] is None, -(strategy["health_score"] or 0)))
    chosen = f" · {escaped(category, 60)}" if category else ""
    head = f"<b>{translate('Hospital {month}', month=escaped(document['snapshot_month'], 40))}{chosen}</b>"
    counts = _counts(Counter(strategy["status"] for strategy in shown))
    tail = f"{counts}\n{_caveat()}\n{footer(document, now, paper=True)}"
    tables = [table(map(_row, shown[at : at + A_PAGE]), "<1", ">3", "<27") for at in range(0, len(shown), A_PAGE)]
    return pages(tables, 1, head, tail)


def snapshot(document: Mapping[str, Any]) -> str:
    """An alert about a new month: the number in each status, and the strategies whose status changed."""
    summary = document["summary"]
    changes = summary["changes"]
    rows = [(MARKS.get(change["now"], "?"), change["key"]) for change in changes[:CHANGES_SHOWN]]
    more = len(changes) - CHANGES_SHOWN
    blocks = [
        translate("<b>New hospital snapshot: {month}</b>", month=escaped(document["snapshot_month"], 40)),
        ended(
            labelled(
                translate_plural("{n} strategy", "{n} strategies", summary["strategies"]), _counts(summary["status"])
            )
        ),
        translate("Status changes ({n}):", n=len(changes)) if changes else translate("No status changed."),
        table(rows, "<1", "<30") if rows else "",
        translate(MORE, n=more) if more > 0 else "",
        translate("/hospital shows all of them."),
        _caveat(),
    ]
    return message(blocks, footer(document, paper=True))


def _row(strategy: Mapping[str, Any]) -> tuple[str, ...]:
    score = strategy["health_score"]
    return MARKS.get(strategy["status"], "?"), UNKNOWN if score is None else decimal(score, 0), strategy["key"]


def _counts(counts: Mapping[str, int]) -> str:
    """The number in each status, from healthy to critical; an unknown status keeps its own name."""
    names = [*(name for name in STATUSES if counts.get(name)), *(name for name in counts if name not in STATUSES)]
    return enumerated(f"{MARKS.get(name, '?')} {counts[name]} {escaped(term(name), 40)}" for name in names[:8])


def _caveat() -> str:
    """What a score does not say; the service writes it in English only."""
    return translate("A score describes the 90 days before the end of the month. It is a weak guide to later results.")
