"""Triage: from a strategy's record up to a month's end to its status and what should become of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from service.market.bars import Prices, Times
from service.market.instants import DAY
from service.trading.arena import Accounts, Arena
from service.trading.health import Health, examine
from service.trading.months import begins, ends, month_before
from service.trading.performance import daily_returns, profit_factor, sharpe, win_rate
from service.trading.statements import percent
from service.trading.strategies import STRATEGIES

Status = Literal["healthy", "watch", "sick", "critical", "observation"]
Recommendation = Literal["promote", "keep", "reduce", "pause", "retire", "observe"]

WINDOW_DAYS = 90
# Scores from which a strategy is called so; below all of them it is critical.
HEALTHY, WATCH, SICK = 60.0, 45.0, 30.0
ENOUGH_DAYS, ENOUGH_TRADES = 30, 5
ALLOWED_DRAWDOWN = 0.25
# Promoted when it is this sure that it was not luck; reduced when it is this unlikely that it is as good as before.
SURE = 0.95
FADED = 0.1
RETIRED_AFTER = 3


@dataclass(frozen=True)
class Patient:
    """A strategy as it comes in: daily returns (days,) of all its accounts together up to the month's end, oldest
    first, and its closed trades: the unix second of each exit (trades,) and its return net of fees, a fraction."""

    key: str
    name: str
    category: str
    assets: tuple[str, ...]
    returns: Prices
    exits: Times
    trades: Prices


@dataclass(frozen=True)
class Past:
    """What an earlier snapshot said of a strategy."""

    status: str | None
    health_score: float


@dataclass(frozen=True)
class Metrics:
    """What a score is made of, over the last 90 days at most; the measures of health are 0 to 1.

    `previous_score` and `previous_status` are those of the month before, None where there is none.
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
    decay: float
    raw_score: float
    trust: float
    previous_score: float | None
    score_change: float | None
    previous_status: str | None


@dataclass(frozen=True)
class Entry:
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
    """The strategies of `arena` as they were when `month` closed. The arena may know more; it must know the month."""
    return [_admit(key, accounts, arena, ends(month)) for key, accounts in arena.strategies.items()]


def _admit(key: str, accounts: Accounts, arena: Arena, until: int) -> Patient:
    strategy, ledgers = STRATEGIES[key], [account.ledger for account in accounts.values()]
    days = int(np.searchsorted(arena.days, until, side="right"))
    daily = np.sum([account.daily[:days] for account in accounts.values()], axis=0)
    exits = np.concatenate([ledger.exit_time for ledger in ledgers])
    trades = np.concatenate([ledger.pnl / ledger.capital[:-1] for ledger in ledgers])
    known = exits < until
    return Patient(
        key=key,
        name=strategy.name,
        category=strategy.category,
        assets=strategy.assets,
        returns=daily_returns(daily, sum(ledger.terms.capital for ledger in ledgers)),
        exits=exits[known],
        trades=trades[known],
    )


def entry_of(patient: Patient, month: str, before: Mapping[str, Mapping[str, Past]], tried: float) -> Entry:
    """What a snapshot says of one strategy: see `service.trading.hospital.snapshot`."""
    recent = patient.returns[-WINDOW_DAYS:]
    days = (ends(month) - begins(month)) // DAY
    trades = patient.trades[patient.exits >= ends(month) - WINDOW_DAYS * DAY]
    this, earlier = patient.returns[-days:], patient.returns[:-days][-WINDOW_DAYS:]
    health = examine(recent, this, earlier, trades, tried)
    status = judge(health, len(recent), len(trades))
    known = _earlier(patient.key, month, before)
    return Entry(
        key=patient.key,
        name=patient.name,
        status=status,
        recommendation=recommend(status, health, [was.status if was else None for was in known]),
        health_score=round(health.score, 2),
        category=patient.category,
        assets=patient.assets,
        metrics=_metrics(health, recent, this, trades, known[-1]),
    )


def _earlier(key: str, month: str, before: Mapping[str, Mapping[str, Past]]) -> list[Past | None]:
    """What was said of a strategy in the months that a retirement looks back on, oldest first; None: nothing."""
    known: list[Past | None] = []
    for _ in range(RETIRED_AFTER - 1):
        month = month_before(month)
        known.insert(0, before.get(month, {}).get(key))
    return known


def judge(health: Health, days: int, trades: int) -> Status:
    """The status of a strategy with so many days and closed trades in its window."""
    if days < ENOUGH_DAYS or trades < ENOUGH_TRADES:
        return "observation"
    if health.score < SICK:
        return "critical"
    if health.score < WATCH or health.deepest > ALLOWED_DRAWDOWN:
        return "sick"
    return "watch" if health.score < HEALTHY else "healthy"


def recommend(status: Status, health: Health, earlier: Sequence[str | None]) -> Recommendation:
    """What should become of a strategy; `earlier` are its statuses of the two months before, oldest first."""
    if status == "observation":
        return "observe"
    if status == "healthy":
        return "promote" if health.beyond_luck > SURE else "keep"
    if status == "watch":
        return "reduce" if health.decay < FADED else "keep"
    if status == "critical" and all(was == "critical" for was in earlier):
        return "retire"
    return "pause"


def _metrics(health: Health, recent: Prices, month: Prices, trades: Prices, was: Past | None) -> Metrics:
    won, factor, ratio = win_rate(trades), profit_factor(trades), sharpe(recent)
    return Metrics(
        days=len(recent),
        trades=len(trades),
        return_pct=percent(np.prod(1 + recent) - 1),
        month_return_pct=percent(np.prod(1 + month) - 1),
        sharpe=None if ratio is None else round(ratio, 4),
        max_drawdown_pct=percent(health.deepest),
        win_rate_pct=None if won is None else percent(won),
        profit_factor=None if factor is None else round(factor, 4),
        psr=round(health.edge, 4),
        deflated_sharpe=round(health.beyond_luck, 4),
        drawdown_room=round(health.drawdown, 4),
        wins=round(health.wins, 4),
        profits=round(health.profits, 4),
        decay=round(health.decay, 4),
        raw_score=round(health.raw, 2),
        trust=round(health.trust, 4),
        previous_score=was.health_score if was else None,
        score_change=round(round(health.score, 2) - was.health_score, 2) if was else None,
        previous_status=was.status if was else None,
    )
