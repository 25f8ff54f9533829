"""The inputs of the voters: only data that was complete at its instant, and every input in words."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from types import SimpleNamespace

import numpy as np
import pytest

from service.forecasting.voters.context import Context, Knowledge, build_all, recall
from service.forecasting.voters.inputs import (
    INPUTS,
    LOOK_BACK_H,
    NEEDED_H,
    InputHistory,
    InputTrack,
    describe,
    of_window,
    survey,
)
from service.market.assets import ASSETS
from service.market.bars import LAST_SECOND, Bars
from service.market.instants import DAY, HOUR
from tests.forecasting.made import FIRST, NOW, made_bars

WEDNESDAY = 1_741_791_600  # 2025-03-12T15:00:00Z, 70 days after the first bar


def test_a_context_is_the_row_of_its_history(hourly):
    """Requests and fits use the same numbers, bit for bit."""
    history = survey(hourly)
    row = history.grid.row_at(WEDNESDAY)
    assert history.grid.time_of(row) == WEDNESDAY
    for asset, context in build_all(hourly, WEDNESDAY).items():
        track = history.tracks[asset]
        assert context.fast == track.fast[row]
        assert context.slow == track.slow[row]
        for name, value in context.inputs.items():
            assert value == track.inputs[name][row]


def test_a_context_needs_the_last_seven_months_alone():
    """Nine months of two coins, and of a metal, whose windows count open hours: equal to the row up to rounding."""
    bars = {asset: made_bars(asset, 270, seed) for seed, asset in enumerate(("btc", "eth", "gold"))}
    assert len(bars["btc"]) > NEEDED_H
    expected = recall(survey(bars), bars, LAST_SECOND)
    for asset, context in build_all(bars).items():
        values = context.to_plain()
        for name, value in expected[asset].to_plain().items():
            assert values[name] == (pytest.approx(value, rel=1e-7, abs=1e-11) if name != "asset" else value)


def test_an_incomplete_bar_is_not_used(hourly):
    earlier = build_all(hourly, WEDNESDAY).get("btc")
    assert build_all(hourly, WEDNESDAY + HOUR - 1).get("btc") == earlier
    assert build_all(hourly, WEDNESDAY + HOUR).get("btc") != earlier


def test_as_of_is_the_end_of_the_last_bar_of_its_own_asset(hourly):
    """On Sunday at noon the last bar of gold is Friday's, and the context says so."""
    sunday = 1_741_521_600  # 2025-03-09T12:00:00Z
    contexts = build_all(hourly, sunday)
    assert contexts["btc"].as_of == sunday
    assert contexts["gold"].as_of == 1_741_384_800  # Friday 17:00 in New York, 2025-03-07T22:00:00Z
    assert contexts["gold"].spot == hourly["gold"].until(sunday).close[-1]


def test_a_context_survives_json_without_loss(contexts):
    for context in contexts.values():
        assert Context.from_plain(json.loads(json.dumps(context.to_plain(), allow_nan=False))) == context


def test_a_short_history_is_null_not_nan(hourly):
    context = build_all(hourly, int(hourly["btc"].time[0]) + 20 * DAY).get("btc")
    assert context.history_days == pytest.approx(20)
    assert set(context.inputs.values()) == {None}
    json.dumps(context.to_plain(), allow_nan=False)


def test_without_a_bar_there_is_no_context(hourly):
    """Before the first fit there is an empty record and no evidence."""
    knowledge = Knowledge({"btc": SimpleNamespace(spot=94_000.0), "gold": SimpleNamespace(spot=3_200.0)})
    assert knowledge.spots == {"btc": 94_000.0, "gold": 3_200.0}
    assert (knowledge.fits, knowledge.record.bands, knowledge.lead) == (None, {}, 0.0)
    assert build_all(hourly, int(hourly["btc"].time[0])).get("btc") is None
    assert build_all({}, WEDNESDAY) == {}


def test_the_correlation_is_that_of_the_common_hours(hourly):
    """Gold trades fewer hours than bitcoin: the same hours are compared, over 30 days."""
    bars = {asset: hourly[asset].until(WEDNESDAY) for asset in ("btc", "gold")}
    returns = {
        asset: dict(zip(series.time[1:].tolist(), np.diff(np.log(series.close)).tolist(), strict=True))
        for asset, series in bars.items()
    }
    common = [time for time in returns["gold"] if time >= WEDNESDAY - 30 * DAY]
    expected = np.corrcoef([returns["btc"][time] for time in common], [returns["gold"][time] for time in common])[0, 1]
    assert build_all(hourly, WEDNESDAY)["btc"].correlations["gold"] == pytest.approx(expected)
    instant = int(hourly["btc"].time[0]) + 9 * DAY
    assert build_all(hourly, instant)["btc"].correlations["eth"] is None, "ten common days are needed"


@pytest.mark.parametrize("assets", [tuple(ASSETS), ("btc", "gold")])
def test_a_later_panel_recalls_earlier_contexts(hourly, assets):
    """Bit for bit, at hours of the week, on the hour and between, from the first bar to the last."""
    bars = {asset: hourly[asset] for asset in assets}
    history = survey(bars)
    for instant in range(FIRST, NOW + 1, 97 * HOUR + 1234):
        assert recall(history, bars, instant) == build_all(bars, instant)
    assert recall(history, bars, NOW, ("gold",)) == {"gold": build_all(bars, NOW)["gold"]}


