"""Checks of the six seats; a language model answers one sample question, without a fallback."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from service.config import Settings
from service.doctor.checks import Check, Finding, run
from service.forecasting.voters.ballots import Abstention
from service.forecasting.voters.embedded import voters
from service.forecasting.voters.forecast_inputs import AssetState, ForecastInputs
from service.forecasting.voters.inputs import INPUTS
from service.forecasting.voters.panel import Voter
from service.market.instants import HOUR, utc
from service.questions import Circumstances, understand
from service.sources.llm.limits import Budget, Spending, SpendingInMemory
from service.sources.llm.seating import ModelSeat, seated

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


def configured_seats(settings: Settings) -> list[Voter]:
    """The six seats; SettingsError where a language model cannot be set up."""
    unused = Budget(None, None, SpendingInMemory(), time.time)
    return [voter for voter in seated(voters(), settings, unused) if voter.kind == "seat"]


def seat_checks(seats: Sequence[Voter], settings: Settings, spending: Spending, now: int) -> list[Check]:
    """The checks of `seats`; `spending` counts what models cost against the daily limits of the settings."""
    ask, seconds = partial(_ask, settings, spending, now), settings.oracle_deadline_s
    return [partial(run, f"seat {seat.name}", seat.engine, seconds, partial(ask, seat)) for seat in seats]


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
    spent = SeatSpending(spending)
    budget = Budget(settings.oracle_daily_tokens, settings.oracle_daily_usd, spent, time.time)
    circumstances = Circumstances(utc(now), {"btc": SAMPLE_STATE.spot})
    question = understand("Will Bitcoin rise more than 2% in 3 days?", circumstances)
    inputs = ForecastInputs(SAMPLE_STATE, other=None, correlation=None, fits=None)
    try:
        forecast = replace(seat, budget=budget, on_failure="abstain").forecast(question, inputs)
    except Abstention as abstention:
        usd = round(spent.usd, 9) if seat.model.price or not spent.tokens else None
        advice = f" Run `ollama serve` and `ollama pull {seat.model.model}`." if seat.model.provider == "ollama" else ""
        return Finding(works=False, tokens=spent.tokens, usd=usd, detail=f"{abstention.reason}.{advice}")
    price = "" if seat.model.price else "; ORACLE_PRICES can state its price, without it only tokens are limited"
    detail = f"answers {forecast.p:.0%} to a sample question{price}"
    return Finding(tokens=forecast.tokens, usd=forecast.usd, detail=detail)
