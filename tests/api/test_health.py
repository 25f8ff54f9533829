from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select
from structlog.testing import capture_logs

from service.api.health import DOCUMENTS
from service.forecasting.densities.fits import VERSION, Fits
from service.market.bars import from_rows
from service.store import bars, runs, snapshots
from service.store.pages import fits
from service.store.tables import heartbeat
from tests.api.conftest import STEP, Wall


@pytest.fixture
def know(sqlite, wall: Wall):
    """Store one bar that ended so many seconds ago, and a fit."""

    def store(*, age_s: int = 0, version: str | None = VERSION) -> None:
        opened = int(wall.time) - age_s - STEP
        with sqlite.writing() as db:
            bars.add_bars(db, "btc", from_rows([(opened, 1.0, 1.0, 1.0, 1.0, 1.0)], STEP))
            if version:
                fits.save(db, opened, Fits(version, opened, {}).to_plain())
            for name in DOCUMENTS:
                snapshots.save_snapshot(db, name, opened, b"{}")

    return store


def test_the_process_lives_even_without_a_database(client: FlaskClient, sqlite):
    sqlite.close()
    assert client.get("/healthz").json == {"status": "alive"}


def test_it_is_ready_with_current_bars_and_fitted_voters(client: FlaskClient, know):
    know(age_s=100)
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json == {
        "status": "ready",
        "world": "simulated",
        "as_of": "2027-01-15T11:58:20Z",
        "age_s": 100,
        "fitted_at": "2027-01-15T11:53:20Z",
        "histories": {},
        "late": [],
    }


def test_ready_means_that_the_database_took_a_write(client: FlaskClient, know, sqlite, wall: Wall):
    know()
    client.get("/readyz")
    with sqlite.reading() as db:
        assert db.scalar(select(heartbeat.c.at)) == int(wall.time)


def test_it_starts_unready_and_lists_everything_that_is_missing(client: FlaskClient):
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json["code"]) == (503, "unavailable")
    assert "no price bars yet" in answer.json["detail"]
    assert "are not fitted" in answer.json["detail"]
    assert "Retry-After" in answer.headers


@pytest.mark.parametrize("version", [None, "fits/0"], ids=["none", "outdated"])
def test_without_usable_fits_it_is_not_ready(client: FlaskClient, know, version: str | None):
    know(version=version)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert "are not fitted" in answer.json["detail"]


@pytest.mark.parametrize(("age_s", "status"), [(3 * STEP, 200), (3 * STEP + 1, 503)])
def test_after_three_missed_bars_it_is_not_ready(client: FlaskClient, know, age_s: int, status: int):
    know(age_s=age_s)
    answer = client.get("/readyz")
    assert answer.status_code == status
    assert status == 200 or "the last bar ended at 2027-01-15T11:44:59Z, 901 s" in answer.json["detail"]


def test_a_database_that_takes_no_write_is_not_ready(client: FlaskClient, know, sqlite):
    know()
    with sqlite.engine.connect() as db:
        db.exec_driver_sql("DROP TABLE heartbeat")
        db.commit()
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json["code"]) == (503, "unavailable")


def due_for(sqlite, job: str, since: float) -> None:
    with sqlite.writing() as db:
        runs.add(db, job, int(since), since)


def test_a_late_job_is_named_in_words(client: FlaskClient, know, sqlite, wall: Wall):
    know()
    due_for(sqlite, "apex", wall.time - 7200)
    due_for(sqlite, "rank", wall.time - 60)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json["late"]) == (200, ["the job apex has been due for 120 min without success"])


@pytest.mark.parametrize("job", ["tick", "seal"])
@pytest.mark.parametrize(("lag_s", "status"), [(3599, 200), (3700, 503)])
def test_without_a_tick_or_seal_for_an_hour_it_is_not_ready(client, know, sqlite, wall: Wall, job, lag_s, status):
    know()
    due_for(sqlite, job, wall.time - lag_s)
    answer = client.get("/readyz")
    assert answer.status_code == status
    assert status == 200 or f"the job {job} has been due for 62 min" in answer.json["detail"]


@pytest.mark.parametrize(("age_s", "status"), [(-5, 200), (-6, 503), (-258_860, 503)])
def test_bars_ahead_of_the_clock_are_not_ready(client: FlaskClient, know, age_s: int, status: int):
    know(age_s=age_s)
    answer = client.get("/readyz")
    assert answer.status_code == status
    assert status == 200 or f"{-age_s} s of world time ahead of the clock" in answer.json["detail"]
    assert status == 503 or answer.json["age_s"] == 0


def test_a_change_of_readiness_is_logged_once(client: FlaskClient, know):
    with capture_logs() as events:
        client.get("/readyz")
        client.get("/readyz")
        know()
        client.get("/readyz")
        client.get("/readyz")
    assert [event["event"] for event in events] == ["not_ready", "ready"]
    assert "no price bars yet" in events[0]["missing"]
