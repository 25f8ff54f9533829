"""Kalshi's rows as it writes them: prices in dollars as strings, and the words for where a market stands."""

from __future__ import annotations

import pytest

from service.forecasting.predictions.imports import OutsideMarket, Refusal
from service.market.instants import unix
from service.sources.odds.kalshi import KALSHI

FETCH_TIME = 1_741_824_000
TICKER = "KXBTC-25MAR15-B100000"


def parsed(row) -> OutsideMarket | Refusal:
    markets, refusals = KALSHI.markets([row], FETCH_TIME)
    return (markets + refusals)[0]


@pytest.fixture
def settled_row(kalshi_row):
    """The recorded market, made a settled one by the fields that say so."""
    fields = {"settlement_ts": "2025-03-16T00:10:00Z", "settlement_value_dollars": "0.0000"}
    return kalshi_row | {"status": "finalized", "result": "no"} | fields


def test_the_price_of_yes_is_the_middle_of_bid_and_ask(kalshi_row):
    market = parsed(kalshi_row)
    assert (market.odds.market_id, market.id) == (TICKER, f"kalshi-{TICKER}")
    assert (market.odds.bid, market.odds.ask, market.odds.p_yes) == (0.42, 0.45, pytest.approx(0.435))
    assert market.terms.group == ""
    assert market.terms.question == "Will Bitcoin exceed $100,000 by March 15?"
    assert market.volume_usd == 125_000
    assert market.terms.deadline == unix("2025-03-15T23:59:59Z")
    assert market.odds.url == "https://kalshi.com/markets/kxbtc"
    assert market.terms.rules == "Resolves Yes if BTC/USD spot price exceeds $100,000 at market close."


def test_other_fields_of_a_row_count_as_well(kalshi_row):
    """The meaning of yes beside the title, contracts of less than a dollar, and a spread of ten cents."""
    fields = {"title": "Bitcoin price on Mar 15, 2025?", "yes_sub_title": "$100,000 or above"}
    fields |= {"volume_fp": "1500.50", "notional_value_dollars": "1.0000"}
    market = parsed(kalshi_row | fields | {"yes_bid_dollars": "0.4500", "yes_ask_dollars": "0.5500"})
    assert (market.terms.group, market.volume_usd, market.odds.p_yes) == (
        "$100,000 or above",
        1500.5,
        pytest.approx(0.5),
    )


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
    assert market.measured_from == (measured_from and unix(measured_from))


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


NO_EVIDENCE = "settled as no, YES pays 0"


@pytest.mark.parametrize(
    ("change", "outcome", "evidence"),
    [
        ({"result": "yes", "settlement_value_dollars": "1.0000"}, "yes", "settled as yes, YES pays 1"),
        ({"result": "no"}, "no", NO_EVIDENCE),
        ({"status": "settled"}, "no", NO_EVIDENCE),
        ({"result": "void", "settlement_value_dollars": None}, "void", "settled as neither side"),
        ({"result": "scalar", "settlement_value_dollars": "0.5000"}, "void", "settled as neither side, YES pays 0.5"),
        (
            {"result": "\ud800", "settlement_value_dollars": "0.3500"},
            "void",
            "settled as neither side, YES pays 0.35",
        ),
    ],
)
def test_a_finalized_market_says_its_result(settled_row, change, outcome, evidence):
    settlement = KALSHI.settlements([settled_row | change], [TICKER], FETCH_TIME)[TICKER][0]
    assert (settlement.outcome, settlement.evidence, settlement.source) == (outcome, evidence, "kalshi")
    assert settlement.resolved_at == unix("2025-03-16T00:10:00Z")


@pytest.mark.parametrize(
    "change",
    [
        *({"status": status} for status in ("determined", "disputed", "closed", "active")),
        {"result": ""},
        {"result": None},
    ],
)
def test_a_result_that_may_still_be_disputed_settles_nothing(settled_row, change):
    assert KALSHI.settlements([settled_row | change], [TICKER], FETCH_TIME) == {}


def test_a_settled_market_says_what_it_asked(settled_row):
    """Its end is the one at which it closed, earlier than planned where the outcome was certain."""
    change = {"close_time": "2025-03-10T08:00:00Z", "title": "Will Bitcoin exceed $100,000?"}
    terms = KALSHI.settlements([settled_row | change], [TICKER], FETCH_TIME)[TICKER][1]
    assert terms.deadline == unix("2025-03-10T08:00:00Z")
    assert (terms.question, terms.rules) == ("Will Bitcoin exceed $100,000?", settled_row["rules_primary"])
    assert KALSHI.settlements([settled_row | {"close_time": None}], [TICKER], FETCH_TIME)[TICKER][1] is None
