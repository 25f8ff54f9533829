"""The forecast of an asset's price, as a service publishes it after its first start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.forecasting.densities.models import MODELS
from service.forecasting.voters.price_forecasts import HORIZONS, PERCENTS
from service.store import snapshots
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
        assert list(horizon["voters"]) == list(MODELS)
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


def test_an_asset_with_too_little_history_is_named(client, sqlite):
    """Where other assets have a forecast, the first run has finished."""
    with sqlite.writing() as db:
        snapshots.save(db, "forecasts/btc", 1, b"{}")
    answer = client.get("/api/v1/forecasts/gold?horizon=1h")
    assert answer.status_code == 503
    assert "Gold" in answer.json["detail"]
    assert client.get("/api/v1/forecasts/btc").status_code == 200


def test_one_horizon_can_be_asked_alone(running):
    """The same forecast as in the whole document, with an ETag of its own."""
    whole = running.client.get("/api/v1/forecasts/btc")
    for horizon in whole.json["horizons"]:
        alone = running.client.get(f"/api/v1/forecasts/btc?horizon={horizon['horizon']}")
        assert alone.json == whole.json | {"horizons": [horizon]}
        assert alone.headers["ETag"] != whole.headers["ETag"]
        assert alone.headers["Cache-Control"] == whole.headers["Cache-Control"]
        tag = {"If-None-Match": alone.headers["ETag"]}
        assert running.client.get(f"/api/v1/forecasts/btc?horizon={horizon['horizon']}", headers=tag).status_code == 304
        assert running.client.get("/api/v1/forecasts/btc", headers=tag).status_code == 200


def test_an_unknown_horizon_is_told_which_there_are(client):
    answer = client.get("/api/v1/forecasts/btc?horizon=25h")
    assert answer.status_code == 400
    (fault,) = answer.json["errors"]
    assert fault["field"] == "horizon"
    assert all(f"'{horizon}'" in fault["message"] for horizon in HORIZONS)


def test_the_record_is_a_document_of_two_books(running):
    answer = running.client.get("/api/v1/forecasts/record")
    assert (answer.status_code, answer.json["schema"], answer.json["world"]) == (200, "price-record/1", "simulated")
    assert [book["backfilled"] for book in answer.json["books"]] == [False, True]
    unchanged = running.client.get("/api/v1/forecasts/record", headers={"If-None-Match": answer.headers["ETag"]})
    assert unchanged.status_code == 304


def test_the_ledger_lists_the_committed_forecasts(running):
    page = running.client.get("/api/v1/ledger?kind=price_forecast&limit=2").json
    assert [entry["kind"] for entry in page["entries"]] == ["price_forecast"] * 2
    assert {"btc", "eth"} <= page["entries"][0]["body"]["forecasts"].keys()


def test_it_is_renewed_with_every_bar(running):
    """Also between full hours, when the voters are not fitted; so it is never stale while bars arrive."""
    for _ in range(3):
        running.move(300)
        forecast = running.client.get("/api/v1/forecasts/btc").json
        prices = running.client.get("/api/v1/prices").json["prices"]
        assert forecast["as_of"] == forecast["price_as_of"] == prices[0]["as_of"]
