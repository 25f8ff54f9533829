"""The eight layers of apex: what each looks at, and which P(higher in 24 hours) it makes of that.

The direction of a day is close to a coin flip, so all but the outside market speak quietly. `breadth` and `regime`
were fitted to real coins by the hour, February 2024 to April 2025, as questions that overlap over a day, and halved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import exp

import numpy as np

from service.forecasting import law
from service.forecasting.context import Context
from service.forecasting.inputs import describe, is_metal
from service.forecasting.record import pooled_log_odds
from service.forecasting.swarm import LEAN as SWARM_LEAN
from service.forecasting.votes import Abstention, Forecast
from service.market.assets import open_hours
from service.market.instants import DAY

ENGINE = "apex/1"  # changes with what a layer looks at or how it reads it

# Log-odds of up for each unit of what a layer looks at.
MOVED_PEERS = -0.08  # a sigma of the other coins' last day: -.16 +- .08 was measured
RISING_PEERS = -0.07  # none of them rising over a week, or all: -.13 +- .17
HOT_MOVE = -0.2  # a sigma of the last day times the log of the heat: -.40 +- .21
MOOD = 0.4  # a news score of 1 [assumed]
MOST_SIGMAS, MOST_HEAT = 3.0, 1.0  # beyond, a move or a heat counts as this


@dataclass(frozen=True)
class Inputs:
    """All that the layers are told of `asset` at the unix second `at`.

    `seats` and `brains` are P(higher in 24 h) of each voter that spoke, `weights` those that the consensus gave
    them (1 where it gave none). `news_score` is in [-1, 1], over `news_n` stories; `odds_p` is what an outside market
    gives P(higher), `swarm` the net position of the strategies in [-1, 1].
    """

    asset: str
    at: int
    seats: Mapping[str, float]
    brains: Mapping[str, float]
    context: Context
    news_score: float | None
    news_n: int
    odds_p: float | None
    swarm: float | None
    weights: Mapping[str, float] = field(default_factory=dict)


def oracles(inputs: Inputs) -> Forecast:
    """The six seats as one."""
    return _pooled(inputs.seats, inputs.weights, "seat")


def brains(inputs: Inputs) -> Forecast:
    """The three brains as one."""
    return _pooled(inputs.brains, inputs.weights, "brain")


def volatility(inputs: Inputs) -> Forecast:
    """Up against down where the price has no drift: its log then falls by half its variance, P = Phi(-sigma / 2)."""
    context = inputs.context
    hours = open_hours(inputs.asset, inputs.at, inputs.at + DAY)
    if hours == 0:
        raise Abstention(f"the market of {inputs.asset} stays closed for 24 hours")
    sigma = float(law.horizon_sigma(context.fast, context.slow, hours))
    above, below = (lambda z: law.normal_log_odds(z + sigma / 2)), (lambda z: law.normal_log_odds(z - sigma / 2))
    close_up, touch_up, close_down, touch_down = (
        100 * p_of(curve, 1.0) for curve in (above, below) for p_of in (law.close_above, law.touch_above)
    )
    return Forecast(
        law.close_above(above, 0.0),
        f"One sigma in 24 hours is {100 * sigma:.1f} %. That far up at the close {close_up:.1f} %, on the way"
        f" {touch_up:.1f} %; that far down {close_down:.1f} % and {touch_down:.1f} %.",
    )


def breadth(inputs: Inputs) -> Forecast:
    """What the other coins did: after a common move coins tended to give some of it back."""
    if is_metal(inputs.asset):
        raise Abstention(f"{inputs.asset} is no coin")
    moved, rising = _known(inputs, "peers_24h"), _known(inputs, "peers_rising")
    odds = MOVED_PEERS * _within(moved, MOST_SIGMAS) + RISING_PEERS * rising
    told = (
        describe(name, value, 0.0, inputs.asset) for name, value in (("peers_24h", moved), ("peers_rising", rising))
    )
    return Forecast(law.probability(odds), f"{'; '.join(told)}.")


def regime(inputs: Inputs) -> Forecast:
    """Where volatility is hot the last day's move tends to fade, where it is calm to go on."""
    heat, moved = _known(inputs, "heat"), _known(inputs, "move_24h")
    odds = HOT_MOVE * _within(heat, MOST_HEAT) * _within(moved, MOST_SIGMAS)
    return Forecast(
        law.probability(odds),
        f"Volatility {exp(heat):.2f} times its 180-day level: the 24-hour move of {moved:+.1f} sigma is taken to"
        f" {'fade' if heat > 0 else 'go on'}.",
    )


def news(inputs: Inputs) -> Forecast:
    """The mood of the headlines."""
    if inputs.news_score is None or inputs.news_n == 0:
        raise Abstention("no headlines")
    odds = MOOD * inputs.news_score
    return Forecast(law.probability(odds), f"News score {inputs.news_score:+.2f} over {inputs.news_n} stories.")


def market(inputs: Inputs) -> Forecast:
    """What an outside market gives."""
    if inputs.odds_p is None:
        raise Abstention(f"no outside market asks whether {inputs.asset} will be higher")
    return Forecast(inputs.odds_p, f"An outside market gives {100 * inputs.odds_p:.1f} % to a higher price.")


def swarm(inputs: Inputs) -> Forecast:
    """What the strategies hold."""
    if inputs.swarm is None:
        raise Abstention(f"nothing is known of what the strategies hold of {inputs.asset}")
    odds = SWARM_LEAN * inputs.swarm
    return Forecast(law.probability(odds), f"Net position of the 54 strategies {inputs.swarm:+.2f} of 1.")


LAYERS: dict[str, Callable[[Inputs], Forecast]] = {
    layer.__name__: layer for layer in (oracles, brains, volatility, breadth, regime, news, market, swarm)
}


def _pooled(votes: Mapping[str, float], weights: Mapping[str, float], kind: str) -> Forecast:
    if not votes:
        raise Abstention(f"no {kind} voted")
    given = np.array([weights.get(name, 1.0) for name in votes])
    p = law.probability(float(pooled_log_odds(np.array(list(votes.values())), given)))
    told = ", ".join(f"{name} {100 * vote:.1f} %" for name, vote in votes.items())
    return Forecast(p, f"{len(votes)} {kind}{'s' if len(votes) > 1 else ''}: {told}.")


def _known(inputs: Inputs, name: str) -> float:
    value = inputs.context.inputs.get(name)
    if value is None:
        raise Abstention(f"too little history of {inputs.asset} and the other coins")
    return value


def _within(value: float, most: float) -> float:
    return max(-most, min(most, value))
