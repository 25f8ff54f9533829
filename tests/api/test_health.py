"""Whether the service is ready, and metrics that count requests and votes and contain no caller."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from sqlalchemy import func, select
from structlog.testing import capture_logs

from service.api import metrics
from service.api.health import DOCUMENTS
from service.forecasting.densities.density import VERSION, Fits
from service.market.bars import from_rows
from service.market.instants import iso
from service.store import bars, quotas, runs, snapshots, world
from service.store.pages import fits
from service.store.quotas import StoredSpending
from service.store.tables import idempotency
from tests.api.conftest import Wall
from tests.api.web import STEP, refusal_of


@pytest.fixture
def store(sqlite, wall: Wall):
    """Stores one bar that ended so many seconds ago, a fit, the last look of a job process, and jobs that are late."""

    def store(*, age_s: int = 0, version: str | None = VERSION, silence_s: int = 0, **late_s: float) -> None:
        opened_at = int(wall.time) - age_s - STEP
        with sqlite.writing() as db:
            bars.add_bars(db, "btc", from_rows([(opened_at, 1.0, 1.0, 1.0, 1.0, 1.0)], STEP))
            if version:
                fits.save(db, opened_at, Fits(version, opened_at, {}).to_plain())
            world.beat(db, int(wall.time) - silence_s)
            for name in (*DOCUMENTS, "forecasts/btc"):
                snapshots.publish(db, opened_at, {name: b"{}"})
            for job, seconds in late_s.items():
                runs.add(db, job, int(wall.time - seconds), wall.time - seconds)

    return store


def complaint_of(client: FlaskClient) -> str:
    """Why the service is not ready; empty where it is."""
    answer = client.get("/readyz")
    if answer.status_code == 200:
        return ""
    assert (*refusal_of(answer), "Retry-After" in answer.headers) == (503, "unavailable", True)
    return answer.json["detail"]


AHEAD = "s of world time ahead of the clock"


@pytest.mark.parametrize(
    ("state", "complaint"),
    [
        ({"version": None}, "are not fitted"),
        ({"version": "fits/0"}, "are not fitted"),
        ({"silence_s": 60}, ""),
        ({"silence_s": 61}, "no job process has looked what is due for 61 s"),
        ({"age_s": 3 * STEP}, ""),
        ({"age_s": 3 * STEP + 1}, "the last bar ended at 2027-01-15T11:44:59Z, 901 s"),
        *[({"age_s": -5}, ""), ({"age_s": -6}, f"6 {AHEAD}"), ({"age_s": -258_860}, f"258860 {AHEAD}")],
        *(({job: 3599}, "") for job in ("tick", "seal")),
        *(({job: 3700}, f"the job {job} has been due for 62 min") for job in ("tick", "seal")),
    ],
    ids=str,
)
def test_readiness_needs_fits_bars_of_now_and_vital_jobs(client: FlaskClient, store, state: dict, complaint: str):
    """Bars are neither old nor ahead of the clock; ended job processes are noticed within a minute."""
    store(**state)
    assert (complaint in complaint_of(client)) if complaint else (complaint_of(client) == "")
    if not complaint:
        assert client.get("/readyz").json["age_s"] == max(state.get("age_s", 0), 0)


def test_the_process_lives_even_without_a_database(client: FlaskClient, sqlite):
    sqlite.close()
    assert client.get("/healthz").json == {"status": "alive"}


def test_it_is_ready_with_current_bars_and_fitted_voters(client: FlaskClient, store, sqlite):
    """The question leaves nothing behind in the database."""
    store(age_s=100)
    answer = client.get("/readyz")
    assert answer.status_code == 200
    plain = {"status": "ready", "world": "simulated", "as_of": "2027-01-15T11:58:20Z", "age_s": 100}
    assert answer.json == plain | {"fitted_at": "2027-01-15T11:53:20Z", "histories": {}, "late": [], "audit": None}
    with sqlite.reading() as db:
        assert db.scalar(select(func.count()).select_from(idempotency)) == 0


def test_a_full_disk_is_named(client: FlaskClient, store, sqlite):
    """Though a value that replaces another one still fits: then a question would fail, too."""
    store()
    with sqlite.writing() as db:
        pages = db.exec_driver_sql("PRAGMA page_count").scalar()
        assert db.exec_driver_sql(f"PRAGMA max_page_count = {pages}").scalar() == pages
    with sqlite.writing() as db:
        world.beat(db, 0)
    assert complaint_of(client) == "The disk of the database is full."
    assert "ninefold_ready 0" in client.get("/metrics").text
    with sqlite.writing() as db:
        db.exec_driver_sql(f"PRAGMA max_page_count = {pages + 1000}")
    store()
    assert complaint_of(client) == ""


def test_damage_is_said(client: FlaskClient, store, sqlite):
    store()
    sqlite.damage = "The database is damaged. Tree 5 page 9"
    assert client.get("/readyz").json["audit"] == sqlite.damage
    assert "ninefold_database_damaged 1" in client.get("/metrics").text


def test_it_starts_unready_and_lists_everything_that_is_missing(client: FlaskClient):
    complaint = complaint_of(client)
    assert "no price bars yet" in complaint
    assert "are not fitted" in complaint


def test_a_late_job_is_named_in_words(client: FlaskClient, store):
    store(apex=7200, rank=60)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json["late"]) == (200, ["the job apex has been due for 120 min without success"])


def test_a_change_of_readiness_is_logged_once(client: FlaskClient, store):
    with capture_logs() as events:
        for change in (lambda: None, store):
            change()
            client.get("/readyz")
            client.get("/readyz")
    assert [event["event"] for event in events] == ["not_ready", "ready"]
    assert "no price bars yet" in events[0]["missing"]


def test_metrics_count_by_route_and_contain_no_caller(client: FlaskClient, api_key: str):
    client.get("/api/v1/me", headers={"X-API-Key": api_key})
    client.get("/api/v1/unknown-and-never-to-be-a-label")
    client.open("/healthz", method="BREW")
    metrics = client.get("/metrics").text
    assert 'ninefold_requests_total{method="GET",route="/api/v1/me",status="200"}' in metrics
    assert 'ninefold_requests_total{method="GET",route="none",status="404"}' in metrics
    assert 'ninefold_requests_total{method="other",route="none",status="405"}' in metrics
    assert 'ninefold_request_seconds_bucket{le="0.001",method="GET",route="/api/v1/me"}' in metrics
    for secret in (api_key, api_key.split("_")[2], "127.0.0.1", "never-to-be-a-label", "BREW"):
        assert secret not in metrics


def test_metrics_have_the_votes_and_abstentions_of_each_voter(client: FlaskClient):
    metrics.VOTER_SECONDS.labels("a-voter-of-this-test").observe(0.004)
    metrics.VOTES.labels("a-voter-of-this-test", "ollama:llama3.2").inc()
    metrics.ABSTENTIONS.labels("another-one").inc()
    page = client.get("/metrics").text
    assert 'ninefold_voter_seconds_bucket{le="0.005",voter="a-voter-of-this-test"} 1.0' in page
    assert 'ninefold_abstentions_total{voter="another-one"} 1.0' in page
    assert 'ninefold_votes_total{engine="ollama:llama3.2",voter="a-voter-of-this-test"} 1.0' in page


def test_counts_are_shown_while_the_database_is_away(client: FlaskClient, sqlite):
    with sqlite.engine.connect() as db:
        db.exec_driver_sql("DROP TABLE job_run")
        db.commit()
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert "ninefold_requests_total" in answer.text


def test_gauges_come_from_the_database(client: FlaskClient, sqlite, wall: Wall):
    """So that any web process shows what the processes of the jobs did."""
    now = wall.time
    with sqlite.writing() as db:
        runs.add(db, "tick", 100, now - 90)
        runs.claim(db, "tick", 100, "a", now - 89, now)
        runs.finish(db, "tick", 100, "a", now - 85)
        runs.add(db, "seal", 100, now - 60)
        quotas.reserve(db, "a", "daily:key:1a2b3c4d", int(now) + 100, 10, now)
        opened_at = int(now) - 2 * STEP
        bars.add_bars(db, "btc", from_rows([(opened_at, 1.0, 1.0, 1.0, 1.0, 1.0)], STEP))
    StoredSpending(sqlite).add(iso(int(now))[:10], 1200, 0.5)
    page = client.get("/metrics").text
    assert '\nninefold_database_connections{state="active"} ' in page
    lines = """
        job_lag_seconds{name="seal"} 60.0, job_lag_seconds{name="tick"} 0.0, job_duration_seconds{name="tick"} 4.0,
        job_failures{name="seal"} 0.0, jobs_queued 1.0, webhooks_queued 0.0, reserved_charges 1.0,
        model_tokens_today 1200.0, model_usd_today 0.5, ledger_rows 0.0, ledger_unsealed_rows 0.0, bar_age_seconds 300.0
    """
    assert [line for line in lines.split(",") if f"\nninefold_{line.strip()}\n" not in page] == []
