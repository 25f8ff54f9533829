"""The tenth voter of a challenge: what the 54 strategies hold of an asset, taken as a small lean."""

from __future__ import annotations

from dataclasses import dataclass

from service.forecasting.lean import lean
from service.forecasting.questions.question import Question
from service.forecasting.situation import Situation
from service.forecasting.votes import Ballot

VOTER = "swarm"
ENGINE = "54-strategies"
LEAN = 0.2  # log-odds of up where all are long [assumed]: most rules know little of the next day


@dataclass(frozen=True)
class NetView:
    """How many strategies are long, short and flat in one asset."""

    long: int
    short: int
    flat: int

    @property
    def net(self) -> float:
        """From -1, all short, to 1, all long; 0 where there are none."""
        return (self.long - self.short) / max(1, self.long + self.short + self.flat)


def vote(question: Question, situation: Situation, net: NetView) -> Ballot:
    """The swarm's ballot: plain volatility leaning by 0.2 in log-odds for each unit of net position."""
    because = (
        f"Of {net.long + net.short + net.flat} strategies {net.long} are long {question.asset}, {net.short} short"
        f" and {net.flat} flat: net {net.net:+.2f}."
    )
    forecast = lean(question, situation, LEAN * net.net, because)
    return Ballot(VOTER, ENGINE, forecast.p, forecast.reasoning, latency_ms=0.0)
