"""The tenth voter of a challenge: the positions of the 54 strategies in an asset, as a small lean."""

from __future__ import annotations

from dataclasses import dataclass

from service.forecasting.voters.ballots import Ballot, Forecast
from service.forecasting.voters.distribution import NORMAL_BASE, PLAIN, Curve
from service.forecasting.voters.forecast_inputs import ForecastInputs, p_yes, settled
from service.forecasting.voters.reasoning import summary
from service.questions.question import Question

VOTER = "swarm"
ENGINE = "54-strategies"
LEAN = 0.2  # log-odds of up where all are long [assumed]: most rules say little about the next day


@dataclass(frozen=True)
class NetView:
    """The numbers of strategies that are long, short and flat in one asset."""

    long: int
    short: int
    flat: int

    @property
    def net(self) -> float:
        """From -1, all short, to 1, all long; 0 where there are none."""
        return (self.long - self.short) / max(1, self.long + self.short + self.flat)


def vote(question: Question, inputs: ForecastInputs, net: NetView) -> Ballot:
    """The swarm's ballot: plain volatility with a lean of 0.2 in log-odds per unit of net position."""
    because = (
        f"Of {net.long + net.short + net.flat} strategies {net.long} are long {question.asset}, {net.short} short"
        f" and {net.flat} flat (net {net.net:+.2f})"
    )
    return Ballot(VOTER, ENGINE, lean(question, inputs, LEAN * net.net, because))


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
