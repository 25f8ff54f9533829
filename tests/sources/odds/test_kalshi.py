"""Kalshi's rows as it writes them: prices in dollars as strings, and the words for where a market stands."""

from __future__ import annotations

from datetime import datetime

import pytest

from service.forecasting.predictions.imports import OutsideMarket, Refusal
from service.sources.odds.kalshi import KALSHI

FETCHED = 1_741_824_000
TICKER = "KXBTC-25MAR15-B100000"


def second(instant: str) -> int:
    return int(datetime.fromisoformat(instant).timestamp())


def parsed(row) -> OutsideMarket | Refusal:
    markets, refused = KALSHI.markets([row], FETCHED)
    return (markets + refused)[0]


@pytest.fixture
def settled_row(kalshi_row):
    """The recorded market, made a settled one by the fields that say so."""
    fields = {"settlement_ts": "2025-03-16T00:10:00Z", "settlement_value_dollars": "0.0000"}
    return kalshi_row | {"status": "finalized", "result": "no"} | fields


def test_the_price_of_yes_is_the_middle_of_bid_and_ask(kalshi_row):
    market = parsed(kalshi_row)
    assert (market.odds.market_id, market.id) == (TICKER, f"kalshi-{TICKER}")
    assert (market.odds.bid, market.odds.ask, market.odds.p_yes) == (0.42, 0.45, pytest.approx(0.435))
    assert market.group == ""
    assert market.question == "Will Bitcoin exceed $100,000 by March 15?"
    assert market.volume_usd == 125_000
    assert market.deadline == second("2025-03-15T23:59:59Z")
    assert market.odds.url == "https://kalshi.com/markets/kxbtc"
    assert market.rules == "Resolves Yes if BTC/USD spot price exceeds $100,000 at market close."


def test_the_meaning_of_yes_may_stand_beside_the_title(kalshi_row):
    fields = {"title": "Bitcoin price on Mar 15, 2025?", "yes_sub_title": "$100,000 or above"}
    assert parsed(kalshi_row | fields).group == "$100,000 or above"


@pytest.mark.parametrize(
    ("event", "opens", "measured_from"),
    [
        ("KXBTC15M-25MAR131515", "2025-03-13T19:00:00Z", "2025-03-13T19:00:00Z"),
        ("KXXRP15M-25MAR131515", "2025-03-13T19:00:00+00:00", "2025-03-13T19:00:00Z"),
        ("KXBTC15M-25MAR131515", None, None),
        ("KXBTC-25MAR15", "2025-03-13T19:00:00Z", None),
        (None, "2025-03-13T19:00:00Z", None),
    ],
)
def test_a_move_of_15_minutes_begins_when_its_market_opens(kalshi_row, event, opens, measured_from):
    market = parsed(kalshi_row | {"event_ticker": event, "open_time": opens})
    assert market.measured_from == (measured_from and second(measured_from))


def test_volume_is_what_the_contracts_would_pay(kalshi_row):
    assert parsed(kalshi_row | {"volume_fp": "1500.50", "notional_value_dollars": "1.0000"}).volume_usd == 1500.5


def test_a_spread_of_ten_cents_still_has_a_middle(kalshi_row):
    market = parsed(kalshi_row | {"yes_bid_dollars": "0.4500", "yes_ask_dollars": "0.5500"})
    assert market.odds.p_yes == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"ticker": None}, "no ticker"),
        ({"ticker": "KX/../BTC"}, "no ticker"),
        ({"status": "closed"}, "not open"),
        ({"status": "open"}, "not open"),
        ({"status": None}, "not open"),
        ({"market_type": "scalar"}, "not yes and no"),
        ({"yes_bid_dollars": "0.0000"}, "no bid"),
        ({"yes_ask_dollars": "1.0000"}, "no ask"),
        ({"yes_ask_dollars": None}, "no ask"),
        ({"yes_bid_dollars": "42"}, "no bid"),
        ({"yes_bid_dollars": "0.4600"}, "negative or too wide"),
        ({"yes_bid_dollars": "0.4500", "yes_ask_dollars": "0.5600"}, "negative or too wide"),
        ({"volume_fp": None}, "volume"),
        ({"notional_value_dollars": "one"}, "volume"),
        ({"close_time": None}, "end"),
    ],
)
def test_an_unusable_row_is_refused_with_the_reason(kalshi_row, change, why):
    refusal = parsed(kalshi_row | change)
    assert isinstance(refusal, Refusal)
    assert why in refusal.reason


def test_a_malformed_row_does_not_affect_the_others(kalshi_row):
    markets, refused = KALSHI.markets(["", None, kalshi_row], FETCHED)
    assert (len(markets), len(refused)) == (1, 2)


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        ({"result": "yes", "settlement_value_dollars": "1.0000"}, "yes"),
        ({"result": "no"}, "no"),
        ({"status": "settled"}, "no"),
        ({"result": "scalar", "settlement_value_dollars": "0.3500"}, "void"),
    ],
)
def test_a_finalized_market_says_its_result(settled_row, change, outcome):
    assert KALSHI.settlements([settled_row | change], [TICKER], FETCHED)[TICKER].outcome == outcome


def test_a_split_payout_is_reported(settled_row):
    row = settled_row | {"result": "\ud800", "settlement_value_dollars": "0.3500"}
    assert KALSHI.settlements([row], [TICKER], FETCHED)[TICKER].evidence == "settled as neither side, YES pays 0.35"


def test_a_settlement_says_when_and_what_was_paid(settled_row):
    settlement = KALSHI.settlements([settled_row], [TICKER], FETCHED)[TICKER]
    assert settlement.resolved_at == second("2025-03-16T00:10:00Z")
    assert (settlement.evidence, settlement.source) == ("settled as no, YES pays 0", "kalshi")


@pytest.mark.parametrize(
    "change", [{"status": "determined"}, {"status": "disputed"}, {"status": "closed"}, {"result": ""}, {"result": None}]
)
def test_a_result_that_may_still_be_disputed_settles_nothing(settled_row, change):
    assert KALSHI.settlements([settled_row | change], [TICKER], FETCHED) == {}


def test_the_recorded_market_is_not_settled(kalshi_row):
    assert KALSHI.settlements([kalshi_row], [TICKER], FETCHED) == {}
