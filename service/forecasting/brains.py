"""The three brains: plain volatility, a ridge logistic on every input, and boosted trees."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from service.forecasting import forest, law, linear
from service.forecasting.fits import Fits
from service.forecasting.forest import ForestFit
from service.forecasting.inputs import INPUTS, LOOK_BACK_H, describe, is_metal
from service.forecasting.linear import LinearFit
from service.forecasting.questions.question import Question
from service.forecasting.reasoning import Opinion, speak
from service.forecasting.situation import Situation, View, p_yes, require, settled
from service.forecasting.votes import Abstention, Forecast

Kind = Literal["seat", "brain"]
Array = NDArray[np.float64]

EMBEDDED = "embedded"


@dataclass(frozen=True)
class Volatility:
    """The base rate: a normal law with present volatility and no drift (design page `oracle`, section 2)."""

    name: str = "vol"
    kind: Kind = "brain"
    engine: str = EMBEDDED

    def forecast(self, question: Question, situation: Situation) -> Forecast:
        """P(YES) from volatility alone; never abstains where there is a view."""
        p = p_yes(question, situation, *[law.normal_log_odds] * (2 if situation.other else 1))
        view = situation.view
        told = settled(question, view) or f"{_range(view)} {_distance(question, view)} That gives {100 * p:.1f} %."
        return Forecast(p, told)


def _range(view: View) -> str:
    daily, usual = (100 * math.sqrt(24 * variance) for variance in (view.fast, view.slow))
    return (
        f"Volatility of {view.asset} is {daily:.1f} % in 24 hours of trading, {usual:.1f} % over 180 days:"
        f" one sigma until the deadline is {100 * view.sigma:.1f} %."
    )


def _distance(question: Question, view: View) -> str:
    if question.other_asset:
        return f"Neither {question.asset} nor {question.other_asset} is given a drift."
    levels = [level for level in (question.level, question.upper_level) if level is not None]
    if not levels:
        return "No drift is assumed, so up and down are alike."
    return " ".join(_away(level, view) for level in levels)


def _away(level: float, view: View) -> str:
    percent = 100 * (level / view.spot - 1)
    return f"{level:,.10g} is {percent:+.1f} % away, {view.distance(level):+.1f} sigma."


@dataclass(frozen=True)
class Linear:
    """A voter that learns a damped ridge residual on the base rate from its own inputs."""

    name: str
    kind: Kind
    inputs: tuple[str, ...]
    looks_at: str
    engine: str = EMBEDDED

    def forecast(self, question: Question, situation: Situation) -> Forecast:
        """P(YES), explained by its inputs; abstains unfitted or with too little history."""
        fit = _fitted(self.name, situation.fits).linear[self.name]
        views = [view for view in (situation.view, situation.other) if view is not None]
        opinions = [self._opinion(fit, view) for view in views]
        return speak(question, situation, opinions, self.looks_at)

    def _opinion(self, fit: LinearFit, view: View) -> Opinion:
        values = require(view, self.inputs, LOOK_BACK_H / 24)
        scored = linear.scores(fit, _variants(values, np.array(fit.centers)))
        metal = float(is_metal(view.asset))

        def log_odds(z: float) -> Array:
            return law.normal_log_odds(z) + linear.residual(fit, metal, z, view.hours, scored)

        return _opinion_of(view.asset, log_odds, fit, values)


@dataclass(frozen=True)
class Forest:
    """Boosted trees on distance, horizon and ten inputs, believed as far as held-out months allow."""

    name: str = "forest"
    kind: Kind = "brain"
    engine: str = EMBEDDED

    def forecast(self, question: Question, situation: Situation) -> Forecast:
        """P(YES), explained by what the trees answer without each input; abstains like `logit`."""
        fit = _fitted(self.name, situation.fits).forest
        views = [view for view in (situation.view, situation.other) if view is not None]
        opinions = [self._opinion(fit, view) for view in views]
        return speak(question, situation, opinions, f"{len(fit.trees.roots)} trees, {100 * fit.weight:.0f} % believed")

    def _opinion(self, fit: ForestFit, view: View) -> Opinion:
        values = require(view, fit.inputs, LOOK_BACK_H / 24)
        rows = _variants(values, np.array(fit.centers))
        hours = np.full(len(rows), view.hours)

        def log_odds(z: float) -> Array:
            return forest.log_odds(fit, np.full(len(rows), z), hours, rows)

        return _opinion_of(view.asset, log_odds, fit, values)


def _variants(values: Array, centers: Array) -> Array:
    """The inputs as they are, all neutral, and with each one neutral in turn; shape (2 + inputs, inputs)."""
    each = np.where(np.eye(len(values), dtype=bool), centers, values)
    return np.vstack([values, centers, each])


def _opinion_of(asset: str, log_odds: Callable[[float], Array], fit: LinearFit | ForestFit, values: Array) -> Opinion:
    def term(place: int) -> str:
        return describe(fit.inputs[place], float(values[place]), fit.centers[place], asset)

    return Opinion(asset, log_odds, len(fit.inputs), term)


def _fitted(name: str, fits: Fits | None) -> Fits:
    if fits is None:
        raise Abstention("is not fitted yet")
    if name in fits.missing:
        raise Abstention(fits.missing[name])
    return fits


VOL = Volatility()
LOGIT = Linear("logit", "brain", tuple(INPUTS), "All inputs")
FOREST = Forest()
