"""The widget's document: what is left of four larger ones."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from service.forecasting.apex.call import Call, LayerVote
from service.forecasting.news.pulse import Pulse
from service.forecasting.predictions import Settled
from service.forecasting.scores.versus import VersusBook, ai_vs_market_document
from service.forecasting.widget import LIVE, PAST, TOO_FEW, WidgetDocument, widget_document
from service.market.prices import Price
from tests.forecasting.rows import MADE, settled

AT = 1_800_000_000
PRICE = Price("btc", "Bitcoin", 50_123.456, -1.2345, 51_000.0, 49_000.0, True, "2027-01-15T08:00:00Z", "made")


def call(p_up: float, agreement: float = 1.0, spoke: int = 8) -> Call:
    """A call of eight layers, of which so many spoke."""
    layers = tuple(
        LayerVote(f"layer {n}", p_up if n < spoke else None, 1.0, "", None if n < spoke else "knows nothing")
        for n in range(8)
    )
    return Call("btc", AT, 50_000.0, p_up, agreement, 0.0, False, {}, layers, False)


def pulse(score: float) -> Pulse:
    return Pulse(AT, "NEUTRAL", score, 7, (), (), ())


def made(told: tuple[VersusBook, ...] = (), **given) -> WidgetDocument:
    given = {"price": PRICE, "call": call(0.5), "pulse": pulse(0.0)} | given
    return widget_document(books=told or books(), made=MADE, **given)


def test_it_says_of_itself_what_every_document_says():
    document = made()
    assert (document.schema, document.as_of, document.world) == ("widget/1", MADE.as_of, "simulated")
    assert (document.stale_after, document.sources) == (MADE.stale_after, MADE.sources)


def test_the_price_is_that_of_the_document_of_prices():
    assert vars(made().btc) == {"price": 50_123.456, "change_24h_pct": -1.2345, "as_of": PRICE.as_of}


@pytest.mark.parametrize(
    ("p_up", "agreement", "spoke", "direction", "bull", "strength"),
    [
        (0.5, 0.0, 8, "NEUTRAL", 50.0, "DIVIDED"),
        (0.52, 1.0, 8, "NEUTRAL", 52.0, "WEAK"),
        (0.53, 1.0, 8, "BULLISH", 53.0, "WEAK"),
        (0.6, 1.0, 8, "BULLISH", 60.0, "MODERATE"),
        (0.6, 0.55, 8, "BULLISH", 60.0, "WEAK"),
        (0.6, 1.0, 4, "BULLISH", 60.0, "WEAK"),
        (0.25, 0.8, 8, "BEARISH", 25.0, "STRONG"),
        (0.25, 0.4, 8, "BEARISH", 25.0, "DIVIDED"),
    ],
)
def test_the_consensus_is_the_call_of_apex_in_percent(p_up, agreement, spoke, direction, bull, strength):
    told = made(call=call(p_up, agreement, spoke)).consensus
    assert (told.direction, told.bull_probability, told.strength) == (direction, bull, strength)
    assert told.bull_probability + told.bear_probability == 100
    assert (told.horizon_hours, told.voted_at) == (24, "2027-01-15T08:00:00Z")


@pytest.mark.parametrize(("score", "direction"), [(0.09, "NEUTRAL"), (0.12345, "BULLISH"), (-0.5, "BEARISH")])
def test_the_news_have_the_side_of_their_published_score(score: float, direction: str):
    told = made(pulse=pulse(score)).news
    assert (told.direction, told.score, told.n) == (direction, round(score, 4), 7)


def test_what_is_not_known_yet_is_null():
    document = made(call=None, pulse=None)
    assert document.consensus is None
    assert document.news is None
    assert document.accuracy.accuracy_pct is None
    assert (document.accuracy.n, document.accuracy.note) == (0, TOO_FEW)


def resolved(n: int, *, backfilled: bool, right: int) -> list[Settled]:
    """Markets that came out YES, on `right` of which the pool said 70 % and on the others 30 %."""
    return [
        settled(f"{backfilled} {place}", p=0.7 if place < right else 0.3, backfilled=backfilled) for place in range(n)
    ]


def books(*known: Settled) -> tuple[VersusBook, ...]:
    return ai_vs_market_document(known, MADE, np.random.default_rng(1)).books


class TestAccuracy:
    def test_it_is_that_of_the_past_until_thirty_live_markets_have_resolved(self):
        told = made(books(*resolved(40, backfilled=True, right=30), *resolved(29, backfilled=False, right=29))).accuracy
        assert (told.backfilled, told.n, told.accuracy_pct, told.note) == (True, 40, 75.0, PAST)

    def test_then_it_is_the_live_one_alone(self):
        told = made(books(*resolved(40, backfilled=True, right=30), *resolved(30, backfilled=False, right=12))).accuracy
        assert (told.backfilled, told.n, told.accuracy_pct, told.note) == (False, 30, 40.0, LIVE)

    def test_its_interval_is_that_of_wilson(self):
        told = made(books(*resolved(40, backfilled=True, right=30))).accuracy
        low, high = scipy.stats.binomtest(30, 40).proportion_ci(0.95, "wilson")
        assert (told.accuracy_low_pct, told.accuracy_high_pct) == pytest.approx((100 * low, 100 * high), abs=1e-3)

    @pytest.mark.parametrize("n", [0, 1, 29])
    def test_below_thirty_there_is_none(self, n: int):
        told = made(books(*resolved(n, backfilled=True, right=n))).accuracy
        assert (told.n, told.accuracy_pct, told.note) == (n, None, TOO_FEW)
        assert (told.accuracy_low_pct, told.accuracy_high_pct) == (None, None)

    def test_a_live_start_without_a_past_tells_of_the_live_markets(self):
        told = made(books(*resolved(12, backfilled=False, right=12))).accuracy
        assert (told.backfilled, told.n, told.note) == (False, 12, TOO_FEW)
