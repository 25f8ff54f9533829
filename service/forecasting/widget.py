"""One small document for pages of other hosts: bitcoin's price, what apex says of its next day, news and record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.forecasting.apex.call import Call
from service.forecasting.news.pulse import Pulse
from service.forecasting.news.pulse import direction_of as mood_of
from service.forecasting.next_day import HORIZON_H
from service.forecasting.predictions import Made
from service.forecasting.scores.difference import LEAST_N
from service.forecasting.scores.versus import VersusBook
from service.forecasting.votes import Direction, Strength, direction_of, strength_of
from service.market.clock import World
from service.market.instants import iso
from service.market.prices import Price

LIVE = "resolved markets that were voted on as they opened"
PAST = "resolved markets of the past, voted on with what was known when each opened"
TOO_FEW = "not enough resolved markets"


@dataclass(frozen=True)
class WidgetPrice:
    """Bitcoin in USD, its move over 24 hours in percent, and the instant it was seen at."""

    price: float
    change_24h_pct: float | None
    as_of: str


@dataclass(frozen=True)
class WidgetConsensus:
    """Apex on bitcoin's price `horizon_hours` after `voted_at`; bull and bear are percent and add up to 100."""

    direction: Direction
    bull_probability: float
    bear_probability: float
    strength: Strength
    horizon_hours: int
    voted_at: str


@dataclass(frozen=True)
class WidgetNews:
    """The mood of `n` stories, -1 to 1."""

    direction: Direction
    score: float
    n: int


@dataclass(frozen=True)
class WidgetAccuracy:
    """How often the likelier side came true on `n` resolved markets, with a 95 % interval; null under 30 of them."""

    backfilled: bool
    n: int
    accuracy_pct: float | None
    accuracy_low_pct: float | None
    accuracy_high_pct: float | None
    note: str


@dataclass(frozen=True)
class WidgetDocument:
    """What a page may show; what is not known yet is null."""

    schema: str
    timestamp: str
    as_of: str
    stale_after: str
    world: World
    sources: dict[str, str]
    btc: WidgetPrice
    consensus: WidgetConsensus | None
    news: WidgetNews | None
    accuracy: WidgetAccuracy


def widget_document(
    price: Price, call: Call | None, pulse: Pulse | None, books: Sequence[VersusBook], made: Made
) -> WidgetDocument:
    """The document of bitcoin's `price`; `books` are the two of the AI against the market."""
    return WidgetDocument(
        schema="widget/1",
        **vars(made),
        btc=WidgetPrice(price.price, price.change_24h_pct, price.as_of),
        consensus=call and _consensus(call),
        news=pulse and _news(pulse),
        accuracy=_accuracy({book.backfilled: book for book in books}),
    )


def _consensus(call: Call) -> WidgetConsensus:
    bull = round(100 * round(call.p_up, 4), 1)
    spoke = sum(layer.p is not None for layer in call.layers)
    return WidgetConsensus(
        direction=direction_of(bull),
        bull_probability=bull,
        bear_probability=round(100 - bull, 1),
        strength=strength_of(bull, 100 * call.agreement, spoke),
        horizon_hours=HORIZON_H,
        voted_at=iso(call.at),
    )


def _news(pulse: Pulse) -> WidgetNews:
    score = round(pulse.score, 4)
    return WidgetNews(mood_of(score), score, pulse.n)


def _accuracy(books: dict[bool, VersusBook]) -> WidgetAccuracy:
    """That of the live book once enough of it has resolved, until then of the longer one; never of both together."""
    live, past = books[False], books[True]
    chosen = live if _counted(live) >= min(LEAST_N, _counted(past)) else past
    if _counted(chosen) < LEAST_N:
        return WidgetAccuracy(chosen.backfilled, _counted(chosen), None, None, None, TOO_FEW)
    scores = chosen.ai
    return WidgetAccuracy(
        backfilled=chosen.backfilled,
        n=scores.accuracy_n,
        accuracy_pct=scores.accuracy_pct,
        accuracy_low_pct=scores.accuracy_low_pct,
        accuracy_high_pct=scores.accuracy_high_pct,
        note=PAST if chosen.backfilled else LIVE,
    )


def _counted(book: VersusBook) -> int:
    """The resolved markets on which the pool had a side."""
    return book.ai.accuracy_n
