"""The hospital: once a month a health score, a status and a recommendation for every strategy.

A snapshot depends only on the days and trades up to the end of its month and on earlier snapshots: computed later,
from a longer history, it is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any, get_args

import numpy as np

from service.documents import Document, DocumentHeader
from service.market.months import month_before
from service.scores.best import independent_trials, luckiest_of
from service.trading.triage import WINDOW_DAYS, EarlierEntry, Patient, Recommendation, Status, TriageEntry, entry_of

CAVEAT = (
    "A score describes the 90 days before the end of the month. It ranked the next month's Sharpe ratio no better"
    " (+0.08 ±0.10) than the plain 90-day Sharpe ratio did (+0.11 ±0.09)."
)
EVIDENCE = (
    "Measured on 20 months of real prices, as rank correlations with 95% intervals. The score ranked the next month's"
    " Sharpe ratio at +0.08 (±0.10), the plain 90-day Sharpe ratio at +0.11 (±0.09). Scores of neighbouring months"
    " correlate at 0.61 because their 90-day windows overlap; three months apart they correlate at 0.09. Only `retire`"
    " says something: such strategies went on losing, with a Sharpe ratio 1.27 (±0.77) below that of the rest, mostly"
    " to costs. The score then held a sixth measure, `decay`, at a tenth of the weight; it pointed the wrong way (-0.11"
    " ±0.13) and was removed."
)
PATH = "/api/v1/strategy-hospital"
# The section of the documentation page that explains the score.
METHODOLOGY = f"/docs#get-{PATH}"


@dataclass(frozen=True)
class Change:
    """A strategy whose status differs from that of the month before."""

    key: str
    before: str
    now: Status


@dataclass(frozen=True)
class HospitalSummary:
    """All strategies in numbers.

    `effective_strategies` is the number of independent ones of which the best would look as good by luck alone.

    `evidence` is what was measured of how well scores predict.
    """

    strategies: int
    effective_strategies: float
    status: dict[str, int]
    recommendation: dict[str, int]
    mean_score: float | None
    median_score: float | None
    changes: tuple[Change, ...]
    caveat: str
    evidence: str


@dataclass(frozen=True)
class Links:
    """The page that explains the method, the snapshot of the month before, and the months available up to this one."""

    methodology: str
    history: str | None
    months: tuple[str, ...]


@dataclass(frozen=True)
class HospitalDocument(Document):
    """The snapshot of one month, by score; it is stale once the next month has closed."""

    snapshot_month: str
    summary: HospitalSummary
    strategies: tuple[TriageEntry, ...]
    links: Links


def past(document: Mapping[str, Any]) -> dict[str, EarlierEntry]:
    """The status and score of each strategy in a published snapshot."""
    return {entry["key"]: EarlierEntry(entry["status"], entry["health_score"]) for entry in document["strategies"]}


def snapshot(
    month: str,
    patients: Sequence[Patient],
    before: Mapping[str, Mapping[str, EarlierEntry]],
    header: DocumentHeader,
) -> HospitalDocument:
    """The snapshot of a month that is over.

    `before` maps earlier months to the content of their snapshots, of which the two last months are used.
    """
    window = [patient.returns[-WINDOW_DAYS:] for patient in patients]
    luckiest = luckiest_of(np.array(window))
    entries = [entry_of(patient, month, before, luckiest) for patient in patients]
    entries.sort(key=lambda entry: (-entry.health_score, entry.key))
    previous = month_before(month)
    months = tuple(sorted({*(name for name in before if name < month), month}))
    return HospitalDocument(
        schema="strategy-hospital/1",
        **vars(header),
        snapshot_month=month,
        summary=_summary(entries, luckiest),
        strategies=tuple(entries),
        links=Links(METHODOLOGY, f"{PATH}?month={previous}" if previous in before else None, months),
    )


def _summary(entries: Sequence[TriageEntry], luckiest: float) -> HospitalSummary:
    scores = [entry.health_score for entry in entries]
    changes = (
        Change(entry.key, entry.metrics.previous_status, entry.status)
        for entry in entries
        if entry.metrics.previous_status not in (None, entry.status)
    )
    return HospitalSummary(
        strategies=len(entries),
        effective_strategies=round(independent_trials(luckiest), 2),
        status=_counts(Status, [entry.status for entry in entries]),
        recommendation=_counts(Recommendation, [entry.recommendation for entry in entries]),
        mean_score=round(fmean(scores), 2) if scores else None,
        median_score=round(median(scores), 2) if scores else None,
        changes=tuple(changes),
        caveat=CAVEAT,
        evidence=EVIDENCE,
    )


def _counts(literal: Any, values: Sequence[str]) -> dict[str, int]:
    """How often each word of a Literal type occurs, including those that do not."""
    counter = Counter(values)
    return {word: counter[word] for word in get_args(literal)}
