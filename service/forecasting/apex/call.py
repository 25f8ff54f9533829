"""Calls of apex: the layers fused as the votes of a panel are, and the votes on a challenge, where apex votes too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log

import numpy as np

from service.documents import JsonRecord
from service.forecasting.apex.layers import ENGINE, LAYERS, SWARM_LEAN, LayerInputs, NetView, in_sample, probability
from service.forecasting.predictions import APEX, Commitment, CommittedVote, Prediction
from service.forecasting.predictions.commitments import commitment_of, weighted
from service.forecasting.voters.ballots import Abstention, Ballot, Forecast
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.forecast_inputs import ForecastInputs, build_inputs, p_up, p_yes, settled
from service.forecasting.voters.panel import Panel, mean, pool
from service.forecasting.voters.track_record import BandRecord
from service.market.instants import HOUR
from service.questions.question import Question
from service.scores.intervals import LEAST_N

EVERY_S = 4 * HOUR  # between two calls
HALF_TRUST_N = 50  # the outside market with n resolved calls has n / (n + 50) of its weight, at least one half
# The special mode: quantiles of the distances and the agreements of earlier calls, from so many calls on.
FAR_QUANTILE, AGREEING_QUANTILE, LEAST_CALLS = 0.95, 0.5, 60


@dataclass(frozen=True)
class LayerVote:
    """One layer's vote: `p` is P(higher in 24 h), null with weight 0 where the layer is `silent`, with the reason.

    A vote with weight 0 that is not silent is in-sample: see `service.forecasting.apex.layers.in_sample`.
    """

    name: str
    p: float | None
    weight: float
    reading: str
    silent: str | None


@dataclass(frozen=True)
class Call(JsonRecord):
    """The call at the unix second `at`, at the price `spot`: P(higher in 24 h).

    `confidence` is |2p - 1| times `agreement`, the share of the voting layers' weight on its side. `special`: all
    `conditions` hold. `backfilled`: the first start made it for a past instant.
    """

    asset: str
    at: int
    spot: float
    p_up: float
    agreement: float
    confidence: float
    special: bool
    conditions: dict[str, bool]
    layers: tuple[LayerVote, ...]
    backfilled: bool


@dataclass(frozen=True)
class Thresholds:
    """What a call must reach for the special mode: a `distance` of P from even, and an `agreement`.

    They are the 95% quantile and the median of the `past_calls` earlier calls; with fewer than 60 they are fixed.
    """

    distance: float = 0.15
    agreement: float = 0.75
    past_calls: int = 0
    fixed: bool = True


FIXED_THRESHOLDS = Thresholds()


def thresholds_of(past: Sequence[Call]) -> Thresholds:
    if len(past) < LEAST_CALLS:
        return replace(FIXED_THRESHOLDS, past_calls=len(past))
    distances, agreements = np.array([(abs(call.p_up - 0.5), call.agreement) for call in past]).T
    return Thresholds(
        distance=float(np.quantile(distances, FAR_QUANTILE)),
        agreement=float(np.quantile(agreements, AGREEING_QUANTILE)),
        past_calls=len(past),
        fixed=False,
    )


def fuse(
    inputs: LayerInputs, record: BandRecord, thresholds: Thresholds = FIXED_THRESHOLDS, *, backfilled: bool = False
) -> Call:
    """The call of all layers together, weighed by `record`, that of earlier calls.

    A layer whose constants were fitted on prices of this time is shown and has no weight. `thresholds` are those of the
    special mode.
    """
    counts = {skill.voter: skill.n for skill in record.standings if skill.engine == ENGINE}  # resolved calls of each
    layers: list[LayerVote] = []
    for name, layer in LAYERS.items():
        try:
            answer = layer(inputs)
        except Abstention as silence:
            layers.append(LayerVote(name, None, 0.0, "", str(silence)))
        else:
            weight = 0.0 if in_sample(name, inputs.at) else record.weight_of(name, ENGINE)
            if name == "market":
                n = counts.get(name, 0)
                weight *= max(0.5, n / (n + HALF_TRUST_N))
            layers.append(LayerVote(name, answer.p, weight, answer.reasoning, None))
    votes = [vote for vote in layers if vote.weight]
    p = np.array([vote.p for vote in votes], dtype=float)
    weights = np.array([vote.weight for vote in votes])
    p_up = mean(p, weights) if votes else 0.5
    agreement = float(weights[(p - 0.5) * (p_up - 0.5) > 0].sum() / weights.sum()) if votes else 0.0
    conditions = {
        "distance_exceeds_threshold": abs(p_up - 0.5) > thresholds.distance,
        "agreement_reaches_threshold": agreement >= thresholds.agreement,
        "every_voting_layer_has_30_calls": min((counts.get(vote.name, 0) for vote in votes), default=0) >= LEAST_N,
    }
    return Call(
        asset=inputs.asset,
        at=inputs.at,
        spot=inputs.context.spot,
        p_up=p_up,
        agreement=agreement,
        confidence=abs(2 * p_up - 1) * agreement,
        special=all(conditions.values()),
        conditions=conditions,
        layers=tuple(layers),
        backfilled=backfilled,
    )


SWARM = "swarm"
SWARM_ENGINE = "strategies/2"


def swarm_vote(question: Question, inputs: ForecastInputs, net: NetView) -> Ballot:
    """The swarm's ballot: plain volatility moved so that 0.2 per unit of net position are the log-odds of a rise."""
    shares = f"{net.long} are long {question.asset}, {net.short} short and {net.flat} flat (net {net.net:+.2f})"
    because = f"Of {net.strategies} strategies {shares}"
    return Ballot(SWARM, SWARM_ENGINE, lean(question, inputs, SWARM_LEAN * net.net, because))


def lean(question: Question, inputs: ForecastInputs, odds: float, because: str) -> Forecast:
    """The forecast of plain volatility, moved so far that `odds` are the log-odds of a price higher than now.

    The other asset of a question about two has no lean. `because` says where the odds come from; its first letter is a
    capital, and no full stop ends it.
    """
    plain = [state.plain for state in inputs.states]
    lean_densities = [plain[0].leaning(probability(odds)), *plain[1:]]
    p, base = (p_yes(question, inputs, densities) for densities in (lean_densities, plain))
    decided = settled(question, inputs.state)
    addition = f"{because}: {round(100 * (p - base), 1) + 0.0:+.1f} pp"
    reason = f"Volatility alone implies {100 * base:.1f}%. {addition}. Forecast: {100 * p:.1f}%."
    return Forecast(p, decided or reason, p_up=p_up(question, inputs, lean_densities))


def apex_vote(question: Question, inputs: ForecastInputs, call: Call) -> Ballot:
    """The ballot of apex: plain volatility with the fused log-odds of `call`, a call of the question's asset."""
    count = sum(layer.silent is None for layer in call.layers)
    because = f"Apex ({count} of {len(call.layers)} layers) gives {100 * call.p_up:.1f}% to a higher price in a day"
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
    ballots = [*nine.votes, swarm_vote(question, inputs, net)]
    consensus = pool(ballots, knowledge.record.of(question))
    votes = *weighted(ballots, consensus), CommittedVote.of(apex_vote(question, inputs, call), 0.0)
    return replace(nine, p=consensus.p, p_up=consensus.p_up, votes=votes)
