"""Where prices will be."""

from __future__ import annotations

from bot.messages.forecasts import forecast, forecasts
from tests.bot import documents
from tests.bot.messages.reading import text_of


def test_every_horizon_has_the_bounds_of_nine_tenths():
    document = documents.forecast()
    page = text_of(forecast(document))
    for horizon in document["horizons"]:
        low, high = (f"{horizon['quantiles'][level]:,.0f}" for level in ("5", "95"))
        (row,) = (row for row in page.split("\n") if row.startswith(horizon["horizon"] + " "))
        assert row.split()[1:] == [low, high]
    assert "90% of outcomes" in page


def test_all_assets_are_shown_for_the_next_day():
    """An asset whose market opens later has no forecast for that day, and no row."""
    gold = documents.forecast() | {"asset": "gold", "horizons": documents.forecast()["horizons"][3:]}
    page = text_of(forecasts([documents.forecast(), gold]))
    day = next(horizon for horizon in documents.forecast()["horizons"] if horizon["horizon"] == "24h")
    (row,) = (row for row in page.split("\n") if row.startswith("Bitcoin"))
    assert row.split()[1:] == [f"{day['quantiles'][level]:,.0f}" for level in ("5", "95")]
    assert "Gold" not in page


def test_without_any_forecast_the_reason_is_given():
    assert "while the market is open" in text_of(forecasts([]))
