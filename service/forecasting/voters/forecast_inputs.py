"""The inputs of a forecast: a question beside the state of its assets, the same for every voter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from service.forecasting.densities.density import density
from service.forecasting.densities.fits import CalendarFit
from service.forecasting.densities.paths import Paths, joint_paths, paths
from service.forecasting.densities.season import hours_between
from service.forecasting.voters import distribution
from service.forecasting.voters.ballots import Abstention
from service.forecasting.voters.context import Context
from service.forecasting.voters.distribution import NORMAL_BASE, Base, Curve, ViewBase
from service.forecasting.voters.evidence import Evidence
from service.forecasting.voters.fits import Fits
from service.forecasting.voters.inputs import of_window
from service.forecasting.voters.joint_events import odds_ratio, on_paths, p_both
from service.forecasting.voters.knowledge import Knowledge
from service.forecasting.voters.path_events import PathReader, p_event, shares_of
from service.market.assets import calendar_of, is_open, open_hours
from service.market.instants import HOUR
from service.questions.canonical import price
from service.questions.question import TOUCHES, WHOLE_PATH, Question, happened, is_zero

SUREST = 0.999  # no forecast is closer to 0 or 1 than this
STALE_H = 30.0  # open hours without a bar after which voters abstain; an unscheduled closure of a day lasts 23
UNCORRELATED = "too few hours in which both assets traded"
LEAST_HISTORY_DAYS = 14.0  # with less, even the volatility is a guess


@dataclass(frozen=True)
class AssetState:
    """One asset over the horizon of a question.

    It begins at the unix second `now` and ends at `until`. `hours` are the open hours in it, `sigma` is the standard
    deviation of the log return over them by plain volatility, `inputs` the values a voter may use (None where history
    is too short), `level` and `variance` what the views of volatility see (None and empty where it is not stored).
    """

    asset: str
    spot: float
    now: int
    until: int
    hours: float
    sigma: float
    fast: float
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
        """Log distance of a level from the spot, in standard deviations of a horizon that has open hours."""
        return math.log(level / self.spot) / self.sigma


@dataclass(frozen=True)
class ForecastInputs:
    """The `state` of the question's asset, and of the `other` asset of a question about two with the correlation.

    `correlation` is None where there are too few common hours, `fits` before the first fit. `evidence` is for language
    models alone, `lead` the log return of the asset above the other one's so far. The paths of a question that needs
    them are simulated once for all voters, and counted once for each base.
    """

    state: AssetState
    other: AssetState | None
    correlation: float | None
    fits: Fits | None
    evidence: Evidence = field(default_factory=Evidence)
    lead: float = 0.0
    _shares: dict[int, tuple[Base, NDArray[np.float64]]] = field(default_factory=dict, compare=False, repr=False)

    _ratios: dict[tuple[int, ...], tuple[tuple[Base, ...], float]] = field(
        default_factory=dict, compare=False, repr=False
    )

    @cached_property
    def _paths(self) -> Paths:
        fit = calendar_fit(self.state.asset, self.fits)
        return paths(self.state.asset, self.state.now, self.state.until, fit and fit.season)

    def shares(self, question: Question, base: Base) -> NDArray[np.float64]:
        """The share of the paths with the event of the question, by bin of the last price; see `path_events`."""
        state = self.state
        if id(base) not in self._shares:
            reader = PathReader(self._paths, base, state.sigma, state.now, state.until)
            self._shares[id(base)] = base, shares_of(question, reader)
        return self._shares[id(base)][1]

    @cached_property
    def _joint_paths(self) -> tuple[Paths, Paths]:
        assert self.other is not None  # only a question about two assets asks for them
        first, second = self.states
        seasons = tuple(fit and fit.season for fit in (calendar_fit(state.asset, self.fits) for state in self.states))
        if self.correlation is None:
            raise Abstention(UNCORRELATED)
        return joint_paths((first.asset, second.asset), first.now, first.until, seasons, self.correlation)

    def dependence(self, question: Question, bases: tuple[Base, ...]) -> float:
        """The odds ratio of the two events of a joint question; 1 where a market is closed until the deadline."""
        if any(state.is_closed for state in self.states):
            return 1.0
        key = tuple(map(id, bases))
        if key not in self._ratios:
            self._ratios[key] = bases, self._counted(question, bases)
        return self._ratios[key][1]

    def _counted(self, question: Question, bases: tuple[Base, ...]) -> float:
        readers = (
            PathReader(paths, base, state.sigma, state.now, state.until)
            for paths, base, state in zip(self._joint_paths, bases, self.states, strict=True)
        )
        first, second = (on_paths(part, reader) for part, reader in zip(question.parts, readers, strict=True))
        return odds_ratio(first, second)

    @cached_property
    def alone(self) -> tuple[ForecastInputs, ...]:
        """The inputs of each asset alone."""
        return tuple(ForecastInputs(state, None, None, self.fits, self.evidence) for state in self.states)

    @property
    def states(self) -> tuple[AssetState, ...]:
        """The states of the question's assets."""
        return (self.state,) if self.other is None else (self.state, self.other)


