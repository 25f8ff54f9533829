"""Check the settings: every configured source and seat is called once; what works, how fast and at what cost."""

from __future__ import annotations

import argparse
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial

from service import logs
from service.config import Settings
from service.forecasting.voters.ballots import Abstention
from service.forecasting.voters.embedded import voters
from service.forecasting.voters.forecast_inputs import AssetState, ForecastInputs
from service.forecasting.voters.inputs import INPUTS
from service.forecasting.voters.panel import Voter
from service.market.instants import HOUR, utc
from service.operator.commands import CommandOutput, CommandTable
from service.operator.sources import UP_TO_DATE, Check, Finding, Options, run, source_checks, store_checks
from service.questions import Circumstances, understand
from service.sources.llm.limits import Budget, Spending, SpendingInMemory
from service.sources.llm.seating import ModelSeat, seated
from service.sources.sessions import use_proxy
from service.store.database import Database
from service.store.quotas import StoredSpending

COLUMNS = ("part", "works", "ms", "cost", "what", "detail")
NEUTRAL = dict.fromkeys(INPUTS, 0.0)  # an input of 0 carries no information
SAMPLE_STATE = AssetState(
    asset="btc",
    spot=100_000.0,
    now=0,
    until=72 * HOUR,
    hours=72.0,
    sigma=0.04,
    fast=2e-5,
    slow=2e-5,
    history_days=240.0,
    inputs=NEUTRAL,
)


def check(_arguments: argparse.Namespace, settings: Settings) -> CommandOutput:
    """Call every configured source and seat once, and print what works, how long it took and what it cost.

    Exit code 0: everything works; 1: something does not; 2: the settings cannot be used.
    """
    logs.configure("error")
    logging.disable(logging.CRITICAL)  # the libraries' log lines may hold keys
    return findings_table(examine(settings))


def findings_table(findings: Sequence[Finding]) -> CommandTable:
    """The findings as a table, with the cost in words."""
    rows = [finding._asdict() | {"cost": _cost(finding)} for finding in findings]
    return CommandTable(COLUMNS, rows, is_good=all(finding.works for finding in findings))


def _cost(finding: Finding) -> str:
    if not finding.tokens:
        return "unknown" if finding.tokens is None else "free"
    price = "price unknown" if finding.usd is None else f"{finding.usd:.4f} USD" if finding.usd else "free"
    return f"{'' if finding.works else 'at most '}{finding.tokens} tokens, {price}"


def examine(settings: Settings, now: Callable[[], float] = time.time, exchanges: Options = None) -> list[Finding]:
    """The findings of all parts that the settings name; the only thing stored is what language models cost.

    `now` is the wall clock, `exchanges` maps the name of an exchange to arguments for its ccxt constructor.
    Raises SettingsError, before any check runs, where the settings cannot be used.
    """
    use_proxy(settings)
    settings = settings if settings.world else settings.in_world("live")  # what a first start would ask
    wall, seats = int(now()), configured_seats(settings)
    check_database, *checks = [*store_checks(settings), *source_checks(settings, wall, exchanges)]
    database, spending = check_database(), SpendingInMemory()
    with ExitStack() as stack:
        if database.detail == UP_TO_DATE:
            spending = StoredSpending(stack.enter_context(closing(Database(settings.database))))
        checks += seat_checks(seats, settings, spending, wall)
        with ThreadPoolExecutor(len(checks)) as executor:
            return [database, *executor.map(lambda check: check(), checks)]


def configured_seats(settings: Settings) -> list[Voter]:
    """The six seats; SettingsError where a language model cannot be set up."""
    budget = Budget(None, None, SpendingInMemory(), time.time)
    return [voter for voter in seated(voters(), settings, budget) if voter.kind == "seat"]


def seat_checks(seats: Sequence[Voter], settings: Settings, spending: Spending, now: int) -> list[Check]:
    """The checks of `seats`; `spending` counts what models cost against the daily limits of the settings."""
    call, seconds = partial(_ask, settings, spending, now), settings.oracle_deadline_s
    return [partial(run, f"seat {seat.name}", seat.engine, seconds, partial(call, seat)) for seat in seats]


@dataclass
class SeatSpending:
    """Adds to the common spending and counts what one seat spent."""

    common: Spending
    tokens: int = 0
    usd: float = 0.0

    def add(self, day: str, tokens: int, usd: float) -> tuple[int, float]:
        self.tokens, self.usd = self.tokens + tokens, self.usd + usd
        return self.common.add(day, tokens, usd)


def _ask(settings: Settings, spending: Spending, now: int, seat: Voter) -> Finding:
    if not isinstance(seat, ModelSeat):
        return Finding(detail="no model is configured")
    meter = SeatSpending(spending)
    budget = Budget(settings.oracle_daily_tokens, settings.oracle_daily_usd, meter, time.time)
    circumstances = Circumstances(utc(now), {"btc": SAMPLE_STATE.spot})
    question = understand("Will Bitcoin rise more than 2% in 3 days?", circumstances)
    inputs = ForecastInputs(SAMPLE_STATE, other=None, correlation=None, fits=None)
    try:
        forecast = replace(seat, budget=budget, on_failure="abstain").forecast(question, inputs)
    except Abstention as abstention:
        usd = round(meter.usd, 9) if seat.model.price or not meter.tokens else None
        advice = f" Run `ollama serve` and `ollama pull {seat.model.model}`." if seat.model.provider == "ollama" else ""
        return Finding(works=False, tokens=meter.tokens, usd=usd, detail=f"{abstention.reason}.{advice}")
    price = "" if seat.model.price else "; ORACLE_PRICES can state its price, without it only tokens are limited"
    detail = f"answers {forecast.p:.0%} to a sample question{price}"
    return Finding(tokens=forecast.tokens, usd=forecast.usd, detail=detail)
