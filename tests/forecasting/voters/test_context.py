"""The inputs of the voters: only data that was complete at its instant, and every input in words."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from types import SimpleNamespace

import numpy as np
import pytest

from service.forecasting.voters.context import Context, Knowledge, build_all, recall
from service.forecasting.voters.inputs import INPUTS, LOOK_BACK_H, NEEDED_H, describe, of_window, survey
from service.market.assets import ASSETS
from service.market.bars import LAST_SECOND
from service.market.instants import DAY, HOUR
from tests.forecasting.made import FIRST, NOW, made_bars, returns_of

WEDNESDAY = 1_741_791_600  # 2025-03-12T15:00:00Z, 70 days after the first bar
SUNDAY = 1_741_521_600  # 2025-03-09T12:00:00Z


def test_a_context_needs_the_last_seven_months_alone():
    """Nine months of two coins, and of a metal, whose windows count open hours: equal to the row up to rounding."""
    bars = {asset: made_bars(asset, 270, seed) for seed, asset in enumerate(("btc", "eth", "gold"))}
    assert len(bars["btc"]) > NEEDED_H
    expected = recall(survey(bars), bars, LAST_SECOND)
    for asset, context in build_all(bars).items():
        values = context.to_plain()
        for name, value in expected[asset].to_plain().items():
            assert values[name] == (pytest.approx(value, rel=1e-7, abs=1e-11) if name != "asset" else value)


def test_a_context_holds_what_was_complete(hourly):
    """A bar counts from its end on. On Sunday at noon the last bar of gold is Friday's, and the context says so."""
    earlier = build_all(hourly, WEDNESDAY).get("btc")
    assert build_all(hourly, WEDNESDAY + HOUR - 1).get("btc") == earlier
    assert build_all(hourly, WEDNESDAY + HOUR).get("btc") != earlier
    contexts = build_all(hourly, SUNDAY)
    assert contexts["btc"].as_of == SUNDAY
    assert contexts["gold"].as_of == SUNDAY - 38 * HOUR, "Friday 17:00 in New York, 2025-03-07T22:00:00Z"
    assert contexts["gold"].spot == hourly["gold"].until(SUNDAY).close[-1]


def test_a_context_survives_json_without_loss(contexts, hourly):
    """A short history is null, not NaN."""
    early = build_all(hourly, FIRST + 20 * DAY)["btc"]
    assert early.history_days == pytest.approx(20)
    assert set(early.inputs.values()) == {None}
    for context in (early, *contexts.values()):
        assert Context.from_plain(json.loads(json.dumps(context.to_plain(), allow_nan=False))) == context


def test_without_a_bar_there_is_no_context(hourly):
    """Before the first fit there is an empty record and no evidence."""
    knowledge = Knowledge({"btc": SimpleNamespace(spot=94_000.0), "gold": SimpleNamespace(spot=3_200.0)})
    assert knowledge.spots == {"btc": 94_000.0, "gold": 3_200.0}
    assert (knowledge.fits, knowledge.record.bands, knowledge.lead) == (None, {}, 0.0)
    assert build_all(hourly, FIRST).get("btc") is None
    assert build_all({}, WEDNESDAY) == {}


def test_the_correlation_is_that_of_the_common_hours(hourly):
    """Gold trades fewer hours than bitcoin: the same hours are compared, over 30 days."""
    past = [hourly[asset].until(WEDNESDAY) for asset in ("btc", "gold")]
    btc, gold = (dict(zip(bars.time.tolist(), returns_of(bars), strict=True)) for bars in past)
    common = [time for time in gold if time >= WEDNESDAY - 30 * DAY]
    expected = np.corrcoef([btc[time] for time in common], [gold[time] for time in common])[0, 1]
    assert build_all(hourly, WEDNESDAY)["btc"].correlations["gold"] == pytest.approx(expected)
    assert build_all(hourly, FIRST + 9 * DAY)["btc"].correlations["eth"] is None, "ten common days are needed"


@pytest.mark.parametrize("assets", [tuple(ASSETS), ("btc", "gold")])
def test_a_later_panel_recalls_earlier_contexts(hourly, assets):
    """Bit for bit, at hours of the week, on the hour and between, from the first bar to the last."""
    bars = {asset: hourly[asset] for asset in assets}
    history = survey(bars)
    for instant in range(FIRST, NOW + 1, 97 * HOUR + 1234):
        assert recall(history, bars, instant) == build_all(bars, instant)
    assert recall(history, bars, NOW, ("gold",)) == {"gold": build_all(bars, NOW)["gold"]}


