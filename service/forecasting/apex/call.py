"""One call of apex: the layers fused by the shrunken rule of the pool, and whether all speaks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.forecasting import consensus
from service.forecasting.apex.layers import ENGINE, LAYERS, Inputs
from service.forecasting.record import ClassRecord
from service.forecasting.votes import Abstention, Forecast, direction_of
from service.market.instants import HOUR

EVERY_S = 4 * HOUR  # between two calls
HALF_BELIEVED = 50  # resolved calls of the outside market at which n / (n + 50) reaches its start of one half
AGREEING, FAR, PROVEN = 7, 0.15, 30  # the special mode: voters of nine, P from even, resolved calls of every layer


@dataclass(frozen=True)
class LayerVote:
    """What one layer said: `p` is P(higher in 24 h), null with weight 0 where it is silent, and why it is."""

    name: str
    p: float | None
    weight: float
    reading: str
    silent: str | None


@dataclass(frozen=True)
class Call:
    """What apex said at the unix second `at`, beside the price `spot`: P(higher in 24 h).

    `confidence` is |2p - 1| times `agreement`, the weight of the speaking layers that are on its side. `special` says
    that all `conditions` hold. `backfilled`: it was made on a past instant by the first start.
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

    def to_plain(self) -> dict[str, Any]:
        """A dict that JSON carries without loss."""
        return asdict(self)

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> Call:
        """The call that `to_plain` was called on."""
        return Call(**(dict(plain) | {"layers": tuple(LayerVote(**layer) for layer in plain["layers"])}))


def consult(inputs: Inputs, record: ClassRecord, *, backfilled: bool = False) -> Call:
    """What the layers say together, weighed and corrected by `record`, which is that of earlier calls."""
    said = {name: _hear(layer, inputs) for name, layer in LAYERS.items()}
    spoken = {name: forecast.p for name, forecast in said.items() if isinstance(forecast, Forecast)}
    weights = _weigh(list(spoken), record)
    p = np.array(list(spoken.values()))
    p_up = float(consensus.combine(p, weights, record.calibration)) if len(p) else 0.5
    agreement = float(weights[(p - 0.5) * (p_up - 0.5) > 0].sum() / weights.sum()) if len(p) else 0.0
    conditions = _conditions(inputs, p_up, record)
    weight_of = dict(zip(spoken, weights.tolist(), strict=True))
    return Call(
        asset=inputs.asset,
        at=inputs.at,
        spot=inputs.context.spot,
        p_up=p_up,
        agreement=agreement,
        confidence=abs(2 * p_up - 1) * agreement,
        special=all(conditions.values()),
        conditions=conditions,
        layers=tuple(_vote(name, heard, weight_of.get(name, 0.0)) for name, heard in said.items()),
        backfilled=backfilled,
    )


def _hear(layer: Callable[[Inputs], Forecast], inputs: Inputs) -> Forecast | Abstention:
    try:
        return layer(inputs)
    except Abstention as abstention:
        return abstention


def _vote(name: str, heard: Forecast | Abstention, weight: float) -> LayerVote:
    if isinstance(heard, Abstention):
        return LayerVote(name, None, 0.0, "", heard.reason)
    return LayerVote(name, heard.p, weight, heard.reasoning, None)


def _weigh(names: Sequence[str], record: ClassRecord) -> NDArray[np.float64]:
    """The pool's weights; that of the outside market times n / (n + 50), at least one half."""
    weights = consensus.weigh([(name, ENGINE) for name in names], record) if names else np.zeros(0)
    n = _resolved(record).get("market", 0)
    believed = max(0.5, n / (n + HALF_BELIEVED))
    return np.where(np.array(names) == "market", believed * weights, weights)


def _conditions(inputs: Inputs, p_up: float, record: ClassRecord) -> dict[str, bool]:
    """What the special mode asks for: agreement of the nine, distance from even, and layers that are proven."""
    side = _direction(p_up)
    agreeing = sum(_direction(p) == side for p in (*inputs.seats.values(), *inputs.brains.values()))
    resolved = _resolved(record)
    return {
        "seven_of_nine_agree": side != "NEUTRAL" and agreeing >= AGREEING,
        "fifteen_points_from_even": abs(p_up - 0.5) >= FAR,
        "every_layer_proven": all(resolved.get(name, 0) >= PROVEN for name in LAYERS),
    }


def _direction(p: float) -> str:
    return direction_of(round(100 * p, 1))


def _resolved(record: ClassRecord) -> dict[str, int]:
    """How many calls of each layer have resolved."""
    return {standing.voter: standing.n for standing in record.standings if standing.engine == ENGINE}
