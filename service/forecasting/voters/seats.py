"""The six seats: each has its own set of inputs and the same arithmetic.

A seat keeps its name when a language model takes it; only its `engine` changes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from service.forecasting.voters.ballots import Forecast
from service.forecasting.voters.brains import Array, Linear
from service.forecasting.voters.fits import Fits
from service.forecasting.voters.forecast_inputs import AssetState, ForecastInputs, settled
from service.forecasting.voters.inputs import HEADLINES
from service.forecasting.voters.linear import LinearFit
from service.questions.question import Question


@dataclass(frozen=True)
class NewsSeat(Linear):
    """The calendar, and the scores of headlines where the seat was fitted to them; its reasoning says which."""

    def forecast(self, question: Question, inputs: ForecastInputs) -> Forecast:
        """P(YES), explained by the effect of each input; abstains unfitted or with too little history."""
        forecast = super().forecast(question, inputs)
        if settled(question, inputs.state) is not None:
            return forecast
        basis = "headlines and the calendar" if self._has_headlines(inputs) else "the calendar alone, not headlines"
        return replace(forecast, reasoning=f"{forecast.reasoning} Based on {basis}.")

    def values(self, state: AssetState, fit: LinearFit) -> Array:
        """The inputs of the fit; without scores of headlines those are neutral."""
        if _are_scored(state):
            return super().values(state, fit)
        neutral = dict(zip(fit.inputs, fit.centers, strict=True))
        scored = {name: neutral[name] for name in HEADLINES if name in neutral}
        return super().values(replace(state, inputs={**state.inputs, **scored}), fit)

    def _has_headlines(self, inputs: ForecastInputs) -> bool:
        return _is_fitted_to_headlines(self.name, inputs.fits) and any(map(_are_scored, inputs.states))


def _is_fitted_to_headlines(name: str, fits: Fits | None) -> bool:
    return fits is not None and name in fits.linear and set(HEADLINES) <= set(fits.linear[name].inputs)


def _are_scored(state: AssetState) -> bool:
    """Whether the scores of headlines of an asset are available."""
    return all(state.inputs.get(name) is not None for name in HEADLINES)


MOMENTUM = Linear("momentum", "seat", ("move_24h", "move_72h", "move_168h"), "recent moves")
REVERSION = Linear("reversion", "seat", ("move_4h", "mean_distance_48h"), "short-term overreaction")
BREADTH = Linear("breadth", "seat", ("peers_24h", "peers_rising", "leader_4h", "leader_gap_24h"), "moves of the coins")
REGIME = Linear("regime", "seat", ("vol_ratio_180d", "vol_ratio_12h", "semivariance_skew_7d"), "state of volatility")
TREND = Linear("trend", "seat", ("mean_50d", "range_position_50d", "move_720h"), "long-term trend")
NEWS = NewsSeat("news", "seat", ("weekend", "us_session", "month_turn"), "news and calendar")

SEATS = (MOMENTUM, REVERSION, BREADTH, REGIME, TREND, NEWS)
