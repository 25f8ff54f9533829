"""Metrics count requests and votes, and contain no caller."""

from __future__ import annotations

from flask.testing import FlaskClient

from service.api import metrics


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


def test_metrics_have_the_time_and_abstentions_of_each_voter(client: FlaskClient):
    metrics.observe_vote("a-voter-of-this-test", "embedded", 0.004)
    metrics.observe_abstention("another-one")
    page = client.get("/metrics").text
    assert 'ninefold_voter_seconds_bucket{le="0.005",voter="a-voter-of-this-test"} 1.0' in page
    assert 'ninefold_abstentions_total{voter="another-one"} 1.0' in page


def test_a_vote_is_counted_by_its_engine(client: FlaskClient):
    metrics.observe_vote("a-voter-with-a-model", "ollama:llama3.2", 0.004)
    assert (
        'ninefold_votes_total{engine="ollama:llama3.2",voter="a-voter-with-a-model"} 1.0' in client.get("/metrics").text
    )


def test_counts_are_shown_while_the_database_is_away(client: FlaskClient, sqlite):
    with sqlite.engine.connect() as db:
        db.exec_driver_sql("DROP TABLE job_run")
        db.commit()
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert "ninefold_requests_total" in answer.text
