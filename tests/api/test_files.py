"""A table is sent as a file where a request prefers one to JSON."""

from __future__ import annotations

import csv
import io

import pyarrow.parquet
import pytest
from flask.testing import FlaskClient

from service.api.encoding import PARQUET
from service.api.files import CSV
from service.trading.fund import fund_document, run
from tests.api.conftest import NOON
from tests.api.opened import header
from tests.forecasting.made import made_bars

PATH, DAY, HOUR = "/api/apex/fund", 86400, 3600


@pytest.fixture
def fund(publish) -> None:
    """Twenty days of the fund."""
    start = NOON - 20 * DAY
    calls = [(at, 0.45 if place % 2 else 0.55) for place, at in enumerate(range(start, NOON, 4 * HOUR))]
    publish("apex-fund", NOON, fund_document(run(calls, made_bars("btc", 20, 1, start), start), None, header()))


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("text/csv", CSV),
        ("application/vnd.apache.parquet", PARQUET),
        ("text/csv;q=0.5,application/vnd.apache.parquet", PARQUET),
        ("application/json", "application/json"),
        ("*/*", "application/json"),
        ("text/csv;q=0.5,application/json", "application/json"),
        ("text/html", "application/json"),
    ],
)
def test_a_file_is_sent_only_where_it_is_preferred(client: FlaskClient, fund, accept: str, expected: str):
    answer = client.get(PATH, headers={"Accept": accept})
    assert (answer.status_code, answer.mimetype) == (200, expected)
    assert answer.headers.getlist("Vary") == ["Accept", "Accept-Encoding"]


def test_both_files_have_the_points_of_the_document(client: FlaskClient, fund):
    points = client.get(PATH).json["equity"]
    lines = list(csv.DictReader(io.StringIO(client.get(PATH, headers={"Accept": CSV}).text)))
    rows = pyarrow.parquet.read_table(io.BytesIO(client.get(PATH, headers={"Accept": PARQUET}).data)).to_pylist()
    assert [line["time"] for line in lines] == [point["time"] for point in points]
    assert [row["equity_usd"] for row in rows] == [point["equity_usd"] for point in points]
    assert {row["world"] for row in rows} == {line["world"] for line in lines} == {"simulated"}


@pytest.mark.parametrize("accept", [CSV, PARQUET])
def test_a_file_has_an_etag_of_its_own(client: FlaskClient, fund, accept: str):
    document, file = client.get(PATH), client.get(PATH, headers={"Accept": accept})
    assert document.headers["ETag"] != file.headers["ETag"]
    again = client.get(PATH, headers={"Accept": accept, "If-None-Match": file.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert file.headers["Cache-Control"] == document.headers["Cache-Control"]
