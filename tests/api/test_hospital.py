"""The snapshots of the hospital: the latest and all earlier ones."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from flask.testing import FlaskClient

from service.market.headers import month_header
from service.market.months import ends
from service.trading.arena import Arena
from service.trading.health import MEASURES
from service.trading.hospital import HospitalDocument, past, snapshot
from service.trading.strategies import STRATEGIES
from service.trading.triage import admit

PATH = "/api/v1/strategy-hospital"
MONTHS = ("2025-01", "2025-02")


def plain(document: object) -> dict:
    return json.loads(json.dumps(asdict(document)))


@pytest.fixture(scope="module")
def snapshots(arena: Arena) -> dict[str, HospitalDocument]:
    """The snapshots of January and February."""
    documents: dict[str, HospitalDocument] = {}
    for month in MONTHS:
        before = {earlier: past(plain(document)) for earlier, document in documents.items()}
        header = month_header(ends(month), month, world="simulated", sources={"btc": "made"})
        documents[month] = snapshot(month, admit(arena, month), before, header)
    return documents


@pytest.fixture
def examined(snapshots, publish) -> None:
    for month, document in snapshots.items():
        publish(f"strategy-hospital/{month}", ends(month), document)
        publish("strategy-hospital", ends(month), document)


def test_it_is_the_snapshot_of_the_last_month(client: FlaskClient, examined, snapshots, as_described):
    answer = client.get(PATH)
    assert answer.json == plain(snapshots["2025-02"])
    assert {"schema", "timestamp", "as_of", "snapshot_month", "summary", "strategies", "links"} <= answer.json.keys()
    assert (answer.json["snapshot_month"], answer.json["as_of"]) == ("2025-02", "2025-03-01T00:00:00Z")
    assert len(answer.json["strategies"]) == len(STRATEGIES)
    as_described(PATH, answer.json)


def test_every_month_is_kept(client: FlaskClient, examined, snapshots):
    for month in MONTHS:
        assert client.get(f"{PATH}?month={month}").json == plain(snapshots[month])


def test_its_links_lead_to_the_previous_month_and_the_method(client: FlaskClient, examined, openapi_document):
    links = client.get(PATH).json["links"]
    assert client.get(links["history"]).json["snapshot_month"] == "2025-01"
    page, _, anchor = links["methodology"].partition("#")
    assert client.get(page).mimetype == "text/html"
    method, _, path = anchor.partition("-")
    description = openapi_document["paths"][path][method]["description"]
    assert all(f"`{name}_score`" in description for name in MEASURES)


@pytest.mark.parametrize(
    "month", ["2025-13", "2025-00", "2025", "2025-2", "25-02", "2025-02-01", "last", "", "２０２５-02"]
)
def test_a_malformed_month_is_refused(client: FlaskClient, examined, month: str):
    refused = client.get(PATH, query_string={"month": month})
    assert (refused.status_code, refused.json["code"]) == (400, "invalid_request")
    assert refused.json["errors"][0]["field"] == "month"


@pytest.mark.parametrize("month", ["2024-12", "2025-03", "0000-01", "9999-12"])
def test_an_unknown_month_is_404_with_the_available_months(client: FlaskClient, examined, month: str):
    refused = client.get(PATH, query_string={"month": month})
    assert (refused.status_code, refused.json["code"]) == (404, "not_found")
    assert refused.json["detail"].endswith("Available months: 2025-01, 2025-02.")


@pytest.mark.parametrize("query", ["", "?month=2025-02"])
def test_before_the_first_month_has_closed_it_is_unavailable(client: FlaskClient, query: str):
    assert client.get(PATH + query).status_code == 503


def test_it_is_public_cacheable_and_limited(client: FlaskClient, examined):
    answer = client.get(PATH)
    assert answer.headers["Cache-Control"].startswith("public, max-age=")
    assert client.get(PATH, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304
    assert [client.get(PATH).status_code for _ in range(119)] == [200] * 118 + [429]
