"""The eight layers of apex: the inputs of each, and the P(higher in 24 hours) that it derives from them.

The direction of a day is close to a coin flip, so the effects of all layers but the outside market are small. Those of
`breadth` and `regime` were fitted to hourly bars of real coins on questions that overlap within a day, and halved;
`FITTED_ON` says to which time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import exp

import numpy as np

from service.forecasting.densities.density import horizon_sigma, normal
from service.forecasting.predictions import Prediction
from service.forecasting.voters.ballots import Abstention, Ballot, Forecast
from service.forecasting.voters.context import Context, Knowledge
from service.forecasting.voters.inputs import describe, is_metal
from service.forecasting.voters.panel import Panel, mean
from service.forecasting.voters.price_forecasts import up_in_a_day
from service.market.assets import open_hours
from service.market.instants import DAY

ENGINE = "apex/3"  # changes with the inputs or the arithmetic of a layer

# Log-odds of up for each unit of an input; measured values in the comments.
MOVED_PEERS = -0.08  # a sigma of the other coins' last day: -.16 +- .08
RISING_PEERS = -0.07  # from none of them rising over a week to all: -.13 +- .17
VOLATILE_MOVE = -0.2  # a sigma of the last day times the log volatility ratio: -.40 +- .21
MOOD = 0.4  # a news score of 1 [assumed]
SWARM_LEAN = 0.2  # where all strategies are long [assumed]: most rules say little about the next day
# The unix seconds between which prices were used to fit the constants of a layer.
REAL_BARS = (1_706_745_600, 1_746_057_600)  # February 2024 to April 2025
FITTED_ON: dict[str, tuple[int, int]] = {"breadth": REAL_BARS, "regime": REAL_BARS}
EVEN_P = 0.5  # P(higher) of a voter without a view of the direction
MOST_SIGMAS, MOST_RATIO = 3.0, 1.0  # larger moves and log ratios count as these


@dataclass(frozen=True)
class NetView:
    """The numbers of strategies that are long, short and flat in one asset."""

    long: int
    short: int
    flat: int

    @property
    def strategies(self) -> int:
        return self.long + self.short + self.flat

    @property
    def net(self) -> float:
        """From -1, all short, to 1, all long; 0 where there are none."""
        return (self.long - self.short) / max(1, self.strategies)


@dataclass(frozen=True)
class LayerInputs:
    """The inputs of all layers for `asset` at the unix second `at`.

    `seats` and `brains` are P(higher in 24 h) of each voter that voted, `weights` their weights in the consensus (1
    where it has none). `news_score` is in [-1, 1], over `news_n` stories; `odds_p` is the outside market's P(higher),
    `swarm` the positions of the strategies.
    """

    asset: str
    at: int
    seats: Mapping[str, float]
    brains: Mapping[str, float]
    context: Context
    news_score: float
    news_n: int
    odds_p: float | None
    swarm: NetView | None
    weights: Mapping[str, float] = field(default_factory=dict)


def oracles(inputs: LayerInputs) -> Forecast:
    """The pool of the six seats."""
    return _pooled(inputs.seats, inputs.weights, "seat")


def brains(inputs: LayerInputs) -> Forecast:
    """The pool of the three brains."""
    return _pooled(inputs.brains, inputs.weights, "brain")


def volatility(inputs: LayerInputs) -> Forecast:
    """Up against down where the price has no drift: its log then falls by half its variance, P = Phi(-sigma / 2)."""
    context = inputs.context
    if (hours := open_hours(inputs.asset, inputs.at, inputs.at + DAY)) == 0:
        raise Abstention(f"The market of {inputs.asset} is closed for the next 24 hours.")
    sigma = float(horizon_sigma(context.fast, context.slow, hours))
    price = replace(normal(sigma), drift=-(sigma**2) / 2)
    close_up, touch_up = 100 * price.above(sigma), 100 * price.touch(sigma)
    close_down, touch_down = 100 * (1 - price.above(-sigma)), 100 * price.touch(-sigma)
    return Forecast(
        price.above(0.0),
        f"One sigma over 24 hours is {100 * sigma:.1f}%. Probability of such a move up: {close_up:.1f}% at the close,"
        f" {touch_up:.1f}% at any time; down: {close_down:.1f}% and {touch_down:.1f}%.",
    )


def breadth(inputs: LayerInputs) -> Forecast:
    """The moves of the other coins: after a common move coins tend to reverse a small part of it."""
    if is_metal(inputs.asset):
        raise Abstention("Not applicable to metals.")
    mean_move, rising_share = _input(inputs, "peers_24h"), _input(inputs, "peers_rising")
    odds = MOVED_PEERS * np.clip(mean_move, -MOST_SIGMAS, MOST_SIGMAS) + RISING_PEERS * rising_share
    move, share = describe("peers_24h", mean_move, inputs.asset), describe("peers_rising", rising_share, inputs.asset)
    return Forecast(probability(odds), f"{move.capitalize()}; {share}.")


def regime(inputs: LayerInputs) -> Forecast:
    """At high volatility the last day's move tends to reverse, at low volatility to continue."""
    ratio, move = _input(inputs, "vol_ratio_180d"), _input(inputs, "move_24h")
    odds = VOLATILE_MOVE * np.clip(ratio, -MOST_RATIO, MOST_RATIO) * np.clip(move, -MOST_SIGMAS, MOST_SIGMAS)
    return Forecast(
        probability(odds),
        f"Volatility is {exp(ratio):.2f} times its 180-day level, so the 24-hour move of {move:+.1f} sigma is expected"
        f" to {'reverse' if ratio > 0 else 'continue'}.",
    )


