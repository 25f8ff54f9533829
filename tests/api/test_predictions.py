"""Prediction markets are listed for who has a key, and voted on by everybody."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient
from pydantic import TypeAdapter
from werkzeug.test import TestResponse

from service.forecasting.predictions.documents import PredictionsDocument, list_all, predictions_document
from service.forecasting.predictions.scores.betting import shadow_document
from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.versus import ai_vs_market_document
from service.market.instants import HOUR
from service.store import predictions
from service.store.database import Database
from tests.api.conftest import NOON, Wall
from tests.api.opened import commitment, header, market, odds, open_market, settle
from tests.api.public import hold
from tests.forecasting.markets import many

PATH = "/api/v1/predictions"
ID = market().id


@pytest.fixture
def document() -> PredictionsDocument:
    """The list of one market, as the job makes it."""
    voted = market(commitment=commitment(), odds=odds())
    (listed,) = list_all([voted], tallies={voted.id: (2, 1)}, prices={}, opinions={}, now=NOON)
    return predictions_document([listed], header())


@pytest.fixture
def headers(api_key: str) -> dict[str, str]:
    return {"X-API-Key": api_key}


class TestTheList:
    def test_it_is_served_as_it_was_made(self, client: FlaskClient, headers, document, publish, as_described):
        publish("predictions", NOON, document)
        answer = client.get(PATH, headers=headers)
        assert answer.json == TypeAdapter(PredictionsDocument).dump_python(document, mode="json")
        as_described(PATH, answer.json)

    def test_it_has_the_vote_of_each_voter(self, client: FlaskClient, headers, document, publish):
        publish("predictions", NOON, document)
        listed = client.get(PATH, headers=headers).json
        assert (listed["schema"], listed["count"], listed["world"]) == ("predictions/1", 1, "simulated")
        (shown,) = listed["markets"]
        assert (shown["id"], shown["status"], len(shown["ai_votes"])) == (ID, "open", 9)
        words = {"answer": "About as likely as not: 60%", "direction": "NEUTRAL", "bull_probability": 50.0}
        assert shown["ai"] == {"p_yes": 0.6, "yes": 9, "no": 0} | words
        assert shown["market_odds"]["simulated"] is True
        assert shown["divergence_pts"] == 10.0
        assert shown["user_votes"] == {"yes": 2, "no": 1, "total": 3, "yes_pct": 66.7}

    def test_it_takes_a_key_and_counts_against_the_daily_quota(self, client: FlaskClient, headers, document, publish):
        publish("predictions", NOON, document)
        assert client.get(PATH).json["code"] == "missing_api_key"
        assert [client.get(PATH, headers=headers).status_code for _ in range(11)] == [200] * 10 + [429]

    def test_it_is_revalidated_and_never_cached_by_others(self, client: FlaskClient, headers, document, publish):
        publish("predictions", NOON, document)
        answer = client.get(PATH, headers=headers)
        assert answer.headers["Cache-Control"] == "no-store"
        again = client.get(PATH, headers=headers | {"If-None-Match": answer.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")

    def test_before_the_first_run_it_is_unavailable_and_free(self, client: FlaskClient, headers):
        assert client.get(PATH, headers=headers).status_code == 503
        assert client.get("/api/v1/me", headers=headers).json["used"] == 0


class TestVoting:
    @pytest.fixture
    def app(self, make_app: Callable[..., Flask], database: Database) -> Flask:
        open_market(database, market())
        return make_app(database)

    @pytest.fixture
    def vote(self, app: Flask) -> Callable[..., TestResponse]:
        def vote(side: str = "yes", id: str = ID, address: str = "203.0.113.7", **headers: str) -> TestResponse:
            return app.test_client().post(
                f"{PATH}/{id}/vote", json={"vote": side}, headers=headers, environ_base={"REMOTE_ADDR": address}
            )

        return vote

    def test_a_vote_is_counted_at_once_and_may_be_changed(self, vote):
        assert vote("yes").json == {
            "id": ID,
            "vote": "yes",
            "voted_at": "2027-01-15T12:00:00Z",
            "user_votes": {"yes": 1, "no": 0, "total": 1, "yes_pct": 100.0},
        }
        assert vote("no").json["user_votes"] == {"yes": 0, "no": 1, "total": 1, "yes_pct": 0.0}

    def test_every_caller_has_one_vote(self, vote, api_key: str):
        vote("yes")
        vote("yes", address="203.0.113.8")
        assert vote("no", **{"X-API-Key": api_key}).json["user_votes"]["total"] == 3

    def test_it_closes_when_the_market_says(self, vote, wall: Wall):
        wall.time = market().closes_at - 1
        assert vote().status_code == 200
        wall.time += 1
        assert (vote().status_code, vote().json["code"]) == (409, "voting_closed")

    def test_it_closes_when_the_market_is_settled(self, vote, database):
        settle(database, market(), "yes", NOON + HOUR)
        assert vote().json["code"] == "voting_closed"

    def test_a_challenge_is_voted_on_elsewhere(self, vote, database):
        with database.writing() as db:
            predictions.add(db, [market("challenge-1", category="challenge", number=1)])
        assert vote(id="challenge-1").json["code"] == "not_found"

    def test_an_answer_of_the_oracle_is_not_voted_on(self, vote, database):
        with database.writing() as db:
            predictions.add(db, [market("00adcce31a6a83e7", category="answer")])
        assert vote(id="00adcce31a6a83e7").json["code"] == "not_found"

    @pytest.mark.parametrize("id", ["none-such", ID.upper(), "%00", "%20", "x" * 97, "..", "%EF%BF%BD"])
    def test_of_another_id_there_is_none(self, vote, id: str):
        assert (vote(id=id).status_code, vote(id=id).json["code"]) == (404, "not_found")

    @pytest.mark.slow
    def test_a_caller_has_sixty_votes_an_hour(self, vote):
        statuses = [vote("yes" if n % 2 else "no").status_code for n in range(61)]
        assert statuses == [200] * 60 + [429]
        assert vote(address="203.0.113.8").status_code == 200

    def test_without_a_json_body_nothing_is_voted(self, app: Flask):
        answer = app.test_client().post(f"{PATH}/{ID}/vote", data="vote=yes")
        assert answer.status_code == 415


def test_the_shadow_book_is_public_and_marks_simulated_odds(client: FlaskClient, publish, as_described):
    document = shadow_document(columns_of(many(80)), header())
    shown = hold(client, publish, as_described, "/api/predictions/shadow", "shadow", document)
    assert (shown["schema"], shown["stake_usd"], shown["threshold_pts"]) == ("shadow/1", 100.0, 3.0)
    assert [book["backfilled"] for book in shown["books"]] == [False, True]
    assert all(bet["simulated"] for bet in shown["recent"])


def test_the_bets_of_the_shadow_book_are_a_table(client: FlaskClient, publish):
    document = shadow_document(columns_of(many(80)), header())
    publish("shadow", NOON, document)
    lines = csv.DictReader(io.StringIO(client.get("/api/predictions/shadow", headers={"Accept": "text/csv"}).text))
    bets = [(bet.market_id, f"{bet.pnl_usd}") for bet in (*document.open, *document.recent)]
    assert [(line["market_id"], line["pnl_usd"]) for line in lines] == bets


def test_the_comparison_with_the_market_is_public_in_two_books(client: FlaskClient, publish, as_described):
    document = ai_vs_market_document(columns_of(many(80)), header(), np.random.default_rng(1))
    shown = hold(client, publish, as_described, "/api/predictions/ai-vs-market", "ai-vs-market", document)
    assert (shown["schema"], shown["count"], len(shown["markets"])) == ("ai-vs-market/1", 80, 40)
    assert [(book["backfilled"], book["n"]) for book in shown["books"]] == [(False, 40), (True, 40)]


def test_with_few_resolved_markets_the_verdict_says_so(client: FlaskClient, publish, as_described):
    document = ai_vs_market_document(columns_of(many(20)), header(), np.random.default_rng(1))
    shown = hold(client, publish, as_described, "/api/predictions/ai-vs-market", "ai-vs-market", document)
    assert {book["verdict"] for book in shown["books"]} == {"not enough resolved markets"}
