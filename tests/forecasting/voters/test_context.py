"""A context holds only data that was complete at its instant."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

from service.forecasting.voters.context import Context, Knowledge, build_all, recall
from service.forecasting.voters.inputs import NEEDED_H, survey
from service.market.assets import ASSETS
from service.market.bars import LAST_SECOND
from service.market.instants import DAY, HOUR
from tests.forecasting.made import FIRST, NOW, made_bars

WEDNESDAY = 1_741_791_600  # 2025-03-12T15:00:00Z, 70 days after the first bar


def test_a_context_is_the_same_whether_or_not_the_future_is_stored(hourly):
    past = {asset: bars.until(WEDNESDAY) for asset, bars in hourly.items()}
    assert build_all(hourly, WEDNESDAY) == build_all(past, WEDNESDAY)


def test_a_context_is_the_row_of_its_history(hourly):
    """Requests and fits use the same numbers, bit for bit."""
    history = survey(hourly)
    row = history.row_at(WEDNESDAY)
    assert history.time_of(row) == WEDNESDAY
    for asset, context in build_all(hourly, WEDNESDAY).items():
        track = history.tracks[asset]
        assert context.fast == track.fast[row]
        assert context.slow == track.slow[row]
        for name, value in context.inputs.items():
            assert value == track.inputs[name][row]


def test_a_context_needs_the_last_seven_months_alone():
    """On made bars of nine months: of two coins, and of a metal, whose windows count open hours."""
    bars = {asset: made_bars(asset, 270, seed) for seed, asset in enumerate(("btc", "eth", "gold"))}
    assert len(bars["btc"]) > NEEDED_H
    assert_read_enough(bars)


@pytest.mark.slow
@pytest.mark.parametrize("days", [213, 333.5, 452])
def test_a_context_of_long_history_reads_all_it_needs(real_hourly, days):
    """It computes only the last NEEDED_H rows, and equals the row of the whole history up to rounding."""
    instant = int(real_hourly["btc"].time[0]) + int(days * DAY)
    past = {asset: bars.until(instant) for asset, bars in real_hourly.items()}
    assert len(past["btc"]) > NEEDED_H
    assert_read_enough(past)


def assert_read_enough(bars):
    expected = recall(survey(bars), bars, LAST_SECOND)
    for asset, context in build_all(bars).items():
        shown = context.to_plain()
        for name, value in expected[asset].to_plain().items():
            assert shown[name] == (pytest.approx(value, rel=1e-7, abs=1e-11) if name != "asset" else value)


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
        asset: dict(zip(each.time[1:].tolist(), np.diff(np.log(each.close)).tolist(), strict=True))
        for asset, each in bars.items()
    }
    common = [time for time in returns["gold"] if time >= WEDNESDAY - 30 * DAY]
    expected = np.corrcoef([returns["btc"][time] for time in common], [returns["gold"][time] for time in common])[0, 1]
    assert build_all(hourly, WEDNESDAY)["btc"].correlations["gold"] == pytest.approx(expected)
    early = int(hourly["btc"].time[0]) + 9 * DAY
    assert build_all(hourly, early)["btc"].correlations["eth"] is None, "ten common days are needed"


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
    bars = {asset: each.since(begins.get(asset, FIRST)) for asset, each in hourly.items()}
    history = survey(bars)
    for day in (1, 54, 55, 56, 70, 79, 80, 81, 110):
        instant = FIRST + day * DAY
        assert recall(history, bars, instant) == build_all(bars, instant)
    contexts = recall(history, bars, begins["eth"] - HOUR)
    assert "eth" not in contexts
    assert contexts["sol"].inputs["peers_24h"] is not None


def test_with_missing_hours_the_last_complete_one_is_recalled(hourly):
    """A feed that was down for a day, and a Sunday with metals alone."""
    away = (WEDNESDAY, WEDNESDAY + DAY)
    holed = {asset: bars[(bars.time < away[0]) | (bars.time >= away[1])] for asset, bars in hourly.items()}
    metals = {asset: hourly[asset] for asset in ("gold", "silver")}
    for bars, instant in ((holed, WEDNESDAY + 9 * HOUR), (metals, WEDNESDAY + 4 * DAY)):
        assert recall(survey(bars), bars, instant) == build_all(bars, instant)
