"""Metrics count requests and votes, and contain no caller."""

from __future__ import annotations

from flask.testing import FlaskClient

from service.api import metrics
from service.market.bars import from_rows
from service.market.instants import iso
from service.store import bars, quotas, runs
from service.store.quotas import StoredSpending
from tests.api.conftest import Wall
from tests.api.web import STEP


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
    metrics.observe_vote("a-voter-of-this-test", "ollama:llama3.2", 0.004)
    metrics.observe_abstention("another-one")
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
    for line in (
        'ninefold_job_lag_seconds{job="seal"} 60.0',
        'ninefold_job_lag_seconds{job="tick"} 0.0',
        'ninefold_job_duration_seconds{job="tick"} 4.0',
        'ninefold_job_failures{job="seal"} 0.0',
        "ninefold_jobs_queued 1.0",
        "ninefold_webhooks_queued 0.0",
        "ninefold_reserved_charges 1.0",
        "ninefold_model_tokens_today 1200.0",
        "ninefold_model_usd_today 0.5",
        "ninefold_ledger_rows 0.0",
        "ninefold_ledger_unsealed_rows 0.0",
        f"ninefold_bar_age_seconds {STEP}.0",
    ):
        assert f"\n{line}\n" in page, line
