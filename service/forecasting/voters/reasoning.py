"""From a voter's curves to its forecast, and the sentences that explain it by the effect of each term."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from numpy.typing import NDArray

from service.forecasting.densities.views import BASES
from service.forecasting.voters.ballots import Forecast
from service.forecasting.voters.distribution import NORMAL_BASE, Base, Curve
from service.forecasting.voters.forecast_inputs import ForecastInputs, p_yes, settled
from service.questions.question import Question

SHOWN = 3  # effects that are named
LEAST_POINTS = 0.05  # a smaller effect, in percentage points, is not named

Effect = tuple[float, Callable[[], str]]  # percentage points of P(YES), and the term in words


@dataclass(frozen=True)
class ExplainedCurve:
    """A voter's curve of one asset, and the same curve without each of its inputs.

    `residuals(z)` are the log-odds added to the base, shape (2 + terms,): with all inputs; with every input neutral;
    then with the first input neutral, the second, and so on. `term(place)` describes an input in words.
    """

    asset: str
    base: Base
    residuals: Callable[[float], NDArray]
    terms: int
    term: Callable[[int], str]

    def curves(self) -> list[Curve]:
        """One curve for each row of `residuals`; a distance is computed once for all of them."""
        cache: dict[float, list[float]] = {}

        def at(z: float) -> list[float]:
            if z not in cache:
                cache[z] = self.residuals(z).tolist()
            return cache[z]

        return [Curve(self.base, lambda z, place=place: at(z)[place]) for place in range(2 + self.terms)]


def explain(
    question: Question, inputs: ForecastInputs, explained: Sequence[ExplainedCurve], *, voter: str, topic: str
) -> Forecast:
    """The forecast of a voter with a curve for each asset of the question; `topic` names the voter's inputs."""
    curves = [each.curves() for each in explained]
    p = p_yes(question, inputs, *[each[0] for each in curves])
    decided = settled(question, inputs.state)
    if decided is not None:
        return Forecast(p, decided)
    base = p_yes(question, inputs, *[Curve(each.base) for each in explained])
    neutral = p_yes(question, inputs, *[each[1] for each in curves])
    shape: Effect = (100 * (neutral - base), lambda: "fitted shape of moves")
    effects: list[Effect] = []
    for place, curve in enumerate(explained):
        for term, without in enumerate(curves[place][2:]):
            changed = [without if here == place else each[0] for here, each in enumerate(curves)]
            words = partial(_term, curve, term, is_one_of_two=len(explained) > 1)
            effects.append((100 * (p - p_yes(question, inputs, *changed)), words))
    return Forecast(p, f"{_view(voter, inputs, explained, base)} {_sentences(_named(shape, effects, topic), p)}")


def _view(voter: str, inputs: ForecastInputs, explained: Sequence[ExplainedCurve], base: float) -> str:
    """What the voter's volatility comes from, it beside the plain one, and what it alone implies."""
    is_fitted = any(each.base is not NORMAL_BASE for each in explained)
    sigmas = " and ".join(
        f"{100 * state.sigma * each.base.sigma_ratio:.1f}%{f' for {state.asset}' if len(explained) > 1 else ''}"
        f" (plain volatility {100 * state.sigma:.1f}%)"
        for state, each in zip(inputs.states, explained, strict=True)
    )
    by = BASES[voter] if is_fitted else "plain volatility"
    return f"From {by}, one sigma until the deadline is {sigmas}, which alone implies {100 * base:.1f}%."


def summary(base: float, effects: str, p: float) -> str:
    """The sentences from the base rate of volatility over the effects to the forecast P(YES)."""
    return f"Volatility alone implies {100 * base:.1f}%. {_sentences(effects, p)}"


def _sentences(effects: str, p: float) -> str:
    return f"{effects[:1].upper()}{effects[1:]}. Forecast: {100 * p:.1f}%."


def _term(curve: ExplainedCurve, place: int, *, is_one_of_two: bool) -> str:
    words = curve.term(place)
    return f"{words} ({curve.asset})" if is_one_of_two else words


def _named(shape: Effect, effects: Sequence[Effect], topic: str) -> str:
    """The largest effects in words; only they are worded, which takes longer than computing them."""
    largest = sorted([shape, *effects], key=lambda effect: -abs(effect[0]))[:SHOWN]
    shown = [effect for effect in largest if abs(effect[0]) >= LEAST_POINTS]
    named = [f"{words()}: {points:+.1f} pp" for points, words in shown]
    if all(effect is shape for effect in shown):
        named.append(f"{topic}: near average")
    return "; ".join(named)
