"""The calls of apex with their outcomes, in pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.documents import World
from service.forecasting.apex.call import Call
from service.forecasting.apex.document import LayerReading, bull_of, reading_of
from service.forecasting.apex.scores import outcome_of
from service.forecasting.predictions.resolution import Outcome
from service.forecasting.voters.votes import Direction, direction_of
from service.market.bars import Bars
from service.market.instants import DAY, iso


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
    shown = tuple(_call(call, outcome_of(call, hourly, now)) for call in calls)
    return ApexCallsDocument("apex-calls/1", world, len(shown), next, shown)


def _call(call: Call, outcome: Outcome | None) -> ListedCall:
    return ListedCall(
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
        outcome=outcome,
        layers=tuple(reading_of(layer, call.at) for layer in call.layers),
    )
