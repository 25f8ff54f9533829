"""The hospital: once a month a health score, a status and a recommendation for every strategy.

A snapshot depends only on the days and trades up to the end of its month and on earlier snapshots: computed later,
from a longer history, it is the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from service.documents import Document, DocumentHeader, percent, rounded
from service.market.bars import Prices, Times
from service.market.instants import DAY
from service.market.months import begins, ends, month_before
from service.scores.luck import independent_trials, luckiest_of
from service.trading.health import (
    DAYS_A_MONTH,
    MEASURES,
    EarlierEntry,
    Health,
    MeasureWorth,
    Months,
    examine,
    return_statistics,
    worth_of,
)
from service.trading.performance import daily_returns, profit_factor, sharpe, sharpe_fields, win_rate_pct

if TYPE_CHECKING:
    from service.trading.arena import Arena

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
FAILURE = "In the last six months these parts of the score did not rank the next month's results: {names}."
SCHEMA = "strategy-hospital/2"
PATH = "/api/v1/strategy-hospital"
# The section of the documentation page that explains the score.
METHODOLOGY = f"/docs#get-{PATH}"

Status = Literal["healthy", "watch", "sick", "critical", "observation"]
Recommendation = Literal["promote", "keep", "pause", "retire", "observe"]

WINDOW_DAYS = 90
# The least score of each status; below all of them a strategy is critical.
HEALTHY, WATCH, SICK = 60.0, 45.0, 30.0
ENOUGH_DAYS, ENOUGH_TRADES = 30, 5
ALLOWED_DRAWDOWN = 0.25
# Promoted above this deflated Sharpe ratio.
PROMOTED_ABOVE = 0.95


@dataclass(frozen=True)
class Patient:
    """The record of a strategy up to the end of a month.

    `returns` (days,) are the daily returns of all its accounts together, oldest first, `held` (days,) those of buying
    and holding the same assets. `exits` (trades,) are the unix seconds at which its trades closed, `trades` (trades,)
    their returns net of all costs, as fractions.
    """

    key: str
    name: str
    category: str
    assets: tuple[str, ...]
    returns: Prices
    held: Prices
    exits: Times
    trades: Prices


@dataclass(frozen=True)
class Metrics:
    """The inputs of a score, over the last 90 days at most; the three scores are 0 to 1, and their mean is the health.

    `benchmark_return_pct` is the result of buying and holding the same assets over the same days. `month_sharpe` is the
    result of this month that earlier scores are judged by. `previous_score` and `previous_status` are those of the
    month before, null where there is none; so is the score where it was of another kind.
    """

    days: int
    trades: int
    trades_a_month: float
    return_pct: float
    benchmark_return_pct: float
    month_return_pct: float
    month_sharpe: float | None
    sharpe: float | None
    sharpe_low: float | None
    sharpe_high: float | None
    shrunken_sharpe: float
    max_drawdown_pct: float
    win_rate_pct: float | None
    profit_factor: float | None
    deflated_sharpe: float
    turnover_score: float
    sharpe_score: float
    drawdown_score: float
    previous_score: float | None
    score_change: float | None
    previous_status: str | None


@dataclass(frozen=True)
class TriageEntry:
    """One strategy in the snapshot."""

    key: str
    name: str
    status: Status
    recommendation: Recommendation
    health_score: float
    category: str
    assets: tuple[str, ...]
    metrics: Metrics


def admit(arena: Arena, month: str) -> list[Patient]:
    """The records of all strategies when `month` closed; `arena` must cover the month and may reach beyond it."""
    from service.trading.strategies import STRATEGIES  # with TA-Lib, which the hospital itself does not need

    days = int(np.searchsorted(arena.days, ends(month), side="right"))
    patients = []
    for key, accounts in arena.strategies.items():
        histories = [account.history for account in accounts.values()]
        capital = sum(history.terms.capital for history in histories)
        held = [arena.accounts["buy_and_hold"][asset] for asset in accounts]
        daily, benchmark = (
            np.sum([account.daily[:days] for account in group], axis=0) for group in (accounts.values(), held)
        )
        exits = np.concatenate([history.exit_time for history in histories])
        trades = np.concatenate([history.pnl / history.capital[:-1] for history in histories])
        closed = exits < ends(month)
        patients.append(
            Patient(
                key=key,
                name=STRATEGIES[key].name,
                category=STRATEGIES[key].category,
                assets=tuple(accounts),
                returns=daily_returns(daily, capital),
                held=daily_returns(benchmark, capital),
                exits=exits[closed],
                trades=trades[closed],
            )
        )
    return patients


def entry_of(patient: Patient, month: str, before: Months, class_sharpe: float, luckiest: float) -> TriageEntry:
    """The entry of one strategy in a snapshot.

    `before` is that of `snapshot`, the last arguments are those of `health.examine`.
    """
    recent, held = patient.returns[-WINDOW_DAYS:], patient.held[-WINDOW_DAYS:]
    of_month = patient.returns[-((ends(month) - begins(month)) // DAY) :]
    trades = patient.trades[patient.exits >= ends(month) - WINDOW_DAYS * DAY]
    a_month = len(trades) * DAYS_A_MONTH / max(1, len(recent)) / len(patient.assets)
    health = examine(recent, a_month, class_sharpe, luckiest)
    score, status = round(health.score, 2), judge(health, len(recent), len(trades))
    last_months = (month_before(month_before(month)), month_before(month))
    earlier_entries = [before.get(name, {}).get(patient.key) for name in last_months]
    previous = earlier_entries[-1]
    # A score of an earlier schema is of another kind.
    previous_score = previous.health_score if previous and previous.measures else None
    metrics = Metrics(
        days=len(recent),
        trades=len(trades),
        trades_a_month=round(a_month, 2),
        return_pct=percent(float(np.prod(1 + recent)) - 1),
        benchmark_return_pct=percent(float(np.prod(1 + held)) - 1),
        month_return_pct=percent(float(np.prod(1 + of_month)) - 1),
        month_sharpe=rounded(sharpe(of_month), 4),
        **sharpe_fields(recent),
        shrunken_sharpe=round(health.shrunken_sharpe, 4),
        max_drawdown_pct=percent(health.deepest),
        win_rate_pct=win_rate_pct(trades),
        profit_factor=rounded(profit_factor(trades), 4),
        deflated_sharpe=round(health.beyond_luck, 4),
        **{f"{name}_score": round(measure, 4) for name, measure in health.measures.items()},
        previous_score=previous_score,
        score_change=None if previous_score is None else round(score - previous_score, 2),
        previous_status=previous.status if previous else None,
    )
    return TriageEntry(
        key=patient.key,
        name=patient.name,
        status=status,
        recommendation=recommend(status, health, [entry.status if entry else None for entry in earlier_entries]),
        health_score=score,
        category=patient.category,
        assets=patient.assets,
        metrics=metrics,
    )


def judge(health: Health, days: int, trades: int) -> Status:
    """The status of a strategy with this many days and closed trades in its window."""
    if days < ENOUGH_DAYS or trades < ENOUGH_TRADES:
        return "observation"
    if health.score < SICK:
        return "critical"
    if health.score < WATCH or health.deepest > ALLOWED_DRAWDOWN:
        return "sick"
    return "watch" if health.score < HEALTHY else "healthy"


def recommend(status: Status, health: Health, earlier: Sequence[str | None]) -> Recommendation:
    """The recommendation for a strategy, which is retired after three critical months in a row.

    `earlier` must have two elements: its statuses of the two months before, oldest first, None where it had none.
    """
    if status == "observation":
        return "observe"
    if status == "healthy":
        return "promote" if health.beyond_luck > PROMOTED_ABOVE else "keep"
    if status == "watch":
        return "keep"
    if status == "critical" and all(before == "critical" for before in earlier):
        return "retire"
    return "pause"


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


def snapshot(month: str, patients: Sequence[Patient], before: Months, header: DocumentHeader) -> HospitalDocument:
    """The snapshot of a month that is over.

    `before` maps earlier months to the content of their snapshots. Statuses depend on the two last of them, the worth
    of the scores on all of them.
    """
    window = [patient.returns[-WINDOW_DAYS:] for patient in patients]
    luckiest, classes = luckiest_of(np.array(window)), _class_sharpes(patients)
    entries = [entry_of(patient, month, before, classes[patient.category], luckiest) for patient in patients]
    entries.sort(key=lambda entry: (-entry.health_score, entry.key))
    previous = month_before(month)
    this_month = {
        entry.key: EarlierEntry(entry.status, entry.health_score, {}, entry.metrics.month_sharpe) for entry in entries
    }
    until_now = {name: earlier for name, earlier in before.items() if name < month} | {month: this_month}
    return HospitalDocument(
        schema=SCHEMA,
        **vars(header),
        snapshot_month=month,
        summary=_summary(entries, luckiest, worth_of(until_now)),
        strategies=tuple(entries),
        links=Links(METHODOLOGY, f"{PATH}?month={previous}" if previous in before else None, tuple(sorted(until_now))),
    )


def _class_sharpes(patients: Sequence[Patient]) -> dict[str, float]:
    """The mean Sharpe ratio of the last 90 days of each category, daily."""
    ratios: dict[str, list[float]] = {}
    for patient in patients:
        ratios.setdefault(patient.category, []).append(return_statistics(patient.returns[-WINDOW_DAYS:]).sharpe)
    return {category: fmean(values) for category, values in ratios.items()}


def _summary(entries: Sequence[TriageEntry], luckiest: float, worth: tuple[MeasureWorth, ...]) -> HospitalSummary:
    scores, statuses = [entry.health_score for entry in entries], [entry.status for entry in entries]
    recommendations = [entry.recommendation for entry in entries]
    changes = (
        Change(entry.key, entry.metrics.previous_status, entry.status)
        for entry in entries
        if entry.metrics.previous_status not in (None, entry.status)
    )
    names = ", ".join(row.measure for row in worth if row.earns_its_place is False)
    return HospitalSummary(
        strategies=len(entries),
        effective_strategies=round(independent_trials(luckiest), 2),
        status={word: statuses.count(word) for word in get_args(Status)},
        recommendation={word: recommendations.count(word) for word in get_args(Recommendation)},
        mean_score=round(fmean(scores), 2) if scores else None,
        median_score=round(median(scores), 2) if scores else None,
        changes=tuple(changes),
        caveat=f"{CAVEAT} {FAILURE.format(names=names)}" if names else CAVEAT,
        evidence=EVIDENCE,
        worth=worth,
    )
