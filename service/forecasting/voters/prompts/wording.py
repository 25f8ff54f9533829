"""How a prompt names assets, prices and the deadline, and the tables of past prices that it shows to one seat alone.

Masked, nothing lets a model remember what came after. Every price is the last close at an instant that is not after the
question's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from string import ascii_uppercase

import numpy as np
from numpy.typing import NDArray

from service.forecasting.voters.forecast_inputs import AssetState, ForecastInputs, settled
from service.forecasting.voters.inputs import is_metal
from service.market.assets import ASSETS, open_hours
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from service.questions.canonical import canonical, sentence
from service.questions.criterion import price
from service.questions.question import Question
from service.scores.proper import Array

INDEX = 100.0  # the masked price of an asset at the question
SIGNIFICANT = 5  # digits of a quantile


@dataclass(frozen=True)
class Wording:
    """The words for one question.

    Masked, an asset is "asset A", a price an index that is 100 at the question, and the deadline so many hours away.
    """

    question: Question
    is_masked: bool

    def asset(self, key: str) -> str:
        """The name of an asset; the question's assets are the first of the letters."""
        if not self.is_masked:
            return key
        order = [*self.question.assets, *(asset for asset in ASSETS if asset not in self.question.assets)]
        return f"asset {ascii_uppercase[order.index(key)]}"

    def price(self, usd: float, state: AssetState) -> str:
        """A price of the state's asset, with its unit."""
        return f"{self._index(usd, state)} (index)" if self.is_masked else f"{price(usd)} USD"

    def rounded(self, usd: float, state: AssetState) -> str:
        """A price without its unit, in at most five significant digits."""
        level = INDEX * usd / state.spot if self.is_masked else usd
        return price(float(f"{level:.{SIGNIFICANT}g}"))

    def sentence(self, state: AssetState) -> str:
        if not self.is_masked:
            return canonical(self.question)
        question, spot = self.question, state.spot
        # The levels of every asset as the same share of the state's price.
        legs = (replace(leg, spot=spot, level=leg.level and leg.level * (spot / leg.spot)) for leg in question.legs)

        def instant(at: datetime) -> str:
            return f"{question.horizon_hours - (question.deadline - at).total_seconds() / HOUR:.1f} hours from now"

        rebased = replace(question, legs=tuple(legs))
        text = sentence(rebased, asset=self.asset, usd=lambda usd: self._index(usd, state), instant=instant)
        return text.replace(" USD", "")

    def _index(self, usd: float | None, state: AssetState) -> str:
        return "" if usd is None else price(round(INDEX * usd / state.spot, 2))

    def decided(self, state: AssetState) -> str | None:
        reason = settled(self.question, state)
        if reason is None or not self.is_masked:
            return reason
        if state.hours == 0:
            return f"The market of {self.asset(state.asset)} is closed until the deadline, so the price stays at 100."
        return "The level has already been reached."


Table = Callable[[ForecastInputs, Wording], Iterator[str]]

MOVES_S = (HOUR, 4 * HOUR, DAY, 3 * DAY, 7 * DAY, 30 * DAY)
COMPARED_S = (6 * HOUR, DAY, 3 * DAY, 7 * DAY)  # with the same hours of other weeks
LONG_S = (30 * DAY, 90 * DAY, 180 * DAY)
WEEK_S, WEEKS = 7 * DAY, 12


def day_and_hour_closes(inputs: ForecastInputs, wording: Wording) -> Iterator[str]:
    yield from _closes(inputs, wording, DAY, 60)
    yield from _closes(inputs, wording, HOUR, 72)


def _closes(inputs: ForecastInputs, wording: Wording, step_s: int, count: int) -> Iterator[str]:
    """A title and a row of distances for each asset; with two assets every second close, so that both fit.

    In tenths, because whole numbers are half as many tokens.
    """
    places = np.arange(count, 0, -1)[:: len(inputs.states)]
    rows = [_row(inputs, state, wording, step_s, places) for state in inputs.states]
    if any(rows):
        spacing = step_s // HOUR * len(inputs.states)
        yield (
            f"Closes of the last {_span(count * step_s)}, {spacing} h apart, oldest first:"
            f" distance from the present price in tenths of a sigma of {_span(step_s)}"
        )
        yield from filter(None, rows)


