from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from service.api import metrics
from service.api.health import DOCUMENTS
from service.market.bars import from_rows
from service.store import bars, fits, heartbeat, snapshots
from tests.api.conftest import STEP, Wall


@pytest.fixture
def know(sqlite, wall: Wall):
    """Store one bar that ended so many seconds ago, and a fit."""

    def store(*, age_s: int = 0, fitted: bool = True) -> None:
        opened = int(wall.time) - age_s - STEP
        with sqlite.writing() as db:
            bars.add(db, "btc", from_rows([(opened, 1.0, 1.0, 1.0, 1.0, 1.0)], STEP))
            if fitted:
                fits.save(db, opened, {})
            for name in DOCUMENTS:
                snapshots.save(db, name, opened, b"{}")

    return store


def test_the_process_lives_even_without_a_database(client: FlaskClient, sqlite):
    sqlite.close()
    assert client.get("/healthz").json == {"status": "alive"}


def test_it_is_ready_once_it_has_current_bars_and_voters_that_have_learned(client: FlaskClient, know):
    know(age_s=100)
    told = client.get("/readyz")
    assert told.status_code == 200
    assert told.json == {
        "status": "ready",
        "world": "simulated",
        "as_of": "2027-01-15T11:58:20Z",
        "age_s": 100,
        "fitted_at": "2027-01-15T11:53:20Z",
    }


def test_ready_means_that_the_database_took_a_write(client: FlaskClient, know, sqlite, wall: Wall):
    know()
    client.get("/readyz")
    with sqlite.reading() as db:
        assert heartbeat.last(db) == int(wall.time)


def test_at_first_it_is_not_ready_and_says_everything_that_is_missing(client: FlaskClient):
    told = client.get("/readyz")
    assert (told.status_code, told.json["code"]) == (503, "unavailable")
    assert "no bars yet" in told.json["detail"]
    assert "have not learned" in told.json["detail"]
    assert "Retry-After" in told.headers


def test_without_learned_voters_it_is_not_ready(client: FlaskClient, know):
    know(fitted=False)
    assert "have not learned" in client.get("/readyz").json["detail"]


@pytest.mark.parametrize(("age_s", "status"), [(3 * STEP, 200), (3 * STEP + 1, 503)])
def test_after_three_missed_bars_it_is_not_ready(client: FlaskClient, know, age_s: int, status: int):
    know(age_s=age_s)
    told = client.get("/readyz")
    assert told.status_code == status
    assert status == 200 or "the last bar ended at 2027-01-15T11:44:59Z, 901 s" in told.json["detail"]


def test_a_database_that_takes_no_write_is_not_ready(client: FlaskClient, know, sqlite):
    know()
    with sqlite.engine.connect() as db:
        db.exec_driver_sql("DROP TABLE heartbeat")
        db.commit()
    told = client.get("/readyz")
    assert (told.status_code, told.json["code"]) == (503, "unavailable")


def test_metrics_count_by_template_and_name_nobody(client: FlaskClient, api_key: str):
    client.get("/api/v1/me", headers={"X-API-Key": api_key})
    client.get("/api/v1/unknown-and-never-to-be-a-label")
    client.open("/healthz", method="BREW")
    told = client.get("/metrics").text
    assert 'ninefold_requests_total{method="GET",route="/api/v1/me",status="200"}' in told
    assert 'ninefold_requests_total{method="GET",route="none",status="404"}' in told
    assert 'ninefold_requests_total{method="other",route="none",status="405"}' in told
    assert 'ninefold_request_seconds_bucket{le="0.001",method="GET",route="/api/v1/me"}' in told
    for secret in (api_key, api_key.split("_")[2], "127.0.0.1", "never-to-be-a-label", "BREW"):
        assert secret not in told


def test_metrics_tell_how_long_each_voter_took_and_how_often_it_abstained(client: FlaskClient):
    metrics.observe_vote("a-voter-of-this-test", 0.004)
    metrics.observe_abstention("another-one")
    told = client.get("/metrics").text
    assert 'ninefold_voter_seconds_bucket{le="0.005",voter="a-voter-of-this-test"} 1.0' in told
    assert 'ninefold_abstentions_total{voter="another-one"} 1.0' in told