def news(inputs: LayerInputs) -> Forecast:
    if inputs.news_n == 0:
        raise Abstention("No headlines.")
    reason = f"News score {inputs.news_score:+.2f} over {inputs.news_n} stories."
    return Forecast(probability(MOOD * inputs.news_score), reason)


def market(inputs: LayerInputs) -> Forecast:
    if inputs.odds_p is None:
        raise Abstention(f"No outside market prices a rise of {inputs.asset}.")
    return Forecast(inputs.odds_p, f"An outside market prices a rise at {100 * inputs.odds_p:.1f}%.")


def swarm(inputs: LayerInputs) -> Forecast:
    if inputs.swarm is None:
        raise Abstention(f"The strategies' positions in {inputs.asset} are not available.")
    of_all = f"Net position of the {inputs.swarm.strategies} strategies"
    reason = f"{of_all}: {inputs.swarm.net:+.2f} (-1 is all short, 1 all long)."
    return Forecast(probability(SWARM_LEAN * inputs.swarm.net), reason)


LAYERS: dict[str, Callable[[LayerInputs], Forecast]] = {
    layer.__name__: layer for layer in (oracles, brains, volatility, breadth, regime, news, market, swarm)
}


def in_sample(name: str, at: int) -> bool:
    """Whether the day after the unix second `at` overlaps the time on which the layer's constants were fitted."""
    begins, ends = FITTED_ON.get(name, (0, 0))
    return begins < at + DAY and at < ends


def _pooled(votes: Mapping[str, float], weights: Mapping[str, float], kind: str) -> Forecast:
    if not votes:
        raise Abstention(f"No {kind} voted.")
    if all(vote == EVEN_P for vote in votes.values()):
        raise Abstention(f"All {kind}s say 50%.")
    p = mean(np.array(list(votes.values())), np.array([weights.get(name, 1.0) for name in votes]))
    shares = ", ".join(f"{name} {100 * vote:.1f}%" for name, vote in votes.items())
    return Forecast(p, f"{len(votes)} {kind}{'s' if len(votes) > 1 else ''}: {shares}.")


def probability(odds: float) -> float:
    """The probability p with log-odds ln(p / (1 - p))."""
    return 1 / (1 + exp(-odds))


def _input(inputs: LayerInputs, name: str) -> float:
    value = inputs.context.inputs.get(name)
    if value is None:
        raise Abstention(f"Too little price history of {inputs.asset} and the other coins.")
    return value


def poll_layers(
    asset: str,
    at: int,
    knowledge: Knowledge,
    panel: Panel,
    *,
    news: tuple[float, int],
    odds_p: float | None,
    swarm: NetView | None,
) -> LayerInputs:
    """The inputs of every layer for `asset`, which has a context, at the unix second `at`.

    `news` is the score of the pulse and its n, `odds_p` the outside market's P(higher), `swarm` the positions of the
    strategies.
    """
    context = knowledge.contexts[asset]
    question = up_in_a_day(asset, context.spot, at)
    replies, record = panel.poll(question, at, knowledge), knowledge.record.of(question)
    ballots = {reply[0]: reply[1] for reply in replies if reply is not None and isinstance(reply[1], Ballot)}
    voters = [voter for voter in panel.voters if voter.name in ballots]
    return LayerInputs(
        asset=asset,
        at=at,
        seats={voter.name: ballots[voter.name].p for voter in voters if voter.kind == "seat"},
        brains={voter.name: ballots[voter.name].p for voter in voters if voter.kind == "brain"},
        context=context,
        news_score=news[0],
        news_n=news[1],
        odds_p=odds_p,
        swarm=swarm,
        weights={voter.name: record.weight_of(voter.name, voter.engine) for voter in voters},
    )


def odds_of_up(asset: str, at: int, markets: Iterable[Prediction]) -> float | None:
    """The last outside odds of a rise of `asset`, at most a day old at the unix second `at`; None without any.

    Of several priced at the same instant it is the one with the earliest deadline.
    """
    quotes = [
        (market.odds.fetched_at, -market.deadline, market.odds.p_yes)
        for market in markets
        if market.odds
        and (market.question.asset, market.question.comparator, market.question.negated) == (asset, "up", False)
        and at - DAY <= market.odds.fetched_at <= at < market.deadline
    ]
    return max(quotes)[2] if quotes else None
