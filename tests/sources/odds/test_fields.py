"""Fields of outside answers, in which anything may stand."""

from __future__ import annotations

import pytest

from service.sources.odds.fields import instant, listed, number, price


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
