"""Triage: the status and the recommendation for a strategy, from its record up to the end of a month."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from service.documents import rounded
from service.market.bars import Prices, Times
from service.market.instants import DAY
from service.market.months import begins, ends, month_before
from service.trading.arena import Accounts, Arena
from service.trading.health import Health, examine
from service.trading.performance import daily_returns, profit_factor, sharpe, win_rate
from service.trading.statements import percent
from service.trading.strategies import STRATEGIES

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

    `returns` (days,) are the daily returns of all its accounts together, oldest first. `exits` (trades,) are the unix
    seconds at which its trades closed, `trades` (trades,) their returns net of fees, as fractions.
    """

    key: str
    name: str
    category: str
    assets: tuple[str, ...]
    returns: Prices
    exits: Times
    trades: Prices


@dataclass(frozen=True)
class EarlierEntry:
    """The status and score of a strategy in an earlier snapshot."""

    status: str | None
    health_score: float


@dataclass(frozen=True)
class Metrics:
    """The inputs of a score, over the last 90 days at most; the measures of health are 0 to 1.

    `previous_score` and `previous_status` are those of the month before, null where there is none.
    """

    days: int
    trades: int
    return_pct: float
    month_return_pct: float
    sharpe: float | None
    max_drawdown_pct: float
    win_rate_pct: float | None
    profit_factor: float | None
    psr: float
    deflated_sharpe: float
    drawdown_room: float
    wins: float
    profits: float
    raw_score: float
    trust: float
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
    daily = np.sum([account.daily[:days] for account in accounts.values()], axis=0)
    exits = np.concatenate([history.exit_time for history in histories])
    trades = np.concatenate([history.pnl / history.capital[:-1] for history in histories])
    closed = exits < until
    return Patient(
        key=key,
        name=strategy.name,
        category=strategy.category,
        assets=tuple(accounts),
        returns=daily_returns(daily, sum(history.terms.capital for history in histories)),
        exits=exits[closed],
        trades=trades[closed],
    )


def entry_of(
    patient: Patient, month: str, before: Mapping[str, Mapping[str, EarlierEntry]], luckiest: float
) -> TriageEntry:
    """The entry of one strategy in a snapshot; the arguments are those of `service.trading.hospital.snapshot`."""
    recent = patient.returns[-WINDOW_DAYS:]
    days = (ends(month) - begins(month)) // DAY
    trades = patient.trades[patient.exits >= ends(month) - WINDOW_DAYS * DAY]
    health = examine(recent, trades, luckiest)
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
        metrics=_metrics(health, recent, patient.returns[-days:], trades, earlier_entries[-1]),
    )


def _earlier(key: str, month: str, before: Mapping[str, Mapping[str, EarlierEntry]]) -> list[EarlierEntry | None]:
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


def _metrics(health: Health, recent: Prices, month: Prices, trades: Prices, previous: EarlierEntry | None) -> Metrics:
    won, factor, ratio = win_rate(trades), profit_factor(trades), sharpe(recent)
    return Metrics(
        days=len(recent),
        trades=len(trades),
        return_pct=percent(float(np.prod(1 + recent)) - 1),
        month_return_pct=percent(float(np.prod(1 + month)) - 1),
        sharpe=rounded(ratio, 4),
        max_drawdown_pct=percent(health.deepest),
        win_rate_pct=None if won is None else percent(won),
        profit_factor=rounded(factor, 4),
        psr=round(health.edge, 4),
        deflated_sharpe=round(health.beyond_luck, 4),
        drawdown_room=round(health.drawdown, 4),
        wins=round(health.wins, 4),
        profits=round(health.profits, 4),
        raw_score=round(health.raw, 2),
        trust=round(health.trust, 4),
        previous_score=previous.health_score if previous else None,
        score_change=round(round(health.score, 2) - previous.health_score, 2) if previous else None,
        previous_status=previous.status if previous else None,
    )