def test_assets_that_begin_later_are_left_out_before(hourly):
    """Ethereum begins after 55 days, silver after 80: until then breadth is that of the coins there are."""
    begins = {"eth": FIRST + 55 * DAY, "silver": FIRST + 80 * DAY}
    bars = {asset: series.since(begins.get(asset, FIRST)) for asset, series in hourly.items()}
    history = survey(bars)
    for day in (1, 54, 55, 56, 70, 79, 80, 81, 110):
        instant = FIRST + day * DAY
        assert recall(history, bars, instant) == build_all(bars, instant)
    contexts = recall(history, bars, begins["eth"] - HOUR)
    assert "eth" not in contexts
    assert contexts["sol"].inputs["peers_24h"] is not None


def test_with_missing_hours_the_last_complete_one_is_recalled(hourly):
    """A feed that was down for a day, and a Sunday with metals alone."""
    outage = (WEDNESDAY, WEDNESDAY + DAY)
    partial = {asset: bars[(bars.time < outage[0]) | (bars.time >= outage[1])] for asset, bars in hourly.items()}
    metals = {asset: hourly[asset] for asset in ("gold", "silver")}
    for bars, instant in ((partial, WEDNESDAY + 9 * HOUR), (metals, WEDNESDAY + 4 * DAY)):
        assert recall(survey(bars), bars, instant) == build_all(bars, instant)


def at(year: int, month: int, day: int, hour: int = 0) -> int:
    return int(datetime(year, month, day, hour, tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    ("asset", "since", "until", "hours", "shares"),
    [
        pytest.param(
            "btc", (1, 8, 5), (1, 15, 5), 168.0, {"weekend": 2 / 7, "us_session": 40 / 168}, id="a whole week"
        ),
        pytest.param("btc", (1, 11), (1, 12), 24.0, {"weekend": 1, "us_session": 0}, id="a Saturday"),
        pytest.param("btc", (1, 12), (1, 13), 24.0, {"weekend": 1}, id="a Sunday"),
        pytest.param("btc", (1, 10), (1, 11), 24.0, {"weekend": 0}, id="a Friday"),
        pytest.param("btc", (1, 13), (1, 14), 24.0, {"weekend": 0}, id="a Monday"),
        pytest.param("eth", (1, 13, 17), (1, 14, 1), 8.0, {"us_session": 4 / 8}, id="half a session"),
        pytest.param("btc", (1, 30), (2, 5), 144.0, {"month_turn": 4 / 6}, id="31 January and 1 to 3 February"),
    ],
)
def test_a_window_has_its_shares_less_the_average(asset, since, until, hours, shares):
    """In 2025, in UTC: the American session is from 13:00 to 21:00 on weekdays."""
    averages = {"weekend": 2 / 7, "us_session": 40 / 168, "month_turn": 48 / 365.2425}
    window = of_window(asset, at(2025, *since), at(2025, *until), hours)
    assert {name: window[name] + averages[name] for name in shares} == pytest.approx(shares)


def test_metals_have_no_weekend_and_a_session_of_8_in_23_hours():
    window = of_window("gold", at(2025, 1, 15), at(2025, 1, 16), 23.0)
    assert (window["weekend"], window["us_session"]) == (0, pytest.approx(0))


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


def assert_is_prefix(part: InputHistory, history: InputHistory) -> None:
    """Every row of `part` is, bit for bit, the same row of `whole`."""
    for asset, track in part.tracks.items():
        expected = series_of(history.tracks[asset])
        for name, values in series_of(track).items():
            np.testing.assert_array_equal(values, expected[name][: len(part.grid)])


def series_of(track: InputTrack) -> dict[str, np.ndarray]:
    series = {name: getattr(track.hours, name) for name in ("close", "open_hours", "returns")}
    return {**series, "fast": track.fast, "slow": track.slow, **track.inputs}


def cut(hourly: dict[str, Bars], instant: int) -> dict[str, Bars]:
    return {asset: bars.until(instant) for asset, bars in hourly.items()}


@pytest.mark.parametrize("days", [51, 60.5, 77, 100.25, 119])
def test_inputs_of_a_prefix_are_the_prefix_of_the_inputs(hourly, days):
    first = int(hourly["btc"].time[0])
    assert_is_prefix(survey(cut(hourly, first + int(days * DAY))), survey(hourly))


def test_inputs_are_nan_before_fifty_days(hourly):
    track = survey(hourly).tracks["btc"]
    for values in track.inputs.values():
        assert np.isnan(values[:LOOK_BACK_H]).all()
        assert np.isfinite(values[LOOK_BACK_H:]).all()


def test_variance_is_per_open_hour(hourly):
    """The made bars move 0.5% an open hour, metals over the gap of a weekend too."""
    history = survey(hourly)
    for asset in ("btc", "gold"):
        assert np.sqrt(history.tracks[asset].slow[-1]) == pytest.approx(0.005, rel=0.05)


def test_a_closed_market_does_not_age_its_volatility(hourly):
    """From Friday 22:00 to Sunday 22:00 UTC gold does not trade: its variance stays to the last bit."""
    history = survey(hourly)
    track = history.tracks["gold"]
    friday = history.grid.row_at(1_736_550_000)  # 2025-01-10T23:00:00Z
    assert len(set(track.fast[friday : friday + 40].tolist())) == 1
    assert not track.hours.has_bar[friday : friday + 40].any()


def test_without_other_coins_only_breadth_is_missing(hourly):
    inputs = survey({"btc": hourly["btc"]}).tracks["btc"].inputs
    unknown = {name for name, values in inputs.items() if not np.isfinite(values).any()}
    assert unknown == {"peers_24h", "peers_rising", "leader_4h", "leader_gap_24h"}


def test_moves_are_in_sigmas_of_180_days(hourly):
    history = survey(hourly)
    bars, track = hourly["eth"], history.tracks["eth"]
    expected = np.log(bars.close[-1] / bars.close[-25]) / np.sqrt(24 * track.slow[-1])
    assert track.inputs["move_24h"][-1] == pytest.approx(expected)
