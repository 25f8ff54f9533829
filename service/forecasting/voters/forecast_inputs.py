"""The inputs of a forecast: a question beside the state of its assets, the same for every voter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from service.forecasting.densities.density import NORMAL, Density, Fits, density, horizon_sigma, normal, outperforms
from service.forecasting.densities.models import MODELS
from service.forecasting.densities.paths import Paths, joint_paths, paths
from service.forecasting.densities.season import hours_between
from service.forecasting.voters.ballots import Abstention, sentence
from service.forecasting.voters.context import Context, Evidence, Knowledge
from service.forecasting.voters.inputs import of_window
from service.forecasting.voters.outcomes import SimulatedPaths, odds_ratio, p_both, p_event
from service.market.assets import YEAR_HOURS, calendar_of, open_hours, trades
from service.market.instants import HOUR
from service.questions.criterion import price
from service.questions.kinds.path import takes_place_at
from service.questions.question import Question
from service.scores.proper import Array

Densities = Sequence[Density]  # of the assets of a question, in their order

STALE_H = 30.0  # open hours without a bar after which voters abstain; an unscheduled closure of a day lasts 23
NO_CORRELATION = "too few hours in which both assets traded"
LEAST_HISTORY_DAYS = 14.0  # with less, even the volatility is a guess


@dataclass(frozen=True)
class AssetState:
    """One asset over the horizon of a question.

    It begins at the unix second `now` and ends at `until`. `hours` are the open hours in it, `sigma` is the standard
    deviation of the log return over them by plain volatility, `inputs` the values a voter may use (None where history
    is too short), `level` and `variance` what the models see (None and empty where it is not stored).
    """

    asset: str
    spot: float
    now: int
    until: int
    hours: float
    sigma: float
    slow: float
    history_days: float
    inputs: Mapping[str, float | None]
    level: float | None = None
    variance: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_closed(self) -> bool:
        """Whether the market of the asset has no trading hour until the deadline."""
        return open_hours(self.asset, self.now, self.until) == 0

    def distance(self, level: float) -> float:
        """Log distance of a level from the spot."""
        return math.log(level / self.spot)

    @cached_property
    def plain(self) -> Density:
        """Plain volatility: a normal distribution of the log return."""
        return normal(self.sigma)


@dataclass(frozen=True)
class ForecastInputs:
    """The `state` of the question's asset, and of the `other` asset of a question about two with the correlation.

    `correlation` is None where there are too few common hours, `fits` before the first fit. `evidence` is for language
    models alone, `lead` the log return of the asset above the other one's so far. The paths of a question that needs
    them are simulated once for all voters.
    """

    state: AssetState
    other: AssetState | None
    correlation: float | None
    fits: Fits | None
    evidence: Evidence = field(default_factory=Evidence)
    lead: float = 0.0

    def densities(self, voter: str) -> list[Density]:
        """The distributions of the question's assets by a voter's model; plain volatility before it is fitted."""
        return [density_of(voter, state, self.fits) for state in self.states]

    @cached_property
    def single_paths(self) -> Paths:
        fit = self.fits and self.fits.of(self.state.asset)
        return paths(self.state.asset, self.state.now, self.state.until, fit and fit.season)

    @cached_property
    def _joint_paths(self) -> tuple[Paths, Paths]:
        first, second = self.states  # only a question about two assets asks for them
        if self.correlation is None:
            raise Abstention(NO_CORRELATION)
        fits = [self.fits and self.fits.of(state.asset) for state in self.states]
        seasons = tuple(fit and fit.season for fit in fits)
        return joint_paths((first.asset, second.asset), first.now, first.until, seasons, self.correlation)

    def dependence(self, question: Question, densities: Densities) -> float:
        """The odds ratio of the two events of a joint question; 1 where a market is closed until the deadline."""
        if any(state.is_closed for state in self.states):
            return 1.0
        simulated = map(self.simulated, question.parts, self._joint_paths, densities)
        legs = zip(question.parts, simulated, strict=True)
        return odds_ratio(*(leg.kind.event(leg, path) != leg.negated for leg, path in legs))

    def simulated(self, question: Question, paths: Paths, distribution: Density) -> SimulatedPaths:
        """The paths of an asset in a distribution of it."""
        return SimulatedPaths(paths, distribution, question.spot, self.state.now, self.state.until)

    @cached_property
    def alone(self) -> tuple[ForecastInputs, ...]:
        return tuple(ForecastInputs(state, None, None, self.fits, self.evidence) for state in self.states)

    @property
    def states(self) -> tuple[AssetState, ...]:
        return (self.state,) if self.other is None else (self.state, self.other)


def build_inputs(question: Question, now: int, knowledge: Knowledge) -> ForecastInputs:
    """The inputs of a question asked at the unix second `now`.

    Raises Abstention, for every voter, where an asset has no usable context.
    """
    until = int(question.deadline.timestamp())
    context = usable(knowledge.contexts, question.asset, now)
    state, other, correlation = state_of(context, question.spot, now, until), None, None
    if question.other_asset is not None:
        other_context = usable(knowledge.contexts, question.other_asset, now)
        other = state_of(other_context, other_context.spot, now, until)
        correlation = context.correlations.get(question.other_asset)
    return ForecastInputs(state, other, correlation, knowledge.fits, knowledge.evidence, knowledge.lead)


def usable(contexts: Mapping[str, Context], asset: str, now: int) -> Context:
    """The context of an asset; raises Abstention where it is absent, too short or too old at the unix second `now`."""
    context = contexts.get(asset)
    if context is None:
        raise Abstention(f"no bars of {asset} are stored")
    if context.history_days < LEAST_HISTORY_DAYS:
        raise Abstention(_too_short(LEAST_HISTORY_DAYS, asset, context.history_days))
    age = open_hours(asset, context.as_of, now, is_regular=True)
    if age > STALE_H:
        raise Abstention(f"the last bar of {asset} is {age:.0f} open hours old")
    return context


def _too_short(days: float, asset: str, history_days: float) -> str:
    return f"needs {days:.0f} days of hourly bars of {asset}, {history_days:.0f} are stored"


def state_of(context: Context, spot: float, now: int, until: int) -> AssetState:
    """An asset with the price `spot` in USD from the unix second `now` to `until`."""
    hours = open_hours(context.asset, now, until)
    if not hours and trades(context.asset, now, context.as_of):
        hours = (until - now) / HOUR
    window = of_window(context.asset, now, until, hours)
    return AssetState(
        asset=context.asset,
        spot=spot,
        now=now,
        until=until,
        hours=hours,
        sigma=float(horizon_sigma(context.fast, context.slow, hours)),
        slow=context.slow,
        history_days=context.history_days,
        inputs={**context.inputs, **window},
        level=context.level,
        variance=context.variance,
    )


def density_of(voter: str, state: AssetState, fits: Fits | None) -> Density:
    """The distribution of the log return by a voter's model; plain volatility before it is fitted."""
    fit = fits and fits.of(state.asset)
    if not fit or state.level is None or state.is_closed:
        return state.plain
    seasonal_hours = hours_between(fit.season, state.asset, state.now, state.until)
    return density(fit.models[voter], state.level, state.variance, (state.until - state.now) / HOUR, seasonal_hours)


