"""The forecast of an asset's price, as a service publishes it after its first start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.forecasting.densities.views import VIEWS
from service.forecasting.voters.price_forecasts import HORIZONS, PERCENTS
from tests.running_service import RunningService, copied, running_service


@pytest.fixture(scope="module")
def running(seeded: Path, tmp_path_factory) -> Iterator[RunningService]:
    with running_service(copied(seeded, tmp_path_factory.mktemp("forecasts"))) as running:
        yield running


def test_a_forecast_has_every_horizon_quantile_and_voter(running):
    answer = running.client.get("/api/v1/forecasts/btc")
    assert answer.status_code == 200
    forecast = answer.json
    assert (forecast["schema"], forecast["asset"], forecast["world"]) == ("forecast/1", "btc", "simulated")
    assert forecast["sources"]["btc"] == "simulated (seed 42)"
    assert [horizon["horizon"] for horizon in forecast["horizons"]] == list(HORIZONS)
    for horizon in forecast["horizons"]:
        assert list(horizon["voters"]) == list(VIEWS)
        assert list(horizon["quantiles"]) == [str(percent) for percent in PERCENTS]
    unchanged = running.client.get("/api/v1/forecasts/btc", headers={"If-None-Match": answer.headers["ETag"]})
    assert unchanged.status_code == 304


def test_it_starts_at_the_price_that_is_published(running):
    prices = running.client.get("/api/v1/prices").json
    forecast = running.client.get("/api/v1/forecasts/eth").json
    (price,) = (row for row in prices["prices"] if row["asset"] == "eth")
    assert (forecast["price"], forecast["price_as_of"]) == (price["price"], price["as_of"])


def test_an_unknown_asset_is_told_which_there_are(client):
    answer = client.get("/api/v1/forecasts/doge")
    assert answer.status_code == 404
    assert "btc, eth, sol" in answer.json["detail"]


def test_before_the_first_fit_there_is_none(client):
    assert client.get("/api/v1/forecasts/btc").status_code == 503
