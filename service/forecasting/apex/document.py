"""The published status and calls of apex."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from service.documents import Document, DocumentHeader, World, rounded
from service.forecasting.apex.call import EVERY_S, Call, LayerVote, Thresholds
from service.forecasting.apex.layers import in_sample
from service.forecasting.apex.scores import Accuracy, ApexScores, outcome_of
from service.forecasting.predictions.resolution import Outcome
from service.forecasting.voters.price_forecasts import HORIZON_H
from service.forecasting.voters.votes import Direction, direction_of
from service.market.bars import Bars
from service.market.instants import DAY, iso


@dataclass(frozen=True)
class FusedVote:
    """The fused layers: P(higher), and the same in percent; bull and bear add up to 100."""

    direction: Direction
    p_up: float
    bull_probability: float
    bear_probability: float


@dataclass(frozen=True)
class SpecialMode:
    """Whether all conditions hold, each of them, and what the call had to reach."""

    active: bool
    conditions: dict[str, bool]
    thresholds: Thresholds


@dataclass(frozen=True)
class LayerReading:
    """One layer of a call: P(higher), null where it is `silent`, with the reason; its reading.

    `in_sample`: its constants were fitted on prices of the call's time, so it has no weight and is not scored.
    """

    name: str
    p_up: float | None
    direction: Direction | None
    weight: float
    reading: str
    silent: str | None
    in_sample: bool


@dataclass(frozen=True)
class Layer(LayerReading):
    """One layer of the latest call, with its accuracy, live first."""

    accuracy: tuple[Accuracy, ...]


@dataclass(frozen=True)
class ApexDocument(Document):
    """The vote of apex on the price of `asset` `horizon_hours` after `called_at`, and its accuracy, live first.

    `agreement` is the share of the layers' weight on the side of the vote, `confidence` that times twice the distance
    of `p_up` from even; both are in 0-1. The next call is due at `next_at`.
    """

    asset: str
    horizon_hours: int
    called_at: str
    next_at: str
    spot: float
    vote: FusedVote
    agreement: float
    confidence: float
    special_mode: SpecialMode
    layers: tuple[Layer, ...]
    record: tuple[Accuracy, ...]
    backfilled: bool


def apex_document(call: Call, thresholds: Thresholds, scores: ApexScores, header: DocumentHeader) -> ApexDocument:
    """The document of the latest call, whose special mode had these thresholds."""
    bull = bull_of(call.p_up)
    limits = replace(thresholds, distance=round(thresholds.distance, 4), agreement=round(thresholds.agreement, 4))
    return ApexDocument(
        schema="apex/1",
        **vars(header),
        asset=call.asset,
        horizon_hours=HORIZON_H,
        called_at=iso(call.at),
        next_at=iso(call.at + EVERY_S),
        spot=call.spot,
        vote=FusedVote(direction_of(bull), round(call.p_up, 4), bull, round(100 - bull, 1)),
        agreement=round(call.agreement, 4),
        confidence=round(call.confidence, 4),
        special_mode=SpecialMode(call.special, dict(call.conditions), limits),
        layers=tuple(
            Layer(**vars(reading_of(layer, call.at)), accuracy=scores.layers[layer.name]) for layer in call.layers
        ),
        record=scores.vote,
        backfilled=call.backfilled,
    )


def bull_of(p_up: float) -> float:
    """P(higher) in percent, to one decimal."""
    return round(100 * round(p_up, 4), 1)


def reading_of(layer: LayerVote, at: int) -> LayerReading:
    """A layer of the call at the unix second `at` as it is published."""
    return LayerReading(
        name=layer.name,
        p_up=rounded(layer.p, 4),
        direction=None if layer.p is None else direction_of(bull_of(layer.p)),
        weight=round(layer.weight, 3),
        reading=layer.reading,
        silent=layer.silent,
        in_sample=in_sample(layer.name, at),
    )


@dataclass(frozen=True)
class ListedCall:
    """A call on the price of `asset` at `resolves_at`, one day after `called_at`, as it was made.

    `p_up` is P(higher than `spot`). `outcome` is yes where the price was higher, null until the day is over, void
    where bars are missing. `backfilled` calls were made by the first start for a past instant.
    """

    asset: str
    called_at: str
    resolves_at: str
    spot: float
    p_up: float
    direction: Direction
    agreement: float
    confidence: float
    special_mode: bool
    backfilled: bool
    outcome: Outcome | None
    layers: tuple[LayerReading, ...]


@dataclass(frozen=True)
class ApexCallsDocument:
    """A page of calls, newest first; `next` is the cursor of the next page, null on the last."""

    schema: str
    world: World
    count: int
    next: str | None
    calls: tuple[ListedCall, ...]


def calls_document(
    calls: Sequence[Call], hourly: Bars, now: int, *, world: World, next: str | None
) -> ApexCallsDocument:
    """The page of these calls as they stand at the unix second `now`.

    `hourly` are the bars of their asset from some days before the first call on.
    """
    rows = tuple(
        ListedCall(
            asset=call.asset,
            called_at=iso(call.at),
            resolves_at=iso(call.at + DAY),
            spot=call.spot,
            p_up=round(call.p_up, 4),
            direction=direction_of(bull_of(call.p_up)),
            agreement=round(call.agreement, 4),
            confidence=round(call.confidence, 4),
            special_mode=call.special,
            backfilled=call.backfilled,
            outcome=outcome_of(call, hourly, now),
            layers=tuple(reading_of(layer, call.at) for layer in call.layers),
        )
        for call in calls
    )
    return ApexCallsDocument("apex-calls/1", world, len(rows), next, rows)