def _row(
    inputs: ForecastInputs, state: AssetState, wording: Wording, step_s: int, places: NDArray[np.int64]
) -> str | None:
    """The distances of the closes so many steps ago; None without any."""
    bars = inputs.evidence.hourly.get(state.asset)
    if bars is None:
        return None
    closes = _closes_at(bars, state.now - step_s * places)
    distances = np.log(closes[np.isfinite(closes)] / state.spot)  # those before the first bar are left out
    sigma = math.sqrt(state.slow * step_s / HOUR)
    tenths = " ".join(f"{tenth:+d}" for tenth in np.rint(10 * distances / sigma).astype(int).tolist())
    return f"{wording.asset(state.asset)} (one sigma is {100 * sigma:.2f}%): {tenths}" if tenths else None


def _closes_at(bars: Bars, instants: NDArray[np.int64]) -> Array:
    """The last close at or before each unix second; NaN before the first bar."""
    places = np.searchsorted(bars.time + bars.step, instants, side="right") - 1
    return np.concatenate([bars.close, [np.nan]])[places]


def moves_of_all(inputs: ForecastInputs, wording: Wording) -> Iterator[str]:
    """The moves of every asset over the same spans; the question's assets come first, at their present price."""
    order = dict.fromkeys([*(state.asset for state in inputs.states), *ASSETS])
    assets = [asset for asset in order if asset in inputs.evidence.hourly and asset in inputs.evidence.variance]
    if not assets:
        return
    yield f"Moves of all assets over {', '.join(map(_span, MOVES_S))}, in sigmas of that time"
    now, spots = inputs.state.now, {state.asset: state.spot for state in inputs.states}
    for asset in assets:
        closes = _closes_at(inputs.evidence.hourly[asset], now - np.array([0, *MOVES_S]))
        hours = np.array([max(1.0, open_hours(asset, now - span, now)) for span in MOVES_S])
        sigmas = np.sqrt(inputs.evidence.variance[asset] * hours)
        closes[0] = spots.get(asset, closes[0])
        kind = "metal" if is_metal(asset) else "coin"
        yield f"{wording.asset(asset)} ({kind}): {_numbers(np.log(closes[0] / closes[1:]) / sigmas)}"


def volatilities(inputs: ForecastInputs, wording: Wording) -> Iterator[str]:
    """Volatility of the last hours, days and months, and of the same hours of other weeks."""
    for state in inputs.states:
        bars = inputs.evidence.hourly.get(state.asset)
        if bars is None or len(bars) < 2:
            continue
        yield (
            f"Volatility of {wording.asset(state.asset)} in % per hour of trading;"
            f" in brackets that of the same hours in the {WEEKS} weeks before"
        )
        now, coming_s = state.now, min(state.until - state.now, WEEK_S)
        for span in (*COMPARED_S, *LONG_S):
            row = f"last {_span(span)}: {_volatility(state, bars, [now], span)}"
            yield f"{row} ({_in_other_weeks(state, bars, now, span)})" if span in COMPARED_S else row
        if coming_s > 0:
            yield f"the coming {_span(coming_s)}: ({_in_other_weeks(state, bars, now + coming_s, coming_s)})"


def _in_other_weeks(state: AssetState, bars: Bars, end: int, span: int) -> str:
    return _volatility(state, bars, [end - week * WEEK_S for week in range(1, WEEKS + 1)], span)


def _volatility(state: AssetState, bars: Bars, ends: Sequence[int], span: int) -> str:
    """Root of the mean squared return per open hour in the spans that end at `ends` and begin within the bars."""
    spans = [(end - span, end) for end in ends if end - span >= int(bars.time[0])]
    hours = sum(open_hours(state.asset, since, until) for since, until in spans)
    if hours == 0:
        return "unknown"
    squares = np.concatenate([[0.0, 0.0], np.cumsum(np.diff(np.log(bars.close)) ** 2)])
    places = np.searchsorted(bars.time + bars.step, np.array(spans), side="right")
    total = float((squares[places[:, 1]] - squares[places[:, 0]]).sum())
    return f"{100 * math.sqrt(total / hours):.2f}"


def _span(seconds: int) -> str:
    """A length of time: in hours up to two days, then in days."""
    hours = round(seconds / HOUR)
    return f"{hours} h" if hours <= 48 or hours % 24 else f"{hours // 24} days"


def _numbers(values: Array) -> str:
    """Numbers with one decimal and a sign, without a negative zero; "?" for those that are not known."""
    return " ".join(f"{value:+.1f}" if math.isfinite(value) else "?" for value in (np.round(values, 1) + 0.0).tolist())


TABLES: dict[str, Table] = {
    "momentum": day_and_hour_closes,
    "reversion": lambda inputs, wording: _closes(inputs, wording, HOUR, 48),
    "breadth": moves_of_all,
    "regime": volatilities,
    "trend": day_and_hour_closes,
}
