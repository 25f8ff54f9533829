"""The inputs from the calendar of a horizon, and every input in words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from service.forecasting.voters.inputs import INPUTS, describe, of_window


def at(year: int, month: int, day: int, hour: int = 0) -> int:
    return int(datetime(year, month, day, hour, tzinfo=UTC).timestamp())


def test_a_whole_week_has_the_average_share_of_everything():
    window = of_window("btc", at(2025, 1, 8, 5), at(2025, 1, 15, 5), 168.0)
    assert window["weekend"] == pytest.approx(0)
    assert window["us_session"] == pytest.approx(0)


def test_a_saturday_is_all_weekend_and_no_session():
    window = of_window("btc", at(2025, 1, 11), at(2025, 1, 12), 24.0)
    assert window["weekend"] == pytest.approx(1 - 2 / 7)
    assert window["us_session"] == pytest.approx(-40 / 168)


@pytest.mark.parametrize(("day", "share"), [(9, 0), (10, 0), (11, 1), (12, 1), (13, 0)])
def test_the_weekend_is_saturday_and_sunday_in_utc(day, share):
    """9 January 2025 is a Thursday."""
    assert of_window("btc", at(2025, 1, day), at(2025, 1, day + 1), 24.0)["weekend"] == pytest.approx(share - 2 / 7)


def test_half_a_session_counts_half():
    """Monday 17:00 to 01:00 UTC: four of eight hours lie before 21:00."""
    window = of_window("eth", at(2025, 1, 13, 17), at(2025, 1, 14, 1), 8.0)
    assert window["us_session"] == pytest.approx(4 / 8 - 40 / 168)


def test_metals_have_no_weekend_and_a_session_of_8_in_23_hours():
    """Wednesday 00:00 to Thursday 00:00 UTC: 23 open hours, 8 of them from 13 to 21 UTC."""
    window = of_window("gold", at(2025, 1, 15), at(2025, 1, 16), 23.0)
    assert window["weekend"] == 0
    assert window["us_session"] == pytest.approx(0)


def test_the_turn_of_a_month_is_its_last_day_and_the_first_three():
    """30 January to 5 February 2025: six days, of which 31 January and 1 to 3 February count."""
    window = of_window("btc", at(2025, 1, 30), at(2025, 2, 5), 144.0)
    assert window["month_turn"] == pytest.approx(4 / 6 - 48 / 365.2425)


def test_a_leap_year_ends_february_on_the_29th():
    assert of_window("btc", at(2024, 2, 28), at(2024, 2, 29), 24.0)["month_turn"] < 0
    assert of_window("btc", at(2024, 2, 29), at(2024, 3, 1), 24.0)["month_turn"] == pytest.approx(1 - 48 / 365.2425)


@pytest.mark.parametrize("name", INPUTS)
def test_every_input_can_be_worded(name):
    words = describe(name, 0.25, "btc")
    assert "{" not in words
    assert "nan" not in words


@pytest.mark.parametrize(("asset", "peers"), [("btc", "other coins"), ("gold", "coins")])
def test_the_peers_of_a_metal_are_not_other_coins(asset, peers):
    assert describe("peers_24h", 2.0, asset) == f"{peers}' 24-hour move of +2.0 sigma"
    assert describe("peers_rising", 0.25, asset) == f"75% of the {peers} up over 7 days"
