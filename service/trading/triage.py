"""Triage: the status and the recommendation for a strategy, from its record up to the end of a month."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from service.documents import rounded
from service.market.bars import Prices, Times
from service.market.instants import DAY
from service.market.months import begins, ends, month_before
from service.trading.arena import Accounts, Arena
from service.trading.health import DAYS_A_MONTH, Health, examine
from service.trading.performance import daily_returns, profit_factor, sharpe, sharpe_fields, win_rate
from service.trading.statements import percent
from service.trading.strategies import STRATEGIES
from service.trading.worth import EarlierEntry, Months

Status = Literal["healthy", "watch", "sick", "critical", "observation"]
Recommendation = Literal["promote", "keep", "pause", "retire", "observe"]

WINDOW_DAYS = 90
# The least score of each status; below all of them a strategy is critical.
HEALTHY, WATCH, SICK = 60.0, 45.0, 30.0
ENOUGH_DAYS, ENOUGH_TRADES = 30, 5
ALLOWED_DRAWDOWN = 0.25
# Promoted above this deflated Sharpe ratio.
PROMOTED_ABOVE = 0.95
# Retired after this many critical months in a row.
RETIRED_AFTER = 3


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
    return [_admit(key, accounts, arena, ends(month)) for key, accounts in arena.strategies.items()]


def _admit(key: str, accounts: Accounts, arena: Arena, until: int) -> Patient:
    strategy, histories = STRATEGIES[key], [account.history for account in accounts.values()]
    days = int(np.searchsorted(arena.days, until, side="right"))
    capital = sum(history.terms.capital for history in histories)
    held = (arena.ghosts["buy_and_hold"][asset] for asset in accounts)
    daily, benchmark = (
        np.sum([account.daily[:days] for account in group], axis=0) for group in (accounts.values(), list(held))
    )
    exits = np.concatenate([history.exit_time for history in histories])
    trades = np.concatenate([history.pnl / history.capital[:-1] for history in histories])
    closed = exits < until
    return Patient(
        key=key,
        name=strategy.name,
        category=strategy.category,
        assets=tuple(accounts),
        returns=daily_returns(daily, capital),
        held=daily_returns(benchmark, capital),
        exits=exits[closed],
        trades=trades[closed],
    )


def entry_of(patient: Patient, month: str, before: Months, class_sharpe: float, luckiest: float) -> TriageEntry:
    """The entry of one strategy in a snapshot.

    `before` is that of `service.trading.hospital.snapshot`, the last arguments are those of `health.examine`.
    """
    recent = patient.returns[-WINDOW_DAYS:]
    days = (ends(month) - begins(month)) // DAY
    trades = patient.trades[patient.exits >= ends(month) - WINDOW_DAYS * DAY]
    a_month = len(trades) * DAYS_A_MONTH / max(1, len(recent)) / len(patient.assets)
    health = examine(recent, a_month, class_sharpe, luckiest)
    status = judge(health, len(recent), len(trades))
    earlier_entries = _earlier(patient.key, month, before)
    return TriageEntry(
        key=patient.key,
        name=patient.name,
        status=status,
        recommendation=recommend(status, health, [entry.status if entry else None for entry in earlier_entries]),
        health_score=round(health.score, 2),
        category=patient.category,
        assets=patient.assets,
        metrics=_metrics(health, patient, a_month, patient.returns[-days:], trades, earlier_entries[-1]),
    )


def _earlier(key: str, month: str, before: Months) -> list[EarlierEntry | None]:
    """The earlier entries that a retirement depends on, oldest month first; None for a month without one."""
    entries: list[EarlierEntry | None] = []
    for _ in range(RETIRED_AFTER - 1):
        month = month_before(month)
        entries.insert(0, before.get(month, {}).get(key))
    return entries


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
    """The recommendation for a strategy; `earlier` are its statuses of the two months before, oldest first."""
    if status == "observation":
        return "observe"
    if status == "healthy":
        return "promote" if health.beyond_luck > PROMOTED_ABOVE else "keep"
    if status == "watch":
        return "keep"
    if status == "critical" and all(before == "critical" for before in earlier):
        return "retire"
    return "pause"


def _metrics(
    health: Health,
    patient: Patient,
    trades_a_month: float,
    month: Prices,
    trades: Prices,
    previous: EarlierEntry | None,
) -> Metrics:
    recent, held = patient.returns[-WINDOW_DAYS:], patient.held[-WINDOW_DAYS:]
    rate, factor = win_rate(trades), profit_factor(trades)
    # A score of an earlier schema is of another kind.
    previous_score = previous.health_score if previous and previous.measures else None
    return Metrics(
        days=len(recent),
        trades=len(trades),
        trades_a_month=round(trades_a_month, 2),
        return_pct=percent(float(np.prod(1 + recent)) - 1),
        benchmark_return_pct=percent(float(np.prod(1 + held)) - 1),
        month_return_pct=percent(float(np.prod(1 + month)) - 1),
        month_sharpe=rounded(sharpe(month), 4),
        **sharpe_fields(recent),
        shrunken_sharpe=round(health.shrunken_sharpe, 4),
        max_drawdown_pct=percent(health.deepest),
        win_rate_pct=None if rate is None else percent(rate),
        profit_factor=rounded(factor, 4),
        deflated_sharpe=round(health.beyond_luck, 4),
        turnover_score=round(health.measures["turnover"], 4),
        sharpe_score=round(health.measures["sharpe"], 4),
        drawdown_score=round(health.measures["drawdown"], 4),
        previous_score=previous_score,
        score_change=None if previous_score is None else round(round(health.score, 2) - previous_score, 2),
        previous_status=previous.status if previous else None,
    )