def densities_of(state: AssetState, fits: Fits | None) -> dict[str, Density]:
    return {voter: density_of(voter, state, fits) for voter in MODELS}


def require(state: AssetState, names: Sequence[str], days: float) -> Array:
    """The named inputs of an asset, shape (names,); raises Abstention where one is missing.

    `days` is the history that all of them need.
    """
    missing = [name for name in names if state.inputs.get(name) is None]
    if missing and state.history_days < days:
        raise Abstention(_too_short(days, state.asset, state.history_days))
    if missing:
        raise Abstention(f"the input {missing[0]} of {state.asset} is not available")
    return np.array([state.inputs[name] for name in names], dtype=float)


def settled(question: Question, state: AssetState) -> str | None:
    """Why the outcome is practically decided, or None."""
    if question.other_asset is not None:
        return None
    if state.hours == 0:
        return sentence("closed", asset=state.asset, price=price(state.spot))
    if question.kind.may_end_early and takes_place_at(question, state.spot):
        end = min(question.levels, key=lambda level: abs(level - state.spot))  # of a range that is left, the near end
        return sentence("reached", asset=state.asset, price=price(state.spot), level=price(end))
    return None


def p_yes(question: Question, inputs: ForecastInputs, densities: Densities) -> float:
    """P(YES) where the assets of the question have these distributions; 1 less that of the event where it is negated.

    The voters and the pool answer every kind of question from the same distributions, so answers add up.
    """
    if question.other_asset is None and inputs.state.hours == 0:
        event = float(takes_place_at(question, inputs.state.spot))
    else:
        event = question.kind.probability(question, VoterChances(question, inputs, densities))
    return 1 - event if question.negated else event


def p_up(question: Question, inputs: ForecastInputs, densities: Densities) -> float:
    """P(the asset is higher at the deadline than now); for a `relative` question P(it returns more than the other)."""
    if question.comparator == "relative":
        return VoterChances(question, inputs, densities).outperforms()
    return densities[0].above(0.0)


@dataclass(frozen=True)
class VoterChances:
    """The probabilities that a question's kind needs, in these distributions of its assets."""

    question: Question
    inputs: ForecastInputs
    densities: Densities

    @property
    def state(self) -> AssetState:
        return self.inputs.state

    @property
    def own(self) -> Density:
        return self.densities[0]

    def distance(self, level: float) -> float:
        return self.state.distance(level)

    def more_volatile(self, volatility: float) -> float:
        self._require_trading()
        state = self.state
        return self.own.more_volatile(volatility * math.sqrt(state.hours / YEAR_HOURS[calendar_of(state.asset)]))

    def above_earlier(self, instant: int) -> float:
        """P(the price at the deadline above that at an instant within the horizon).

        A Brownian motion whose drift over the whole horizon is m standard deviations rises over a part of it with the
        probability Phi(m sqrt(share of the open hours)).
        """
        share = open_hours(self.state.asset, instant, self.state.until) / self.state.hours
        return NORMAL.cdf(NORMAL.inv_cdf(self.own.above(0.0)) * math.sqrt(share))

    def outperforms(self) -> float:
        if self.inputs.correlation is None:
            raise Abstention(NO_CORRELATION)
        first, second = self.densities
        return outperforms(first, second, self.inputs.correlation, self.inputs.lead)

    def both(self) -> tuple[float, float, float]:
        """From each event's own probability and how far the two go together."""
        legs = zip(self.question.parts, self.inputs.alone, self.densities, strict=True)
        first, second = (p_yes(part, inputs, (distribution,)) for part, inputs, distribution in legs)
        return first, second, p_both(first, second, self.inputs.dependence(self.question, self.densities))

    def on_paths(self) -> float:
        self._require_trading()
        inputs = self.inputs
        return p_event(self.question, inputs.simulated(self.question, inputs.single_paths, self.own))

    def _require_trading(self) -> None:
        if self.state.is_closed:
            raise Abstention(f"the market of {self.state.asset} is closed until the deadline")
