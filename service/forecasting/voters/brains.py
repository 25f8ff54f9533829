"""The three brains: plain volatility, a ridge logistic regression on every input, and boosted trees."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.forecasting.densities.views import BASES
from service.forecasting.voters import forest, linear
from service.forecasting.voters.ballots import Abstention, Forecast
from service.forecasting.voters.distribution import NORMAL_BASE, Base, Curve
from service.forecasting.voters.fits import Fits
from service.forecasting.voters.forecast_inputs import AssetState, ForecastInputs, base_of, p_yes, require, settled
from service.forecasting.voters.forest import ForestFit
from service.forecasting.voters.inputs import HEADLINES, INPUTS, LOOK_BACK_H, describe, is_metal
from service.forecasting.voters.linear import LinearFit
from service.forecasting.voters.reasoning import ExplainedCurve, explain
from service.forecasting.voters.voter import EMBEDDED, VoterKind
from service.questions.canonical import price
from service.questions.question import Question

Array = NDArray[np.float64]

UNFITTED = "is not fitted yet"


@dataclass(frozen=True)
class Volatility:
    """The base rate: volatility from the ranges of bars, and no drift.

    Before the views are fitted, a normal distribution of the log return with `distribution.horizon_sigma`.
    """

    name: str = "vol"
    kind: VoterKind = "brain"
    engine: str = EMBEDDED

    def forecast(self, question: Question, inputs: ForecastInputs) -> Forecast:
        """P(YES) from volatility alone; abstains only where a `relative` question has no correlation."""
        bases = [base_of(self.name, state, inputs.fits) for state in inputs.states]
        p = p_yes(question, inputs, *map(Curve, bases))
        decided = settled(question, inputs.state)
        return Forecast(p, decided or f"{_reason(question, inputs, bases)} Forecast: {100 * p:.1f}%.")


def _reason(question: Question, inputs: ForecastInputs, bases: Sequence[Base]) -> str:
    if question.legs:
        return _of_legs(question, inputs, bases)
    return f"{' '.join(map(_range, inputs.states, bases))} {_distance(question, inputs.state, bases[0])}"


def _range(state: AssetState, base: Base) -> str:
    daily, average = (100 * math.sqrt(24 * variance) for variance in (state.fast, state.slow))
    reason = "" if base is NORMAL_BASE else f", by {BASES[VOL.name]}"
    return (
        f"Recent volatility of {state.asset}: {daily:.1f}% per 24 hours of trading (180-day average {average:.1f}%)."
        f" One sigma until the deadline is {100 * state.sigma * base.sigma_ratio:.1f}%{reason}."
    )


def _distance(question: Question, state: AssetState, base: Base) -> str:
    if question.levels:
        return " ".join(_away(level, state, base) for level in question.levels)
    return f"No drift is assumed for {' or '.join(question.assets)}."


def _of_legs(question: Question, inputs: ForecastInputs, bases: Sequence[Base]) -> str:
    """How far away each event of a joint question is, and how far the two go together."""
    legs = list(zip(question.parts, inputs.states, bases, strict=True))
    sigmas = " and ".join(f"{100 * state.sigma * base.sigma_ratio:.1f}% ({state.asset})" for _, state, base in legs)
    away = " ".join(_distance(part, state, base) for part, state, base in legs)
    together = f"The correlation of hourly returns is {inputs.correlation or 0:+.2f}."
    return f"One sigma until the deadline is {sigmas}. {away} {together}"


def _away(level: float, state: AssetState, base: Base) -> str:
    away, sigmas = 100 * (level / state.spot - 1), state.distance(level) / base.sigma_ratio
    return f"{price(level)} is {away:+.1f}% away, {sigmas:+.1f} sigma."


@dataclass(frozen=True)
class Linear:
    """A voter with a damped ridge residual on the base rate, learnt from its own inputs; `topic` names them."""

    name: str
    kind: VoterKind
    inputs: tuple[str, ...]
    topic: str
    engine: str = EMBEDDED

    def forecast(self, question: Question, inputs: ForecastInputs) -> Forecast:
        """P(YES), explained by the effect of each input; abstains unfitted or with too little history."""
        fit = _fitted(self.name, inputs.fits).linear[self.name]
        curves = [self._curve(fit, state, base_of(self.name, state, inputs.fits)) for state in inputs.states]
        return explain(question, inputs, curves, voter=self.name, topic=self.topic)

    def _curve(self, fit: LinearFit, state: AssetState, base: Base) -> ExplainedCurve:
        values = self.values(state, fit)
        scored = linear.scores(fit, _variants(values, np.array(fit.centers)))
        metal = float(is_metal(state.asset))

        def residuals(z: float) -> Array:
            return linear.residual(fit, metal, z / base.sigma_ratio, state.hours, scored)

        return _explained(state.asset, base, residuals, fit, values)

    def values(self, state: AssetState, fit: LinearFit) -> Array:
        """The inputs of the fit, shape (inputs,); raises Abstention where one is missing."""
        return require(state, fit.inputs, LOOK_BACK_H / 24)


@dataclass(frozen=True)
class Forest:
    """Boosted trees on distance, horizon and ten inputs, weighted by their skill on held-out months."""

    name: str = "forest"
    kind: VoterKind = "brain"
    engine: str = EMBEDDED

    def forecast(self, question: Question, inputs: ForecastInputs) -> Forecast:
        """P(YES), explained by the trees' answers without each input; abstains like `logit`."""
        fit = _fitted(self.name, inputs.fits).forest
        if fit is None:
            raise Abstention(UNFITTED)
        curves = [self._curve(fit, state, base_of(self.name, state, inputs.fits)) for state in inputs.states]
        topic = f"{len(fit.trees.roots)} trees at {100 * fit.weight:.0f}% weight"
        return explain(question, inputs, curves, voter=self.name, topic=topic)

    def _curve(self, fit: ForestFit, state: AssetState, base: Base) -> ExplainedCurve:
        values = require(state, fit.inputs, LOOK_BACK_H / 24)
        rows = _variants(values, np.array(fit.centers))
        hours = np.full(len(rows), state.hours)

        def residuals(z: float) -> Array:
            near = forest.near(z / base.sigma_ratio)
            odds = np.full(len(rows), base.log_odds(near * base.sigma_ratio))
            return forest.residual(fit, np.full(len(rows), near), hours, rows, odds)

        return _explained(state.asset, base, residuals, fit, values)


def _variants(values: Array, centers: Array) -> Array:
    """The inputs as they are, all neutral, and with each one neutral in turn; shape (2 + inputs, inputs)."""
    each = np.where(np.eye(len(values), dtype=bool), centers, values)
    return np.vstack([values, centers, each])


def _explained(
    asset: str, base: Base, residuals: Callable[[float], Array], fit: LinearFit | ForestFit, values: Array
) -> ExplainedCurve:
    def term(place: int) -> str:
        return describe(fit.inputs[place], float(values[place]), fit.centers[place], asset)

    return ExplainedCurve(asset, base, residuals, len(fit.inputs), term)


def _fitted(name: str, fits: Fits | None) -> Fits:
    if fits is None:
        raise Abstention(UNFITTED)
    if name in fits.missing:
        raise Abstention(fits.missing[name])
    return fits


VOL = Volatility()
LOGIT = Linear("logit", "brain", tuple(name for name in INPUTS if name not in HEADLINES), "all inputs")
FOREST = Forest()
