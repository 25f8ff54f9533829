"""The hospital: what each strategy's health says should become of it, once a month and kept for ever.

A snapshot looks at the days and trades up to its month's end and at the snapshots before it, and at nothing else:
made later, from a longer history, it is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any, get_args

import numpy as np

from service.market.clock import World
from service.market.instants import iso
from service.trading.health import effective_number
from service.trading.months import ends, month_before, month_of
from service.trading.triage import WINDOW_DAYS, Entry, Past, Patient, Recommendation, Status, entry_of

CAVEAT = "A score describes the 90 days before the month's end. It is no promise of what comes after them."
PATH = "/api/v1/strategy-hospital"
# Where the page of the docs tells how a score is made.
METHODOLOGY = f"/docs#get-{PATH}"


@dataclass(frozen=True)
class Change:
    """A strategy whose status is not that of the month before."""

    key: str
    before: str
    now: Status


@dataclass(frozen=True)
class Summary:
    """The ward in numbers; `effective_strategies` is how many independent ones they amount to."""

    strategies: int
    effective_strategies: float
    status: dict[str, int]
    recommendation: dict[str, int]
    mean_score: float | None
    median_score: float | None
    changes: tuple[Change, ...]
    caveat: str


@dataclass(frozen=True)
class Links:
    """Where the method is told, where the month before is, and the months there are up to this one."""

    methodology: str
    history: str | None
    months: tuple[str, ...]


@dataclass(frozen=True)
class Hospital:
    """The snapshot of one month, by score; it is out of date when the next month has closed."""

    schema: str
    timestamp: str
    as_of: str
    stale_after: str
    world: World
    sources: dict[str, str]
    snapshot_month: str
    summary: Summary
    strategies: tuple[Entry, ...]
    links: Links


def past(document: Mapping[str, Any]) -> dict[str, Past]:
    """What a snapshot that went through JSON said of each strategy."""
    return {entry["key"]: Past(entry["status"], entry["health_score"]) for entry in document["strategies"]}


def snapshot(
    month: str,
    patients: Sequence[Patient],
    before: Mapping[str, Mapping[str, Past]],
    *,
    made_at: int,
    world: World,
    sources: Mapping[str, str],
) -> Hospital:
    """The snapshot of a month that is over.

    `before` maps earlier months to what their snapshots said, of which those since two months ago are looked at;
    `made_at` is a unix second of world time; `sources` names where the bars came from.
    """
    window = [patient.returns[-WINDOW_DAYS:] for patient in patients]
    tried = effective_number(np.array(window))
    entries = [entry_of(patient, month, before, tried) for patient in patients]
    entries.sort(key=lambda entry: (-entry.health_score, entry.key))
    previous = month_before(month)
    months = tuple(sorted({*(name for name in before if name < month), month}))
    return Hospital(
        schema="strategy-hospital/1",
        timestamp=iso(made_at),
        as_of=iso(ends(month)),
        stale_after=iso(ends(month_of(ends(month)))),
        world=world,
        sources=dict(sources),
        snapshot_month=month,
        summary=_summary(entries, tried),
        strategies=tuple(entries),
        links=Links(METHODOLOGY, f"{PATH}?month={previous}" if previous in before else None, months),
    )


def _summary(entries: Sequence[Entry], tried: float) -> Summary:
    scores = [entry.health_score for entry in entries]
    changes = (
        Change(entry.key, entry.metrics.previous_status, entry.status)
        for entry in entries
        if entry.metrics.previous_status not in (None, entry.status)
    )
    return Summary(
        strategies=len(entries),
        effective_strategies=round(tried, 2),
        status=_counts(Status, [entry.status for entry in entries]),
        recommendation=_counts(Recommendation, [entry.recommendation for entry in entries]),
        mean_score=round(fmean(scores), 2) if scores else None,
        median_score=round(median(scores), 2) if scores else None,
        changes=tuple(changes),
        caveat=CAVEAT,
    )


def _counts(words: Any, found: Sequence[str]) -> dict[str, int]:
    """How often each of the words was found, none left out."""
    counted = Counter(found)
    return {word: counted[word] for word in get_args(words)}
