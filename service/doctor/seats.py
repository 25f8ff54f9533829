"""The checks of the six seats: an embedded engine is named, a language model is asked one real question.

The question is about the simulated market, so that it needs neither a filled database nor a source of prices. A model
is asked without an engine that could stand in for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from urllib.parse import urlsplit

from service.config import Settings
from service.doctor.checks import Check, Fails, Told
from service.forecasting import context
from service.forecasting.brains import EMBEDDED
from service.forecasting.oracle import voters
from service.forecasting.questions import Question, understand
from service.forecasting.situation import Situation, situate
from service.forecasting.votes import Abstention
from service.market.bars import resample
from service.market.instants import DAY, HOUR, utc
from service.sources.feeds.simulated import SimulatedFeed
from service.sources.llm.budget import Budget, Spending, SpendingInMemory
from service.sources.llm.prices import price_of
from service.sources.llm.seat import ModelSeat
from service.sources.llm.seating import seated

SEED = 42
HISTORY_S = 100 * DAY  # all that a seat may look at lies within it
QUESTION = "Will Bitcoin be above {level:.0f} USD in 3 days?"
ABOVE = 1.02

Case = tuple[Question, Situation]


def model_seats(settings: Settings) -> tuple[ModelSeat, ...]:
    """The seats that a language model has taken; SettingsError where one of them cannot be."""
    unused = Budget(None, None, SpendingInMemory(), time.time)
    return tuple(voter for voter in seated(voters(), settings, unused) if isinstance(voter, ModelSeat))


def seat_checks(settings: Settings, models: tuple[ModelSeat, ...], spending: Spending, now: int) -> list[Check]:
    """The checks of all six seats; what `models` cost counts against the caps of the settings in `spending`."""
    taken = {seat.name: seat for seat in models}
    case = made_up(now) if models else None
    asks: dict[str, Callable[[], Told]] = {
        name: partial(_ask, seat, case, settings, spending) for name, seat in taken.items()
    }
    return [
        Check(
            part=f"seat {voter.name}",
            what=taken[voter.name].engine if voter.name in taken else EMBEDDED,
            seconds=settings.oracle_deadline_s,
            ask=asks.get(voter.name, _of_embedded),
        )
        for voter in voters()
        if voter.kind == "seat"
    ]


def made_up(now: int) -> Case:
    """A question that is asked of the simulated market at the unix second `now`, and what is known of it."""
    instant = now - now % HOUR
    feed = SimulatedFeed(SEED, instant - HISTORY_S)
    hourly = {asset: resample(feed.fetch(asset, feed.history_from, instant).bars, HOUR) for asset in feed.assets}
    contexts = context.build_all(hourly, instant)
    spot = contexts["btc"].spot
    question = understand(QUESTION.format(level=ABOVE * spot), utc(instant), {"btc": spot})
    return question, situate(question, instant, contexts, fits=None)


def _of_embedded() -> Told:
    return Told("nobody is asked")


class _Metered:
    """Spending that remembers what of it was this seat's."""

    def __init__(self, spending: Spending) -> None:
        self._spending = spending
        self.tokens, self.usd = 0, 0.0

    def add(self, day: str, tokens: int, usd: float) -> tuple[int, float]:
        total = self._spending.add(day, tokens, usd)
        self.tokens, self.usd = self.tokens + tokens, self.usd + usd
        return total


def _ask(seat: ModelSeat, case: Case, settings: Settings, spending: Spending) -> Told:
    metered = _Metered(spending)
    budget = Budget(settings.oracle_daily_tokens, settings.oracle_daily_usd, metered, time.time)
    try:
        forecast = replace(seat, budget=budget, on_failure="abstain").forecast(*case)
    except Abstention as abstention:
        is_priced = price_of(seat.model.chosen) is not None or not metered.tokens
        usd = round(metered.usd, 9) if is_priced else None
        raise Fails(_why(seat, abstention.reason), metered.tokens, usd) from None
    return Told(f"says {100 * forecast.p:.0f} % to a made-up question", forecast.tokens, forecast.usd)


def _why(seat: ModelSeat, reason: str) -> str:
    """The sentence of a failed seat, with what to do where a model of this machine is not there."""
    # Importing it takes the SDK, which whoever has a model has loaded.
    from service.sources.llm import faults

    if seat.model.provider != "ollama":
        return f"{reason}."
    pull = f"`ollama pull {seat.model.model}`"
    if reason.endswith(faults.UNREACHABLE.reason):
        return f"Ollama does not answer at {_address(seat)}: run `ollama serve`, then {pull}."
    if "(404)" in reason:
        return f"Ollama runs, and does not have this model: run {pull}."
    return f"{reason}."


def _address(seat: ModelSeat) -> str:
    parts = urlsplit(str(seat.model.client.base_url))
    return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
