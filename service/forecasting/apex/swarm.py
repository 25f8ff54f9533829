"""The tenth voter of a challenge: the positions of the 54 strategies in an asset, as a small lean."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

from service.forecasting.voters.ballots import Ballot, Forecast
from service.forecasting.voters.forecast_inputs import ForecastInputs, p_up, p_yes, settled
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
    """The swarm's ballot: plain volatility moved so that 0.2 per unit of net position are the log-odds of a rise."""
    because = (
        f"Of {net.long + net.short + net.flat} strategies {net.long} are long {question.asset}, {net.short} short"
        f" and {net.flat} flat (net {net.net:+.2f})"
    )
    return Ballot(VOTER, ENGINE, lean(question, inputs, LEAN * net.net, because))


def lean(question: Question, inputs: ForecastInputs, odds: float, because: str) -> Forecast:
    """The forecast of plain volatility, moved so far that `odds` are the log-odds of a price higher than now.

    The other asset of a question about two has no lean. `because` says where the odds come from; its first letter is a
    capital, and no full stop ends it.
    """
    plain = [state.plain for state in inputs.states]
    moved = [plain[0].leaning(1 / (1 + exp(-odds))), *plain[1:]]
    p, base = (p_yes(question, inputs, densities) for densities in (moved, plain))
    decided = settled(question, inputs.state)
    added = f"{because}: {round(100 * (p - base), 1) + 0.0:+.1f} pp"
    reason = f"Volatility alone implies {100 * base:.1f}%. {added}. Forecast: {100 * p:.1f}%."
    return Forecast(p, decided or reason, p_up=p_up(question, inputs, moved))
