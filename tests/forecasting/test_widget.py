"""The widget's document: a summary of four larger ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.forecasting.apex.call import Call
from service.forecasting.apex.layers import LAYERS
from service.forecasting.news.pulse import AssetPulse
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.scores.versus import VersusBook
from service.forecasting.widget import FEW_NOTE, LIVE, PAST, WidgetDocument, widget_document
from service.market.prices import AssetPrice
from tests.forecasting.made import call_of
from tests.forecasting.markets import PLAIN_HEADER, days, settled, versus

AT = 1_800_000_000
PRICE = AssetPrice("btc", "Bitcoin", 50_123.456, -1.2345, 51_000.0, 49_000.0, True, "2027-01-15T08:00:00Z", "made")
MOOD = AssetPulse("btc", "BULLISH", 0.1235, 7)


def call(p_up: float, agreement: float = 1.0, voters: int = 8) -> Call:
    """A call of eight layers, of which so many vote."""
    return replace(call_of(AT, p_up, **dict.fromkeys([*LAYERS][:voters], p_up)), agreement=agreement)


def document_of(of_books: tuple[VersusBook, ...] = (), **fields) -> WidgetDocument:
    fields = {"price": PRICE, "call": call(0.5), "mood": MOOD} | fields
    return widget_document(books=of_books or books(), header=PLAIN_HEADER, **fields)


def test_it_has_the_price_of_other_documents():
    """The news are the pulse of bitcoin; what is not available yet is null."""
    document = document_of()
    assert (document.schema, document.as_of, document.world) == ("widget/1", PLAIN_HEADER.as_of, "simulated")
    assert vars(document.btc) == {"price": 50_123.456, "change_24h_pct": -1.2345, "as_of": PRICE.as_of}
    assert vars(document_of().news) == {"direction": "BULLISH", "score": 0.1235, "n": 7}
    document = document_of(call=None)
    assert document.consensus is None
    assert document.accuracy.accuracy_pct is None
    assert (document.accuracy.n, document.accuracy.note) == (0, FEW_NOTE)


@pytest.mark.parametrize(
    ("p_up", "agreement", "voters", "direction", "bull", "strength"),
    [
        (0.5, 0.0, 8, "NEUTRAL", 50.0, "DIVIDED"),
        (0.6, 1.0, 8, "BULLISH", 60.0, "MODERATE"),
        (0.6, 0.55, 8, "BULLISH", 60.0, "WEAK"),
        (0.6, 1.0, 4, "BULLISH", 60.0, "WEAK"),
        (0.25, 0.8, 8, "BEARISH", 25.0, "STRONG"),
    ],
)
def test_the_consensus_is_the_call_of_apex_in_percent(p_up, agreement, voters, direction, bull, strength):
    consensus = document_of(call=call(p_up, agreement, voters)).consensus
    assert (consensus.direction, consensus.bull_probability, consensus.strength) == (direction, bull, strength)
    assert consensus.bull_probability + consensus.bear_probability == 100
    assert (consensus.horizon_hours, consensus.voted_at) == (24, "2027-01-15T08:00:00Z")


def resolved(n: int, *, backfilled: bool, right: int) -> list[Prediction]:
    """Markets that came out YES, on `right` of which the pool said 70% and on the others 30%."""
    return [
        settled(f"{backfilled} {place}", p=0.7 if place < right else 0.3, backfilled=backfilled) for place in range(n)
    ]


def books(*markets: Prediction) -> tuple[VersusBook, ...]:
    return versus(list(markets)).books


@pytest.mark.parametrize(
    ("past", "live", "expected"),
    [
        ((40, 30), (29, 29), (True, 40, 75.0, PAST)),
        ((40, 30), (30, 12), (False, 30, 40.0, LIVE)),
        ((29, 29), (0, 0), (True, 29, None, FEW_NOTE)),
        ((0, 0), (12, 12), (False, 12, None, FEW_NOTE)),
    ],
)
def test_until_thirty_live_markets_the_accuracy_is_that_of_the_past(past, live, expected):
    """The number of markets of each book, and how many the pool had right."""
    markets = [*resolved(past[0], backfilled=True, right=past[1]), *resolved(live[0], backfilled=False, right=live[1])]
    accuracy = document_of(books(*markets)).accuracy
    assert (accuracy.backfilled, accuracy.n, accuracy.accuracy_pct, accuracy.note) == expected
    if accuracy.accuracy_pct is None:
        assert (accuracy.accuracy_low_pct, accuracy.accuracy_high_pct, accuracy.skill) == (None, None, None)


def test_its_intervals_are_those_of_the_comparison():
    """Of markets in several weeks."""
    weekly = [
        settled(f"{week}", p=0.7 if week < 30 else 0.3, opened=days(7 * week), backfilled=True) for week in range(40)
    ]
    both = books(*weekly)
    accuracy, scores = document_of(both).accuracy, both[1].ai
    assert accuracy.n_eff == scores.accuracy_n_eff < 40
    bounds = ("accuracy_low_pct", "accuracy_high_pct", "skill_low", "skill_high")
    for name in (*bounds, "skill", "always_no_pct", "likelier_side_pct"):
        assert getattr(accuracy, name) == getattr(scores, name)