def build_inputs(question: Question, now: int, knowledge: Knowledge) -> ForecastInputs:
    """The inputs of a question asked at the unix second `now`.

    Raises Abstention, for every voter, where an asset has no usable context.
    """
    until = int(question.deadline.timestamp())
    context = usable(knowledge.contexts, question.asset, now)
    state = _state(context, question.spot, now, until)
    if question.other_asset is None:
        return ForecastInputs(state, None, None, knowledge.fits, knowledge.evidence)
    other = usable(knowledge.contexts, question.other_asset, now)
    return ForecastInputs(
        state=state,
        other=_state(other, other.spot, now, until),
        correlation=context.correlations.get(other.asset),
        fits=knowledge.fits,
        evidence=knowledge.evidence,
        lead=knowledge.lead,
    )


def usable(contexts: Mapping[str, Context], asset: str, now: int) -> Context:
    """The context of an asset; raises Abstention where it is absent, too short or too old at the unix second `now`."""
    context = contexts.get(asset)
    if context is None:
        raise Abstention(f"no bars of {asset} are stored")
    if context.history_days < LEAST_HISTORY_DAYS:
        raise Abstention(_too_short(LEAST_HISTORY_DAYS, asset, context.history_days))
    age = open_hours(asset, context.as_of, now)
    if age > STALE_H:
        raise Abstention(f"the last bar of {asset} is {age:.0f} open hours old")
    return context


def _too_short(needed: float, asset: str, stored: float) -> str:
    return f"needs {needed:.0f} days of hourly bars of {asset}, {stored:.0f} are stored"


def _state(context: Context, spot: float, now: int, until: int) -> AssetState:
    hours = open_hours(context.asset, now, until)
    if not hours and not is_open(context.asset, context.as_of - 1):
        hours = (until - now) / HOUR  # its source trades while its market is closed, as a token of gold does
    window = of_window(context.asset, now, until, hours)
    return AssetState(
        asset=context.asset,
        spot=spot,
        now=now,
        until=until,
        hours=hours,
        sigma=float(distribution.horizon_sigma(context.fast, context.slow, hours)),
        fast=context.fast,
        slow=context.slow,
        history_days=context.history_days,
        inputs={**context.inputs, **{name: float(value) for name, value in window.items()}},
        level=context.level,
        variance=context.variance,
    )


def calendar_fit(asset: str, fits: Fits | None) -> CalendarFit | None:
    """The views of the assets with this one's trading hours; None before they are fitted."""
    return fits.densities.get(calendar_of(asset)) if fits else None


def base_of(voter: str, state: AssetState, fits: Fits | None) -> Base:
    """The distribution that a voter's view of volatility gives; a normal one before the views are fitted."""
    fit = calendar_fit(state.asset, fits)
    if fit is None or state.level is None or state.is_closed:
        return NORMAL_BASE
    seasonal_hours = hours_between(fit.season, state.asset, state.now, state.until)
    hours = (state.until - state.now) / HOUR
    return ViewBase(density(fit.views[voter], state.level, state.variance, hours, seasonal_hours), state.sigma)


