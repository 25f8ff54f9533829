"""One call of apex: the layers fused as the votes of a panel are, and whether the special mode holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import nan
from typing import Any

import numpy as np

from service.forecasting.apex.layers import ENGINE, LAYERS, LayerInputs, in_sample
from service.forecasting.voters import consensus
from service.forecasting.voters.ballots import Abstention, Forecast
from service.forecasting.voters.track_record import BandRecord
from service.market.instants import HOUR
from service.scores.intervals import LEAST_N

EVERY_S = 4 * HOUR  # between two calls
HALF_TRUSTED = 50  # resolved calls of the outside market from which n / (n + 50) exceeds its minimum of one half
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
class Call:
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

    @cached_property
    def p_of_layers(self) -> tuple[float, ...]:
        """P(higher) of each layer in their order, NaN where it is silent."""
        p = {layer.name: layer.p for layer in self.layers if layer.p is not None}
        return tuple(p.get(name, nan) for name in LAYERS)

    def to_plain(self) -> dict[str, Any]:
        """A dict that JSON carries without loss."""
        return asdict(self)

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> Call:
        """The call that `to_plain` was called on."""
        return replace(Call(**plain), layers=tuple(LayerVote(**layer) for layer in plain["layers"]))


@dataclass(frozen=True)
class Thresholds:
    """What a call must reach for the special mode: a `distance` of P from even, and an `agreement`.

    They are the 95% quantile and the median of the `past_calls` earlier calls; with fewer than 60 they are fixed.
    """

    distance: float = 0.15
    agreement: float = 0.75
    past_calls: int = 0
    fixed: bool = True


FIXED = Thresholds()


def thresholds_of(past: Sequence[Call]) -> Thresholds:
    """The thresholds for the call after `past`."""
    if len(past) < LEAST_CALLS:
        return replace(FIXED, past_calls=len(past))
    distances, agreements = np.array([(abs(call.p_up - 0.5), call.agreement) for call in past]).T
    return Thresholds(
        distance=float(np.quantile(distances, FAR_QUANTILE)),
        agreement=float(np.quantile(agreements, AGREEING_QUANTILE)),
        past_calls=len(past),
        fixed=False,
    )


def fuse(inputs: LayerInputs, record: BandRecord, thresholds: Thresholds = FIXED, *, backfilled: bool = False) -> Call:
    """The call of all layers together, weighed by `record`, that of earlier calls.

    A layer whose constants were fitted on prices of this time is shown and has no weight. `thresholds` are those of the
    special mode.
    """
    answers = {name: _answer(layer, inputs) for name, layer in LAYERS.items()}
    forecasts = {name: answer.p for name, answer in answers.items() if isinstance(answer, Forecast)}
    voting = {name: p for name, p in forecasts.items() if not in_sample(name, inputs.at)}
    counts = {skill.voter: skill.n for skill in record.standings if skill.engine == ENGINE}  # resolved calls of each
    weights = np.array([_weight(name, record, counts.get(name, 0)) for name in voting])
    p = np.array(list(voting.values()))
    p_up = consensus.mean(p, weights) if len(p) else 0.5
    agreement = float(weights[(p - 0.5) * (p_up - 0.5) > 0].sum() / weights.sum()) if len(p) else 0.0
    conditions = {
        "distance_exceeds_threshold": abs(p_up - 0.5) > thresholds.distance,
        "agreement_reaches_threshold": agreement >= thresholds.agreement,
        "every_voting_layer_has_30_calls": min((counts.get(name, 0) for name in voting), default=0) >= LEAST_N,
    }
    weight_of = dict(zip(voting, weights.tolist(), strict=True))
    return Call(
        asset=inputs.asset,
        at=inputs.at,
        spot=inputs.context.spot,
        p_up=p_up,
        agreement=agreement,
        confidence=abs(2 * p_up - 1) * agreement,
        special=all(conditions.values()),
        conditions=conditions,
        layers=tuple(_vote(name, answer, weight_of.get(name, 0.0)) for name, answer in answers.items()),
        backfilled=backfilled,
    )


def _answer(layer: Callable[[LayerInputs], Forecast], inputs: LayerInputs) -> Forecast | Abstention:
    try:
        return layer(inputs)
    except Abstention as abstention:
        return abstention


def _vote(name: str, answer: Forecast | Abstention, weight: float) -> LayerVote:
    if isinstance(answer, Abstention):
        return LayerVote(name, None, 0.0, "", answer.reason)
    return LayerVote(name, answer.p, weight, answer.reasoning, None)


def _weight(name: str, record: BandRecord, n: int) -> float:
    """The pool's weight of a layer with `n` resolved calls; the outside market's times n / (n + 50), at least half."""
    weight = record.weight_of(name, ENGINE)
    return max(0.5, n / (n + HALF_TRUSTED)) * weight if name == "market" else weight
