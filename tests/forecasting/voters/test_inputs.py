"""The inputs from the calendar of a horizon, and every input in words."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from service.forecasting.voters.inputs import INPUTS, PEERS, can_have, describe, of_window
from service.market.instants import DAY, HOUR


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


def test_many_horizons_at_once_are_the_same_as_one_by_one():
    since = at(2025, 1, 1) + np.arange(40) * 7 * HOUR
    together = of_window("btc", since, since + 3 * DAY, np.full(40, 72.0))
    for place, start in enumerate(since.tolist()):
        alone = of_window("btc", start, start + 3 * DAY, 72.0)
        assert {name: float(values[place]) for name, values in together.items()} == pytest.approx(alone)


@pytest.mark.parametrize("name", INPUTS)
def test_every_input_can_be_worded(name):
    words = describe(name, 0.25, 0.0, "btc")
    assert "{" not in words
    assert "nan" not in words


@pytest.mark.parametrize(("asset", "peers"), [("btc", "other coins"), ("gold", "coins")])
def test_the_peers_of_a_metal_are_not_other_coins(asset, peers):
    assert describe("peers_24h", 2.0, 0.0, asset) == f"{peers}' 24-hour move of +2.0 sigma"
    assert describe("peers_rising", 0.25, 0.0, asset) == f"75% of the {peers} up over 7 days"


@pytest.mark.parametrize(
    ("assets", "have_peers"),
    [
        (["btc"], False),
        (["eth"], False),
        (["gold", "silver"], False),
        (["sol", "xrp"], False),
        (["btc", "eth"], True),
        (["sol", "btc"], True),
        (["gold", "btc"], True),
    ],
)
def test_inputs_of_peers_need_an_asset_with_its_leader(assets: list[str], have_peers: bool):
    """Bitcoin leads all assets but itself, which ether leads."""
    assert {name: can_have([name], assets) for name in INPUTS} == {
        name: name not in PEERS or have_peers for name in INPUTS
    }
