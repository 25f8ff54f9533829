"""The stored bars as pages of JSON, CSV and Parquet."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
from flask.testing import FlaskClient

from service.api.responses import PARQUET
from service.bar_files import read_bars
from service.forecasting.densities.models import MODELS
from service.forecasting.voters.price_forecasts import HORIZONS, PERCENTS
from service.market.assets import open_at
from service.market.bars import Bars, resample
from service.market.instants import DAY, HOUR, iso
from service.market.prices import CandlesDocument
from service.store import bars, snapshots
from tests.api.conftest import NOON
from tests.api.opened import tell_prices
from tests.api.opened import walk as walk_pages
from tests.api.web import STEP, refusal_of
from tests.running_service import RunningService, copied, running_service
from tests.store.test_bars import walk

PATH = "/api/v1/candles"
DAYS = 6
START = NOON // DAY * DAY - DAYS * DAY
FIELDS = ("open", "high", "low", "close", "volume")


def stored(sqlite, asset: str, series: Bars) -> Bars:
    """Bars of five minutes are stored, with their hours."""
    with sqlite.writing() as db:
        bars.add_bars(db, asset, series)
        bars.renew_bars(db, asset, resample(series, HOUR))
    return series


@pytest.fixture
def bitcoin(sqlite) -> Bars:
    """Six days and a half of bitcoin."""
    tell_prices(sqlite)
    return stored(sqlite, "btc", walk(np.arange(START, NOON, STEP)))


def listed(client: FlaskClient, **query) -> list[dict]:
    """The bars of a page."""
    answer = client.get(PATH, query_string={"asset": "btc"} | query)
    assert answer.status_code == 200, answer.text
    return answer.json["bars"]


@pytest.mark.parametrize(("limit", "calls"), [(100, 1), (5_000, 1), (10_000, 2)])
def test_a_page_of_many_bars_counts_as_several_requests(client: FlaskClient, sqlite, limit: int, calls: int):
    """Once more for each 10,000 stored bars that it is computed from, in every format."""
    tell_prices(sqlite)
    stored(sqlite, "btc", walk(np.arange(NOON - 40 * DAY, NOON, STEP)))
    query = {"asset": "btc", "interval": "5m", "limit": limit}
    for number, media in enumerate(("application/json", "text/csv"), 1):
        answer = client.get(PATH, query_string=query, headers={"Accept": media})
        assert answer.status_code == 200
        assert answer.headers["X-RateLimit-Remaining"] == str(120 - number * calls)


def as_rows(series: Bars) -> list[dict]:
    """Bars as they are published."""
    return [{"time": iso(time), **dict(zip(FIELDS, values, strict=True))} for time, *values in series.rows()]


@pytest.mark.parametrize("interval", ["5m", "1h", "1d"])
def test_bars_are_those_of_the_store(client: FlaskClient, bitcoin, check_schema, interval: str):
    answer = client.get(PATH, query_string={"asset": "btc", "interval": interval, "limit": 10_000})
    step = {"5m": STEP, "1h": HOUR, "1d": DAY}[interval]
    series = resample(resample(bitcoin, min(step, HOUR)), step)
    assert answer.json["bars"] == as_rows(series)
    assert list(answer.json) == list(CandlesDocument.__dataclass_fields__)
    head = {name: value for name, value in answer.json.items() if name != "bars"}
    plain = {"schema": "candles/1", "world": "simulated", "asset": "btc", "source": "made", "volume_unit": "BTC"}
    assert head == plain | {"interval": interval, "step_s": step, "count": len(series), "next": None}
    check_schema(PATH, answer.json)


def test_pages_join_to_the_whole(client: FlaskClient, bitcoin):
    rows = walk_pages(client, f"{PATH}?asset=btc&interval=1d&limit=2", "bars")
    assert rows == listed(client, interval="1d")
    assert len(rows) == DAYS
    cursor = client.get(f"{PATH}?asset=btc&limit=1").json["next"]
    refusal = client.get(f"{PATH}?asset=btc&interval=5m&cursor={cursor}")
    assert refusal_of(refusal) == (400, "invalid_request", "cursor")


def test_the_window_is_of_whole_bars(client: FlaskClient, bitcoin):
    """A bar opens at `since` or later and is complete at `until`; a date stands for its whole day."""
    window = {"since": iso(START + 1), "until": iso(START + 3 * HOUR - 1)}
    assert [row["time"] for row in listed(client, **window)] == [iso(START + HOUR)]
    day = iso(START + DAY)[:10]
    assert [row["time"] for row in listed(client, interval="1d", since=day, until=day)] == [f"{day}T00:00:00Z"]


def test_a_friday_of_metals_ends_with_the_next_bar(client: FlaskClient, sqlite, wall):
    """Its last hours are closed, so only the bars of Sunday show that it is complete."""
    tell_prices(sqlite, "gold")
    times = np.arange(START - 7 * DAY, NOON, STEP)
    series = walk(times[open_at("gold", times)])
    friday = (START // DAY - 1) // 7 * 7 * DAY + DAY
    window = {"asset": "gold", "interval": "1d", "since": iso(friday)[:10], "until": iso(friday + DAY)[:10]}
    stored(sqlite, "gold", series.until(friday + 2 * DAY))
    assert listed(client, **window) == []
    stored(sqlite, "gold", series)
    (row,) = listed(client, **window)
    of_day = series.since(friday).until(friday + DAY)
    assert (row["time"], row["close"], len(of_day)) == (iso(friday), float(of_day.close[-1]), 22 * 12)


def test_the_files_have_the_bars_of_the_page(client: FlaskClient, bitcoin):
    """The CSV file is one that a replay reads."""
    page, series = f"{PATH}?asset=btc&interval=5m&limit=500", bitcoin[:500]
    answers = [client.get(page, headers={"Accept": media}) for media in ("text/csv", PARQUET)]
    assert all('rel="next"' in answer.headers["Link"] for answer in answers)
    assert answers[0].headers["Content-Type"] == "text/csv; charset=utf-8"
    assert read_bars("btc.csv", answers[0].data).rows.tolist() == [list(map(float, row)) for row in series.rows()]
    file = pyarrow.parquet.read_table(io.BytesIO(answers[1].data))
    assert [time.timestamp() for time in file["time"].to_pylist()] == series.time.tolist()
    assert [file[name].to_pylist() for name in FIELDS] == [getattr(series, name).tolist() for name in FIELDS]


def test_a_past_page_is_kept_for_an_hour(client: FlaskClient, bitcoin):
    page = client.get(f"{PATH}?asset=btc&interval=5m")
    past = client.get(f"{PATH}?asset=btc&until={iso(START + DAY)}")
    last = client.get(f"{PATH}?asset=btc&limit=10000")
    ages = [answer.headers["Cache-Control"].split(",")[1] for answer in (page, past, last)]
    assert ages == [" max-age=3600", " max-age=3600", " max-age=5"]
    revalidation = client.get(f"{PATH}?asset=btc&interval=5m", headers={"If-None-Match": page.headers["ETag"]})
    assert (revalidation.status_code, revalidation.data) == (304, b"")
    assert "Accept" in page.headers.getlist("Vary")


def test_hourly_worlds_have_no_shorter_bars(make_app, sqlite, bitcoin):
    app = make_app(sqlite)
    app.extensions["ninefold"] = replace(app.extensions["ninefold"], step=HOUR)
    refusal = app.test_client().get(f"{PATH}?asset=btc&interval=5m")
    assert refusal_of(refusal) == (400, "invalid_request", "interval")
    message = "must be 1h or 1d: the source of this world has bars of 3600 seconds"
    assert refusal.json["errors"][0]["message"] == message
    assert len(listed(app.test_client())) == (NOON - START) // HOUR


def test_without_bars_an_asset_is_not_found_or_not_yet_there(client: FlaskClient, request):
    assert client.get(f"{PATH}?asset=btc").status_code == 503
    request.getfixturevalue("bitcoin")
    assert refusal_of(client.get(f"{PATH}?asset=silver")) == (404, "not_found")


FORECAST = "/api/v1/forecasts/btc"


@pytest.fixture(scope="module")
def service(seeded: Path, tmp_path_factory) -> Iterator[RunningService]:
    with running_service(copied(seeded, tmp_path_factory.mktemp("forecasts"))) as service:
        yield service


@pytest.fixture
def reader(service: RunningService) -> FlaskClient:
    """Who reads the forecasts of the service."""
    return service.client


def test_a_forecast_has_every_horizon_quantile_and_voter(reader: FlaskClient):
    forecast = reader.get(FORECAST).json
    assert (forecast["schema"], forecast["asset"], forecast["world"]) == ("forecast/1", "btc", "simulated")
    assert forecast["sources"]["btc"] == "simulated (seed 42)"
    assert [horizon["horizon"] for horizon in forecast["horizons"]] == list(HORIZONS)
    for horizon in forecast["horizons"]:
        assert list(horizon["voters"]) == list(MODELS)
        assert list(horizon["quantiles"]) == [str(percent) for percent in PERCENTS]


def test_many_levels_are_answered_as_the_oracle_answers_each(service, reader: FlaskClient):
    """The probabilities fall from level to level; ranges between them add up, and P(YES) of a question is the same."""
    service.register()
    price = reader.get(FORECAST).json["price"]
    levels = [round(price * share, 2) for share in (0.9, 0.95, 1.0, 1.05, 1.1)]
    document = reader.get(f"{FORECAST}?levels={','.join(map(str, levels))}&at=2026-11-29").json
    assert (document["schema"], document["until"]) == ("forecast-levels/1", "2026-11-30T00:00:00Z")
    assert [row["level"] for row in document["levels"]] == levels
    p = [row["p_above"] for row in document["levels"]]
    assert p == sorted(p, reverse=True)
    answer = service.ask(f"Will Bitcoin be above {levels[3]} on 29 November 2026?").get_json()
    assert p[3] == pytest.approx(answer["p_yes"], abs=0.0011)
    assert reader.get(f"{FORECAST}?levels={levels[0]}").json["until"] == iso(int(service.wall) + DAY)


def test_an_instant_in_a_day_has_the_horizon_of_a_day(service, reader: FlaskClient, check_schema):
    """Up to the minutes since the bar that the document was renewed with; a date months ahead, quantiles at its end."""
    day = reader.get(f"{FORECAST}?horizon=24h").json
    document = reader.get(f"{FORECAST}?at={iso(int(service.wall) + DAY)}").json
    check_schema("/api/v1/forecasts/{asset}", document)
    assert document.keys() == day.keys()
    (horizon,), (expected,) = document["horizons"], day["horizons"]
    assert (horizon["horizon"], horizon["voters"].keys()) == ("24h", expected["voters"].keys())
    assert horizon["quantiles"] == pytest.approx(expected["quantiles"], rel=1e-3)
    (horizon,) = reader.get("/api/v1/forecasts/silver?at=2027-06-30").json["horizons"]
    assert horizon["until"] == "2027-07-01T00:00:00Z"


def test_forecasts_of_an_earlier_hour_are_those_of_the_ledger(reader: FlaskClient):
    """Within the hour that was recorded; the pool alone, with the quantiles of its central intervals."""
    (entry,) = reader.get("/api/v1/ledger?kind=price_forecast&limit=1").json["entries"]
    at = entry["body"]["at"]
    document = reader.get(f"{FORECAST}?as_of={at[:14]}59:00Z").json
    row = entry["body"]["forecasts"]["btc"]
    assert (document["timestamp"], document["price"], document["price_as_of"]) == (at, row["price"], row["as_of"])
    assert document["sources"]["forecast"].startswith(f"row {entry['seq']} of the ledger")
    for horizon in document["horizons"]:
        law = dict(zip(entry["body"]["columns"], row[horizon["horizon"]], strict=True))
        assert horizon["quantiles"]["75"] == pytest.approx(row["price"] * np.exp(law["within_50_pct"] / 100), rel=1e-6)
        assert (horizon["quantiles"]["50"], horizon["voters"]) == (pytest.approx(row["price"]), {})
    assert reader.get(f"{FORECAST}?as_of=2020-01-01").status_code == 404


@pytest.mark.parametrize(
    ("query", "field"),
    [
        *[("levels=0", "levels.0"), ("levels=1,x", "levels.1"), ("levels=" + ",".join(["1"] * 201), "levels")],
        *[("levels=1&horizon=1h", "levels"), ("horizon=1h&as_of=2026-11-01", "as_of")],
        *((f"at=2026-12-01&{other}", "at") for other in ("horizon=1h", "as_of=2026-11-01")),
        *((f"at={instant}", "at") for instant in ("2026-11-01", "1970-01-01T00:00:00Z", "2028-11-01")),
        *((f"levels=1&at={day}", "at") for day in ("2026-11-01", "2028-11-01")),
    ],
)
def test_levels_or_instants_of_no_sense_are_refused(reader: FlaskClient, query: str, field: str):
    assert refusal_of(reader.get(f"{FORECAST}?{query}")) == (400, "invalid_request", field)


def test_sample_paths_end_as_the_pool_says(reader: FlaskClient):
    """A table of prices from the last one on; half of the ends lie between the pooled quartiles."""
    answer = reader.get(f"{FORECAST}/paths?count=1000", headers={"Accept": PARQUET})
    table = pyarrow.parquet.read_table(io.BytesIO(answer.data))
    assert table.column_names == ["path", "voter", "time", "price"]
    assert answer.headers["Content-Disposition"] == 'attachment; filename="paths.parquet"'
    paths, prices = table["path"].to_numpy(), table["price"].to_numpy()
    ends = prices[np.append(np.diff(paths) > 0, True)]
    document = reader.get(f"{FORECAST}?horizon=24h").json
    quantiles = document["horizons"][0]["quantiles"]
    assert len(ends) == 1000
    assert set(table["voter"].to_pylist()) == set(MODELS)
    assert np.mean((ends > quantiles["25"]) & (ends < quantiles["75"])) == pytest.approx(0.5, abs=0.05)
    assert np.mean(ends > document["price"]) == pytest.approx(0.5, abs=0.01)
    assert reader.get(f"{FORECAST}/paths?count=2").text.splitlines()[0] == "path,voter,time,price"


def test_an_unknown_asset_is_told_which_there_are(client):
    """Before the first fit no asset has a forecast."""
    answer = client.get("/api/v1/forecasts/pepe")
    assert (answer.status_code, "btc, eth, sol" in answer.json["detail"]) == (404, True)
    assert client.get(FORECAST).status_code == 503


def test_an_asset_with_too_little_history_is_named(client, sqlite):
    """Where other assets have a forecast, the first run has finished."""
    with sqlite.writing() as db:
        snapshots.publish(db, 1, {"forecasts/btc": b"{}"})
    answer = client.get("/api/v1/forecasts/gold?horizon=1h")
    assert (answer.status_code, "Gold" in answer.json["detail"]) == (503, True)
    assert client.get(FORECAST).status_code == 200


def test_one_horizon_can_be_asked_alone(reader: FlaskClient):
    """The same forecast as in the whole document, with an ETag of its own."""
    document = reader.get(FORECAST)
    for horizon in document.json["horizons"]:
        path = f"{FORECAST}?horizon={horizon['horizon']}"
        part = reader.get(path)
        assert part.json == document.json | {"horizons": [horizon]}
        assert part.headers["Cache-Control"] == document.headers["Cache-Control"]
        tag = {"If-None-Match": part.headers["ETag"]}
        assert [reader.get(address, headers=tag).status_code for address in (path, FORECAST)] == [304, 200]


def test_the_record_is_a_document_of_two_books(reader: FlaskClient):
    answer = reader.get("/api/v1/forecasts/record")
    assert (answer.json["schema"], answer.json["world"]) == ("price-record/1", "simulated")
    assert [book["backfilled"] for book in answer.json["books"]] == [False, True]
    tag = {"If-None-Match": answer.headers["ETag"]}
    assert reader.get("/api/v1/forecasts/record", headers=tag).status_code == 304


def test_it_is_renewed_with_every_bar(service, reader: FlaskClient):
    """Also between full hours, when the voters are not fitted: it starts at the price that is published then."""
    for _ in range(3):
        service.move(300)
        for row in reader.get("/api/v1/prices").json["prices"][:2]:
            forecast = reader.get(f"/api/v1/forecasts/{row['asset']}").json
            assert forecast["as_of"] == forecast["price_as_of"] == row["as_of"]
            assert forecast["price"] == row["price"]
