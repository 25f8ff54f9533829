"""Plain volatility with a lean: how a voter that only separates up from down answers every kind of question."""

from __future__ import annotations

from service.forecasting.voters.ballots import Forecast
from service.forecasting.voters.distribution import NORMAL_BASE, PLAIN, Curve
from service.forecasting.voters.forecast_inputs import ForecastInputs, p_yes, settled
from service.forecasting.voters.reasoning import summary
from service.questions.question import Question


def lean(question: Question, inputs: ForecastInputs, odds: float, because: str) -> Forecast:
    """The forecast whose log-odds of a close above any level are those of volatility alone plus `odds`.

    So `odds` are the log-odds of a price higher than now. The other asset of a `relative` question has no lean.
    `because` says where they come from; its first letter is a capital, and no full stop ends it.
    """
    p = p_yes(question, inputs, Curve(NORMAL_BASE, lambda _: odds), PLAIN)
    decided = settled(question, inputs.state)
    if decided is not None:
        return Forecast(p, decided)
    base = p_yes(question, inputs, PLAIN, PLAIN)
    return Forecast(p, summary(base, f"{because}: {round(100 * (p - base), 1) + 0.0:+.1f} pp", p))
