"""One small document for other sites: bitcoin's price, the vote of apex on its next day, news and track record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from service.documents import Document, DocumentHeader
from service.forecasting.apex.call import Call
from service.forecasting.apex.document import bull_of
from service.forecasting.news.pulse import AssetPulse
from service.forecasting.predictions.scores.versus import VersusBook
from service.forecasting.voters.price_forecasts import HORIZON_H
from service.forecasting.voters.votes import Direction, Strength, direction_of, strength_of
from service.market.instants import iso
from service.market.prices import AssetPrice
from service.scores.intervals import LEAST_N

LIVE = "resolved markets, voted on when they opened"
PAST = "resolved markets of the past, voted on with the data available when each opened"
FEW_NOTE = "not enough resolved markets"


@dataclass(frozen=True)
class WidgetPrice:
    """Bitcoin in USD, its move over 24 hours in percent, and the instant of the price."""

    price: float
    change_24h_pct: float | None
    as_of: str


@dataclass(frozen=True)
class WidgetConsensus:
    """The vote of apex on bitcoin's price `horizon_hours` after `voted_at`; bull and bear add up to 100 percent."""

    direction: Direction
    bull_probability: float
    bear_probability: float
    strength: Strength
    horizon_hours: int
    voted_at: str


@dataclass(frozen=True)
class WidgetNews:
    """The tone of the last day's `n` stories that name bitcoin, -1 to 1."""

    direction: Direction
    score: float
    n: int


@dataclass(frozen=True)
class WidgetAccuracy:
    """How often the pool's likelier side came true on `n` resolved markets; null with fewer than 30.

    They are worth `n_eff` independent markets, from which the 95% interval follows. On the same markets, the side that
    such markets took more often before reaches `likelier_side_pct`, and NO every time `always_no_pct`. `skill` is
    1 - Brier / Brier of how often such markets had come out YES, with its 95% interval: 0 is no better than that rate.
    """

    backfilled: bool
    n: int
    n_eff: float
    accuracy_pct: float | None
    accuracy_low_pct: float | None
    accuracy_high_pct: float | None
    likelier_side_pct: float | None
    always_no_pct: float | None
    skill: float | None
    skill_low: float | None
    skill_high: float | None
    note: str


@dataclass(frozen=True)
class WidgetDocument(Document):
    """The document; parts that are not available yet are null."""

    btc: WidgetPrice
    consensus: WidgetConsensus | None
    news: WidgetNews
    accuracy: WidgetAccuracy


def widget_document(
    price: AssetPrice, call: Call | None, mood: AssetPulse, books: Sequence[VersusBook], header: DocumentHeader
) -> WidgetDocument:
    """The document for bitcoin's `price`; `books` are the live and the backfilled one of the AI against the market."""
    return WidgetDocument(
        schema="widget/1",
        **vars(header),
        btc=WidgetPrice(price.price, price.change_24h_pct, price.as_of),
        consensus=call and _consensus(call),
        news=WidgetNews(mood.direction, mood.score, mood.n),
        accuracy=_accuracy({book.backfilled: book for book in books}),
    )


def _consensus(call: Call) -> WidgetConsensus:
    bull = bull_of(call.p_up)
    voters = sum(layer.p is not None for layer in call.layers)
    return WidgetConsensus(
        direction=direction_of(bull),
        bull_probability=bull,
        bear_probability=round(100 - bull, 1),
        strength=strength_of(bull, 100 * call.agreement, voters),
        horizon_hours=HORIZON_H,
        voted_at=iso(call.at),
    )


MEASURES = (
    *("accuracy_pct", "accuracy_low_pct", "accuracy_high_pct", "likelier_side_pct", "always_no_pct"),
    *("skill", "skill_low", "skill_high"),
)


def _accuracy(books: dict[bool, VersusBook]) -> WidgetAccuracy:
    """That of the live book once 30 of its markets have resolved, before that of the longer book; never of both."""
    live, past = books[False], books[True]
    chosen = live if live.ai.accuracy_n >= min(LEAST_N, past.ai.accuracy_n) else past
    scores = chosen.ai
    has_enough = scores.accuracy_n >= LEAST_N
    measures: dict[str, Any] = {name: getattr(scores, name) if has_enough else None for name in MEASURES}
    note = PAST if chosen.backfilled else LIVE
    return WidgetAccuracy(
        backfilled=chosen.backfilled,
        n=scores.accuracy_n,
        n_eff=scores.accuracy_n_eff,
        **measures,
        note=note if has_enough else FEW_NOTE,
    )