def test_what_begins_late_or_is_missing_is_recalled(hourly):
    """Ethereum begins after 55 days, silver after 80; a feed was down for a day; on a Sunday there are metals alone."""
    begins = {"eth": FIRST + 55 * DAY, "silver": FIRST + 80 * DAY}
    bars = {asset: series.since(begins.get(asset, FIRST)) for asset, series in hourly.items()}
    history = survey(bars)
    for day in (1, 54, 55, 56, 70, 79, 80, 81, 110):
        instant = FIRST + day * DAY
        assert recall(history, bars, instant) == build_all(bars, instant)
    contexts = recall(history, bars, begins["eth"] - HOUR)
    assert "eth" not in contexts
    assert contexts["sol"].inputs["peers_24h"] is not None, "until then breadth is that of the coins there are"
    partial = {asset: bars[bars.time // DAY != WEDNESDAY // DAY] for asset, bars in hourly.items()}
    metals = {asset: hourly[asset] for asset in ("gold", "silver")}
    for bars, instant in ((partial, WEDNESDAY), (metals, WEDNESDAY + 4 * DAY)):
        assert recall(survey(bars), bars, instant) == build_all(bars, instant)


def at(year: int, month: int, day: int, hour: int = 0) -> int:
    return int(datetime(year, month, day, hour, tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    ("asset", "since", "until", "hours", "shares"),
    [
        pytest.param("btc", (1, 8, 5), (1, 15, 5), 168.0, {"weekend": 2 / 7, "us_session": 5 / 21}, id="a whole week"),
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


def test_a_window_of_metals_and_of_a_leap_year():
    """Metals have no weekend and a session of 8 in 23 hours; a leap year ends February on the 29th."""
    window = of_window("gold", at(2025, 1, 15), at(2025, 1, 16), 23.0)
    assert (window["weekend"], window["us_session"]) == (0, pytest.approx(0))
    assert of_window("btc", at(2024, 2, 28), at(2024, 2, 29), 24.0)["month_turn"] < 0
    assert of_window("btc", at(2024, 2, 29), at(2024, 3, 1), 24.0)["month_turn"] == pytest.approx(1 - 48 / 365.2425)


def test_every_input_can_be_worded():
    """The peers of a metal are not other coins."""
    assert [name for name in INPUTS if re.search("{|nan", describe(name, 0.25, "btc"))] == []
    for asset, peers in (("btc", "other coins"), ("gold", "coins")):
        assert describe("peers_24h", 2.0, asset) == f"{peers}' 24-hour move of +2.0 sigma"
        assert describe("peers_rising", 0.25, asset) == f"75% of the {peers} up over 7 days"


def test_inputs_are_nan_before_fifty_days(hourly):
    """Without other coins those of breadth are missing, and no others."""
    for values in survey(hourly).tracks["btc"].inputs.values():
        assert np.isnan(values[:LOOK_BACK_H]).all()
        assert np.isfinite(values[LOOK_BACK_H:]).all()
    inputs = survey({"btc": hourly["btc"]}).tracks["btc"].inputs
    unknown = {name for name, values in inputs.items() if not np.isfinite(values).any()}
    assert unknown == {"peers_24h", "peers_rising", "leader_4h", "leader_gap_24h"}


def test_variance_is_per_open_hour(hourly):
    """The made bars move 0.5% an open hour; from Friday to Sunday 22:00 UTC that of gold stays to the last bit."""
    history = survey(hourly)
    for asset in ("btc", "gold"):
        assert np.sqrt(history.tracks[asset].slow[-1]) == pytest.approx(0.005, rel=0.05)
    track, friday = history.tracks["gold"], history.grid.row_at(1_736_550_000)  # 2025-01-10T23:00:00Z
    assert len(set(track.fast[friday : friday + 40].tolist())) == 1
    assert not track.hours.has_bar[friday : friday + 40].any()
    bars, track = hourly["eth"], history.tracks["eth"]
    move = np.log(bars.close[-1] / bars.close[-25]) / np.sqrt(24 * track.slow[-1])
    assert track.inputs["move_24h"][-1] == pytest.approx(move), "moves are in sigmas of 180 days"
