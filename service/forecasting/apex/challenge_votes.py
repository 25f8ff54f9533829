"""The votes on a challenge: the nine, the swarm of strategies as the tenth, and apex, which is not in the pool."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, log

from service.forecasting.apex.call import Call
from service.forecasting.apex.layers import ENGINE, SWARM_LEAN
from service.forecasting.predictions import APEX, Commitment, CommittedVote, Prediction
from service.forecasting.predictions.commitments import commitment_of, weighted
from service.forecasting.voters import consensus
from service.forecasting.voters.ballots import Ballot, Forecast
from service.forecasting.voters.forecast_inputs import ForecastInputs, build_inputs, p_up, p_yes, settled
from service.forecasting.voters.knowledge import Knowledge
from service.forecasting.voters.panel import Panel
from service.questions.question import Question

SWARM = "swarm"
SWARM_ENGINE = "54-strategies"


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


def swarm_vote(question: Question, inputs: ForecastInputs, net: NetView) -> Ballot:
    """The swarm's ballot: plain volatility moved so that 0.2 per unit of net position are the log-odds of a rise."""
    shares = f"{net.long} are long {question.asset}, {net.short} short and {net.flat} flat (net {net.net:+.2f})"
    because = f"Of {net.long + net.short + net.flat} strategies {shares}"
    return Ballot(SWARM, SWARM_ENGINE, lean(question, inputs, SWARM_LEAN * net.net, because))


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


def apex_vote(question: Question, inputs: ForecastInputs, call: Call) -> Ballot:
    """The ballot of apex: plain volatility with the fused log-odds of `call`, a call of the question's asset."""
    voting = sum(layer.silent is None for layer in call.layers)
    because = f"Apex ({voting} of {len(call.layers)} layers) gives {100 * call.p_up:.1f}% to a higher price in a day"
    return Ballot(APEX, ENGINE, lean(question, inputs, log(call.p_up / (1 - call.p_up)), because))


def commit_challenge(
    market: Prediction, now: int, knowledge: Knowledge, panel: Panel, *, net: NetView, call: Call
) -> Commitment:
    """Put a challenge to the panel, the swarm and apex and commit their votes; `net` and `call` are of its asset.

    On a topic the swarm and apex do not vote, because no price decides it. Raises NoVoters when fewer of the nine vote
    than the quorum.
    """
    question = market.question
    nine = commitment_of(panel.ask(question, now, knowledge), knowledge)
    if question.comparator == "topic":
        return nine
    inputs = build_inputs(question, now, knowledge)
    ballots = [*(vote.ballot for vote in nine.votes), swarm_vote(question, inputs, net)]
    pooled = consensus.pool(ballots, knowledge.record.of(question))
    votes = *weighted(ballots, pooled), CommittedVote(apex_vote(question, inputs, call), 0.0)
    return replace(nine, p=pooled.p, p_up=pooled.p_up, votes=votes)