def require(state: AssetState, names: Sequence[str], days: float) -> NDArray[np.float64]:
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
        return f"The market of {state.asset} is closed until the deadline, so the price stays at {price(state.spot)}."
    if question.comparator in TOUCHES and happened(question, final=state.spot, high=state.spot, low=state.spot):
        return f"{state.asset} is at {price(state.spot)}, so {price(question.level)} has already been reached."
    return None


def p_yes(question: Question, inputs: ForecastInputs, curve: Curve, other: Curve | None = None) -> float:
    """P(YES) of a voter with the opinion `curve` on the asset, and `other` on the other asset of a question about two.

    Within [0.001, 0.999]; a negated question gets 1 less that of the event.
    """
    event = 0.0 if is_zero(question) else _p_event(question, inputs, curve, other)
    p = min(SUREST, max(1 - SUREST, event))
    return 1 - p if question.negated else p


def _p_event(question: Question, inputs: ForecastInputs, curve: Curve, other: Curve | None) -> float:
    state = inputs.state
    if question.comparator == "relative":
        return _p_relative(inputs, curve, other)
    if question.legs:
        return _p_joint(question, inputs, curve, other)
    if state.hours == 0:
        return float(happened(question, final=state.spot, high=state.spot, low=state.spot))
    if question.comparator in WHOLE_PATH and state.is_closed:
        raise Abstention(f"the market of {state.asset} is closed until the deadline")
    if question.comparator in WHOLE_PATH:
        return p_event(curve, inputs.shares(question, curve.base))
    match question.comparator:
        case "close_above":
            return distribution.close_above(curve, state.distance(question.threshold))
        case "close_below":
            return 1 - distribution.close_above(curve, state.distance(question.threshold))
        case "touch_above":
            return distribution.touch_above(curve, state.distance(question.threshold))
        case "touch_below":
            return distribution.touch_below(curve, state.distance(question.threshold))
        case "between":
            return distribution.close_between(curve, *map(state.distance, question.bounds))
        case "move":
            sides = (state.spot * (1 - question.size), state.spot * (1 + question.size))
            return 1 - distribution.close_between(curve, *map(state.distance, sides))
        case "above_earlier":
            return distribution.rises_later(curve, _share_after(question, state))
        case "below_earlier":
            return 1 - distribution.rises_later(curve, _share_after(question, state))
        case "down":
            return 1 - distribution.close_above(curve, 0.0)
    return distribution.close_above(curve, 0.0)


def _share_after(question: Question, state: AssetState) -> float:
    """The share of the open hours that comes after the earlier instant of a question that compares two."""
    return open_hours(state.asset, int(question.starts_at.timestamp()), state.until) / state.hours


def _p_relative(inputs: ForecastInputs, curve: Curve, other: Curve | None) -> float:
    assert inputs.other is not None  # a relative question names two assets
    assert other is not None
    if inputs.correlation is None:
        raise Abstention(UNCORRELATED)
    sigma, other_sigma = inputs.state.sigma * curve.base.sigma_ratio, inputs.other.sigma * other.base.sigma_ratio
    return distribution.outperforms(curve, sigma, other, other_sigma, inputs.correlation, inputs.lead)


def _p_joint(question: Question, inputs: ForecastInputs, curve: Curve, other: Curve | None) -> float:
    """P(both) or P(either) from each event's own probability and how far the two go together."""
    assert other is not None
    legs = zip(question.parts, inputs.alone, (curve, other), strict=True)
    first, second = (_p_leg(part, alone, own) for part, alone, own in legs)
    together = p_both(first, second, inputs.dependence(question, (curve.base, other.base)))
    return together if question.comparator == "both" else first + second - together


def _p_leg(part: Question, inputs: ForecastInputs, curve: Curve) -> float:
    p = _p_event(part, inputs, curve, None)
    return 1 - p if part.negated else p
