"""Fields of outside answers, in which anything may stand."""

from __future__ import annotations

from math import isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.predictions.imports import OutsideMarket, Refusal
from service.sources.odds import kalshi, polymarket
from service.sources.odds.fields import instant, listed, number, price

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
ANYTHING = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=2), max_leaves=4)
SOURCES = pytest.mark.parametrize("source", [polymarket, kalshi], ids=["polymarket", "kalshi"])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0.4100", 0.41),
        (0.41, 0.41),
        (7, 7.0),
        ("-1", -1.0),
        (True, None),
        (None, None),
        ("", None),
        ("nan", None),
        ("1e999", None),
        (float("inf"), None),
        (10**400, None),
        ("1" * 100, None),
        ([], None),
    ],
)
def test_a_number_is_one_as_itself_or_as_a_string(value, expected):
    assert number(value) == expected


@pytest.mark.parametrize(("value", "expected"), [("0.5", 0.5), (0, None), ("1.0000", None), (-0.1, None), (2, None)])
def test_a_price_of_zero_or_one_is_no_price(value, expected):
    assert price(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1970-01-01T00:01:00Z", 60),
        ("1970-01-01T00:01:00.999999Z", 60),
        ("1970-01-01 00:01:00+00", 60),
        ("1970-01-01T00:01:00", 60),
        ("1970-01-02", 86400),
        ("0001-01-01T00:00:00+23:59", -62135683140),
        ("tomorrow", None),
        (60, None),
        (None, None),
    ],
)
def test_an_instant_is_iso_8601_and_utc_without_an_offset(value, expected):
    assert instant(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [('["a", 1]', ["a", 1]), ("{}", []), ("[", []), ("[" * 100_000, []), (["a"], []), (None, [])]
)
def test_a_list_stands_inside_a_string(value, expected):
    assert listed(value) == expected


@SOURCES
@given(data=st.data())
def test_no_row_is_fatal_and_none_is_lost(source, data, bitcoin_row, kalshi_row):
    """Any field of a sound row may hold anything: it is read or refused, with numbers that are numbers."""
    row = bitcoin_row if source is polymarket else kalshi_row
    names = data.draw(st.lists(st.sampled_from(sorted(row)), max_size=4))
    broken = row | {name: data.draw(ANYTHING) for name in names}
    markets, refused = source.parse([broken, row], 0)
    assert len(markets) + len(refused) == 2
    for market in markets:
        assert isinstance(market, OutsideMarket)
        assert 0 <= market.odds.p_yes <= 1
        assert isfinite(market.volume_usd)
    assert all(isinstance(refusal, Refusal) for refusal in refused)
    source.parse_settled([broken], [row[source.LISTING.key]], 0)
