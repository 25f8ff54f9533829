"""Layer inputs, calls and records put together by hand."""

from __future__ import annotations

from dataclasses import replace

from service.forecasting.apex.call import Call, LayerVote
from service.forecasting.apex.layers import ENGINE, LAYERS, LayerInputs
from service.forecasting.voters.context import Context
from service.forecasting.voters.track_record import BandRecord, Standing
from tests.forecasting.made import NOW

FITTED_TIME = 1_735_689_600  # January 2025, in the months on which constants of layers were fitted
SEATS = ("momentum", "reversion", "breadth", "regime", "trend", "news")
BRAINS = ("vol", "garch", "sv")


def context(asset: str = "btc", **inputs: float | None) -> Context:
    """Volatility of 0.5% an hour; the named inputs are 0 unless given."""
    values = {"peers_24h": 0.0, "peers_rising": 0.0, "vol_ratio_180d": 0.0, "move_24h": 0.0} | inputs
    return Context(asset, NOW, 100.0, 120.0, 0.005**2, 0.005**2, values, {})


def inputs_of(**fields) -> LayerInputs:
    """Every voter at even odds and no other inputs, unless given."""
    base = LayerInputs(
        asset="btc",
        at=NOW,
        seats=dict.fromkeys(SEATS, 0.5),
        brains=dict.fromkeys(BRAINS, 0.5),
        context=context(),
        news_score=None,
        news_n=0,
        odds_p=None,
        swarm=None,
    )
    return replace(base, **fields)


def proven(n: int = 30, engine: str = ENGINE, **weights: float) -> BandRecord:
    """A record of every layer with `n` resolved calls, as good as the others unless a weight is given."""
    return BandRecord(tuple(Standing(name, engine, n, n, weights.get(name, 1.0)) for name in LAYERS))


def call_of(at: int, p_up: float, spot: float = 100.0, *, backfilled: bool = False, **layers: float) -> Call:
    """A call with the named layers; the others are silent."""
    return Call(
        asset="btc",
        at=at,
        spot=spot,
        p_up=p_up,
        agreement=1.0,
        confidence=abs(2 * p_up - 1),
        special=False,
        conditions={},
        layers=tuple(
            LayerVote(name, layers[name], 1.0, "because", None)
            if name in layers
            else LayerVote(name, None, 0.0, "", "nothing")
            for name in LAYERS
        ),
        backfilled=backfilled,
    )
