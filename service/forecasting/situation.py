"""A question beside what is known of its assets: the view that every voter has, and how a curve answers it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.forecasting import law
from service.forecasting.context import Context
from service.forecasting.fits import Fits
from service.forecasting.inputs import of_window
from service.forecasting.law import Curve
from service.forecasting.questions.question import Question
from service.forecasting.resolution import TOUCHES, happened
from service.forecasting.votes import Abstention
from service.market.assets import open_hours

SUREST = 0.995  # no voter is surer than this of anything
STALE_H = 30.0  # open hours without a bar after which nothing is said; a holiday of the metals lasts 23
LEAST_HISTORY_DAYS = 14.0  # below, even the volatility is a guess


@dataclass(frozen=True)
class View:
    """One asset over the horizon of a question.

    `hours` are open hours until the deadline, `sigma` the standard deviation of the log return over them,
    `inputs` what a voter may look at (None where history is too short).
    """

    asset: str
    spot: float
    hours: float
    sigma: float
    fast: float
    slow: float
    history_days: float
    inputs: Mapping[str, float | None]

    def distance(self, level: float) -> float:
        """Log distance of a level from the spot, in standard deviations of a horizon that has open hours."""
        return math.log(level / self.spot) / self.sigma


@dataclass(frozen=True)
class Situation:
    """What the voters are shown: `view` of the asset, `other` of the one it is measured against.

    `fits` is None before the first fit.
    """

    view: View
    other: View | None
    correlation: float | None
    fits: Fits | None


def situate(question: Question, now: int, contexts: Mapping[str, Context], fits: Fits | None) -> Situation:
    """The situation of a question asked at the unix second `now`.

    Raises Abstention, for every voter, where an asset has no usable context.
    """
    until = int(question.deadline.timestamp())
    context = _usable(contexts, question.asset, now)
    view = _view(context, question.spot, now, until)
    if question.other_asset is None:
        return Situation(view, None, None, fits)
    other = _usable(contexts, question.other_asset, now)
    return Situation(
        view=view,
        other=_view(other, other.spot, now, until),
        correlation=context.correlations.get(other.asset),
        fits=fits,
    )


def _usable(contexts: Mapping[str, Context], asset: str, now: int) -> Context:
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


def _view(context: Context, spot: float, now: int, until: int) -> View:
    hours = open_hours(context.asset, now, until)
    window = of_window(context.asset, now, until, hours)
    return View(
        asset=context.asset,
        spot=spot,
        hours=hours,
        sigma=float(law.horizon_sigma(context.fast, context.slow, hours)),
        fast=context.fast,
        slow=context.slow,
        history_days=context.history_days,
        inputs={**context.inputs, **{name: float(value) for name, value in window.items()}},
    )


def require(view: View, names: Sequence[str], days: float) -> NDArray[np.float64]:
    """The named inputs of a view, shape (names,); abstains where one is unknown.

    `days` is the history that gives them all.
    """
    missing = [name for name in names if view.inputs.get(name) is None]
    if missing and view.history_days < days:
        raise Abstention(_too_short(days, view.asset, view.history_days))
    if missing:
        raise Abstention(f"{missing[0]} of {view.asset} is unknown")
    return np.array([view.inputs[name] for name in names], dtype=float)


def settled(question: Question, view: View) -> str | None:
    """Why the outcome is as good as known already, or None."""
    if question.comparator == "relative":
        return None
    if view.hours == 0:
        return f"The market of {view.asset} stays closed until the deadline, and its price at {view.spot:,.10g}."
    if question.comparator in TOUCHES and happened(question, final=view.spot, high=view.spot, low=view.spot):
        return f"{view.asset} is at {view.spot:,.10g}, so {question.level:,.10g} is reached already."
    return None


def p_yes(question: Question, situation: Situation, curve: Curve, other: Curve | None = None) -> float:
    """P(YES) by a voter whose opinion of the asset is `curve`, and of the other asset `other`.

    Within [0.005, 0.995]; the contrary question gets exactly the rest.
    """
    p = _p_event(question, situation, curve, other)
    p = min(SUREST, max(1 - SUREST, p))
    return 1 - p if question.negated else p


def _p_event(question: Question, situation: Situation, curve: Curve, other: Curve | None) -> float:
    view = situation.view
    if question.comparator == "relative":
        return _p_relative(situation, curve, other)
    if view.hours == 0:
        return float(happened(question, final=view.spot, high=view.spot, low=view.spot))
    match question.comparator:
        case "close_above":
            return law.close_above(curve, view.distance(question.level))
        case "close_below":
            return 1 - law.close_above(curve, view.distance(question.level))
        case "touch_above":
            return law.touch_above(curve, view.distance(question.level))
        case "touch_below":
            return law.touch_below(curve, view.distance(question.level))
        case "between":
            return law.close_between(curve, view.distance(question.level), view.distance(question.upper_level))
        case "down":
            return 1 - law.close_above(curve, 0.0)
    return law.close_above(curve, 0.0)


def _p_relative(situation: Situation, curve: Curve, other: Curve) -> float:
    if situation.correlation is None:
        raise Abstention("too few hours in which both assets traded")
    return law.outperforms(curve, situation.view.sigma, other, situation.other.sigma, situation.correlation)
