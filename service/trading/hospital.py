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
from service.scores.luck import independent_trials, luckiest_of
from service.trading.health import MEASURES, return_statistics
from service.trading.triage import WINDOW_DAYS, Patient, Recommendation, Status, TriageEntry, entry_of
from service.trading.worth import EarlierEntry, MeasureWorth, Months, worth_of

CAVEAT = (
    "A score describes the 90 days before the end of the month. On 15 months of real prices it ranked the next month's"
    " Sharpe ratio at +0.20 (±0.11), which is a weak guide."
)
EVIDENCE = (
    "Measured on the 15 months from August 2024 to October 2025 of real prices, as the mean of the months' rank"
    " correlations with the next month's Sharpe ratio, with 95% intervals. Score +0.20 (±0.11). Its measures: turnover"
    " +0.19 (±0.11), Sharpe ratio drawn to the class +0.15 (±0.14), drawdown against chance +0.16 (±0.12). The score"
    " before this one, which weighed five measures, had +0.13 (±0.12) on the same months. Nothing was fitted to them."
)
FAILURE = "In the last six months this did not rank the next month's results and has not earned its place: {names}."
SCHEMA = "strategy-hospital/2"
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

    `worth` is how well the score and its measures ranked the next month's results in this service's own months, and
    `evidence` how well they did on recorded prices. A measure that does not earn its place is named in `caveat`.
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
    worth: tuple[MeasureWorth, ...]


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
    """Each strategy in a published snapshot; one of an earlier schema has no measures of the present kind."""
    is_present = document["schema"] == SCHEMA
    return {
        entry["key"]: EarlierEntry(
            entry["status"],
            entry["health_score"],
            measures={name: entry["metrics"][f"{name}_score"] for name in MEASURES} if is_present else {},
            month_sharpe=entry["metrics"].get("month_sharpe"),
        )
        for entry in document["strategies"]
    }


def snapshot(
    month: str,
    patients: Sequence[Patient],
    before: Months,
    header: DocumentHeader,
) -> HospitalDocument:
    """The snapshot of a month that is over.

    `before` maps earlier months to the content of their snapshots. Statuses depend on the two last of them, the worth
    of the scores on all of them.
    """
    window = [patient.returns[-WINDOW_DAYS:] for patient in patients]
    luckiest, classes = luckiest_of(np.array(window)), _class_sharpes(patients)
    entries = [entry_of(patient, month, before, classes[patient.category], luckiest) for patient in patients]
    entries.sort(key=lambda entry: (-entry.health_score, entry.key))
    previous = month_before(month)
    months = tuple(sorted({*(name for name in before if name < month), month}))
    return HospitalDocument(
        schema=SCHEMA,
        **vars(header),
        snapshot_month=month,
        summary=_summary(entries, luckiest, worth_of(_until(month, before, entries))),
        strategies=tuple(entries),
        links=Links(METHODOLOGY, f"{PATH}?month={previous}" if previous in before else None, months),
    )


def _class_sharpes(patients: Sequence[Patient]) -> dict[str, float]:
    """The mean Sharpe ratio of the last 90 days of each category, daily."""
    ratios: dict[str, list[float]] = {}
    for patient in patients:
        ratios.setdefault(patient.category, []).append(return_statistics(patient.returns[-WINDOW_DAYS:]).sharpe)
    return {category: fmean(values) for category, values in ratios.items()}


def _until(month: str, before: Months, entries: Sequence[TriageEntry]) -> Months:
    """The months before this one, and this one."""
    now = {
        entry.key: EarlierEntry(entry.status, entry.health_score, {}, entry.metrics.month_sharpe) for entry in entries
    }
    return {name: earlier for name, earlier in before.items() if name < month} | {month: now}


def _caveat(worth: Sequence[MeasureWorth]) -> str:
    names = [row.measure for row in worth if row.earns_its_place is False]
    return f"{CAVEAT} {FAILURE.format(names=', '.join(names))}" if names else CAVEAT


def _summary(entries: Sequence[TriageEntry], luckiest: float, worth: tuple[MeasureWorth, ...]) -> HospitalSummary:
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
        caveat=_caveat(worth),
        evidence=EVIDENCE,
        worth=worth,
    )


def _counts(literal: Any, values: Sequence[str]) -> dict[str, int]:
    """How often each word of a Literal type occurs, including those that do not."""
    counter = Counter(values)
    return {word: counter[word] for word in get_args(literal)}
