"""The forecast panel: the fan of a price, and the record of such forecasts."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from notebooks.widgets import ForecastPanel
from notebooks.widgets.base.theme import PALETTES
from notebooks.widgets.base.wording import price
from notebooks.widgets.forecast.panel import LEVELS, fan_curves, past_prices, shown_horizons
from tests.notebooks.conftest import click


@pytest.fixture
def panel(open_panel, stub) -> ForecastPanel:
    return open_panel(ForecastPanel, stub)


def horizon(panel: ForecastPanel, name: str) -> dict[str, Any]:
    return next(entry for entry in panel.document["forecast"]["horizons"] if entry["horizon"] == name)


def record(panel: ForecastPanel, name: str, backfilled: bool = True) -> dict[str, Any]:
    books = {book["backfilled"]: book["horizons"] for book in panel.document["record"]["books"]}
    return next(row["all"] for row in books[backfilled] if row["horizon"] == name)


def with_records(**changes: Any):
    """Changes every record of all assets that has a resolved forecast."""

    def changed(document: dict[str, Any]) -> dict[str, Any]:
        for book in document["books"]:
            for row in book["horizons"]:
                row["all"] |= changes if row["all"]["n"] else {}
        return document

    return changed


def texts(panel: ForecastPanel) -> list[str]:
    return [annotation.text for annotation in panel.figure.layout.annotations]


@pytest.mark.parametrize(("reach", "dots"), [("24h", ["1h", "6h", "24h"]), ("30d", ["24h", "3d", "7d", "14d", "30d"])])
def test_the_fan_ends_at_the_selected_horizon(panel, reach, dots):
    panel.reach.value = reach
    quantiles = horizon(panel, reach)["quantiles"]
    assert list(panel.fan.horizons.ids) == dots
    for trace, low, high in zip(panel.fan.bands, ("5", "25"), ("95", "75"), strict=True):
        half = len(trace.x) // 2
        assert trace.y[half - 1 : half + 1] == pytest.approx((quantiles[low], quantiles[high]))
        assert pd.Timestamp(trace.x[half], tz="UTC") == pd.Timestamp(horizon(panel, reach)["until"])
    expected = [f"{level}%: {price(quantiles[level])}" for level in ("5", "25", "50", "75", "95")]
    assert set(expected) <= set(texts(panel))


def test_the_past_is_the_price_up_to_the_forecast(panel):
    document = panel.document
    closes = {pd.Timestamp(bar["time"]) + pd.Timedelta("1h"): bar["close"] for bar in document["candles"]["bars"]}
    curve = dict(zip(pd.to_datetime(panel.fan.past.x, utc=True), panel.fan.past.y, strict=True))
    last = pd.Timestamp(document["forecast"]["as_of"])
    assert curve.pop(last) == document["forecast"]["price"]
    assert len(curve) > 100
    assert curve == {time: close for time, close in closes.items() if last - pd.Timedelta(days=7) <= time < last}


def test_the_title_has_the_interval_and_its_coverage(open_panel, stub):
    stub.changes["forecast_record"] = with_records(n=4_000, n_eff=30.0, coverage_pct={"90": 87.46})
    panel = open_panel(ForecastPanel, stub)
    low, high = (price(horizon(panel, "7d")["quantiles"][level]) for level in ("5", "95"))
    title = panel.figure.layout.title
    assert title.text == f"Bitcoin after 7d: 90% between {low} and {high} USD; 87.5% of 4,000 such intervals held"
    assert "SIMULATED market" in title.subtitle.text
    assert "n 4,000, effective n 30" in title.subtitle.text
    assert "BACKFILLED" in title.subtitle.text


def test_fewer_than_thirty_independent_ones_are_not_judged(open_panel, stub):
    stub.changes["forecast_record"] = with_records(n_eff=29.9)
    panel = open_panel(ForecastPanel, stub)
    assert panel.figure.layout.title.text.endswith(" USD; too few have resolved to judge it")


def test_the_calibration_is_that_of_the_horizon(panel):
    panel.reach.value = "24h"
    row = record(panel, "24h")
    assert list(panel.calibration.tenths.y) == row["pit_pct"]
    assert len(row["pit_pct"]) == 10
    assert list(panel.calibration.coverage.x) == list(row["coverage_pct"]) == ["50", "80", "90", "98"]
    assert list(panel.calibration.coverage.y) == list(row["coverage_pct"].values())
    assert list(panel.calibration.nominal.y) == [50, 80, 90, 98]
    assert f"n {row['n']:,}" in panel.calibration.coverage.customdata[0]


def test_each_score_has_its_interval(panel):
    ratios = panel.calibration.ratios
    rows = [record(panel, name) for name in ratios.y]
    assert rows
    assert list(ratios.x) == [row["crps_ratio"] for row in rows]
    ends = [x + up for x, up in zip(ratios.x, ratios.error_x.array, strict=True)]
    assert ends == pytest.approx([row["crps_ratio"] if row["high"] is None else row["high"] for row in rows])


def test_a_book_without_a_resolved_forecast_is_not_drawn(panel):
    """The live book of a new service: only the fan is left, and the figure is shorter."""
    height = panel.figure.layout.height
    assert record(panel, "7d", backfilled=False)["n"] == 0
    panel.book.value = False
    assert not len(panel.calibration.tenths.y)
    assert not len(panel.calibration.coverage.y)
    assert not any(panel.figure.layout[f"xaxis{axis}"].visible for axis in ("2", "3"))
    assert panel.figure.layout.height < height
    domains = [panel.figure.layout[f"yaxis{axis}"].domain for axis in ("", "2", "3", "4")]
    assert domains[0] == (0, 1)
    assert all(high < 0.01 for _low, high in domains[1:])
    subtitle = panel.figure.layout.title.subtitle.text
    assert "no 7d forecast has resolved yet · live: recorded before the outcome" in subtitle


def test_it_opens_the_live_book_after_eight_weeks(open_panel, stub):
    def measured(document):
        document["books"][0]["horizons"][0]["all"]["needed"] = 30
        return document

    assert open_panel(ForecastPanel, stub).book.value is True
    stub.changes["forecast_record"] = measured
    assert open_panel(ForecastPanel, stub).book.value is False


def test_a_click_on_a_horizon_shows_its_quantiles(panel):
    """Those of the pool, and the volatility that each voter expects; another reach forgets the click."""
    trace = panel.fan.horizons
    click(trace, list(trace.ids).index("3d"))
    choice = horizon(panel, "3d")
    assert "after 3d" in panel.detail.value
    for percent, value in choice["quantiles"].items():
        assert f"<td>{percent}% below</td><td>{price(value)}</td>" in panel.detail.value
    for voter, view in choice["voters"].items():
        assert f"<td>{voter}</td><td>{view['sigma_pct']:.3f}</td>" in panel.detail.value
    assert list(trace.marker.color).count(PALETTES["light"].ink) == 1
    panel.reach.value = "24h"
    assert panel.detail.value == ""


def test_a_click_on_a_recorded_horizon_shows_its_record(panel):
    panel.reach.value = "24h"
    assert panel.detail.value == ""
    click(panel.fan.horizons, list(panel.fan.horizons.ids).index("24h"))
    assert "resolved 24h forecasts of all assets" in panel.detail.value
    assert f'<td class="number">{record(panel, "24h")["n"]:,}</td>' in panel.detail.value


def test_another_asset_is_requested_and_drawn(panel):
    assert {"btc", "eth", "gold"} <= set(panel.asset.options)
    panel._first_response.clear()
    panel.asset.value = "eth"
    assert panel.wait_until_loaded()
    assert panel.figure.layout.title.text.startswith("Ethereum after 7d")
    assert panel.asset.value == "eth"


def test_a_forecast_costs_no_calls(panel, client):
    before = client.usage()["quota"]["remaining"]
    panel.refresh()
    assert client.usage()["quota"]["remaining"] == before
    assert panel.fault is None


def test_the_name_of_an_asset_is_escaped(panel, stub):
    stub.changes["forecast"] = lambda document: {**document, "name": "<script>"}
    panel.refresh()
    assert "<script" not in panel.figure.layout.title.text + panel.detail.value


def test_the_first_asset_is_the_chosen_one(open_panel, stub):
    """The list of assets arrives with the first document and leaves the selection, without another request."""
    panel = open_panel(ForecastPanel, stub, asset="eth")
    assert (panel.asset.value, panel.document["forecast"]["asset"]) == ("eth", "eth")
    assert "btc" in panel.asset.options
    assert [call for call in stub.calls if call[0] == "forecast"] == [("forecast", "eth")]


def made_horizon(name: str, until: str, price: float) -> dict[str, Any]:
    return {"horizon": name, "until": until, "quantiles": dict.fromkeys(LEVELS, price)}


HOUR, DAY = made_horizon("1h", "2026-11-23T08:00:00Z", 100.0), made_horizon("24h", "2026-11-24T07:00:00Z", 200.0)
MONTH = made_horizon("30d", "2026-12-23T07:00:00Z", 400.0)
FORECAST = {"as_of": "2026-11-23T07:00:00Z", "price": 50.0, "horizons": [HOUR, DAY, MONTH]}


def test_a_quantile_grows_with_the_root_of_time():
    """Half-way in the root of time from 7:00 to 8:00, at 7:15, the price is the geometric mean of 50 and 100."""
    curves = fan_curves(FORECAST, HOUR)
    series = pd.Series(curves.prices["95"], curves.times.tz_localize("UTC"))
    index = series.index.union(pd.DatetimeIndex(["2026-11-23T07:15:00Z"]))
    assert series.reindex(index).interpolate("time")[pd.Timestamp("2026-11-23T07:15:00Z")] == pytest.approx(
        70.7, abs=0.1
    )


def test_the_fan_meets_every_quantile_up_to_its_reach():
    curves = fan_curves(FORECAST, DAY)
    series = pd.Series(curves.prices["5"], curves.times.tz_localize("UTC"))
    assert series.iloc[0] == pytest.approx(50.0)
    assert series[pd.Timestamp(HOUR["until"])] == pytest.approx(100.0)
    assert (series.index[-1], series.iloc[-1]) == (pd.Timestamp(DAY["until"]), pytest.approx(200.0))


def test_the_past_is_as_long_as_the_reach():
    """A close is at the end of its bar; the last point is the price of the forecast, and later bars are not shown."""
    hours = ("05:00", "06:00", "07:00")
    bars = [{"time": f"2026-11-23T{hour}:00Z", "close": float(place)} for place, hour in enumerate(hours)]
    times, prices = past_prices(FORECAST, {"step_s": 3600, "bars": bars}, HOUR)
    assert [f"{time:%H:%M}" for time in times] == ["06:00", "07:00"]
    assert prices.tolist() == [0.0, 50.0]


def test_a_horizon_near_the_beginning_has_no_dot():
    """1 hour is less than a thirtieth of 30 days; a day is a thirtieth."""
    assert shown_horizons(FORECAST, MONTH) == [DAY, MONTH]
    assert shown_horizons(FORECAST, DAY) == [HOUR, DAY]
