"""Plain volatility with a lean: how somebody who only tells up from down answers every kind of question."""

from __future__ import annotations

from service.forecasting.law import normal_log_odds
from service.forecasting.questions.question import Question
from service.forecasting.situation import Situation, p_yes, settled
from service.forecasting.votes import Forecast


def lean(question: Question, situation: Situation, odds: float, because: str) -> Forecast:
    """P(YES) where the log-odds of a close above any level are those of volatility alone plus `odds`.

    So `odds` are the log-odds of a price higher than now. The other asset of a `relative` question has no lean.
    `because` is a sentence that says where they come from.
    """
    p = p_yes(question, situation, lambda z: normal_log_odds(z) + odds, normal_log_odds)
    decided = settled(question, situation.view)
    if decided is not None:
        return Forecast(p, decided)
    base = p_yes(question, situation, normal_log_odds, normal_log_odds)
    moved = f"That {'adds' if p >= base else 'takes'} {100 * abs(p - base):.1f} points"
    return Forecast(p, f"Base rate from volatility {100 * base:.1f} %. {because} {moved}: {100 * p:.1f} % in all.")
