"""What callers enter on a market: forecasts, which the ledger commits to, and until when it is open to them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from service.access.keys import key_id
from service.api.auth import Caller
from service.api.entries import check_open, record
from service.errors import VotingClosed
from service.forecasting.predictions import Prediction, Settlement
from service.jobs.committing import keep_settlement
from service.ledger.commitments import commitment as commitment_of
from service.ledger.verifier import verify
from service.market.instants import HOUR
from service.store import forecasts, ledger, predictions
from service.store.database import Database
from tests.api.conftest import NOON, Wall
from tests.api.opened import commitment, market, open_market
from tests.api.web import refusal_of
from tests.forecasting.markets import settled, waiting

OPEN_MARKET = waiting("m")


@pytest.mark.parametrize(
    ("market", "now", "complaint"),
    [
        (OPEN_MARKET, OPEN_MARKET.closes_at, r"^Voting closed at 2025-11-24T23:59:59Z\.$"),
        (settled("m"), OPEN_MARKET.created_at, r"^This market was settled at 2025-11-25T00:00:00Z\.$"),
    ],
)
def test_voting_closes_with_the_market(market, now: int, complaint: str):
    with pytest.raises(VotingClosed, match=complaint):
        check_open(market, now, "Voting")


MARKET = market(commitment=commitment())
PATH = "/api/v1/predictions"
P = 0.7361952


@pytest.fixture
def app(make_app: Callable[..., Flask], database: Database) -> Flask:
    open_market(database, MARKET)
    return make_app(database)


Forecast = Callable[..., TestResponse]


@pytest.fixture
def forecast(call, api_key: str) -> Forecast:
    def forecast(p_yes: object = P, id: str = MARKET.id) -> TestResponse:
        return call("POST", f"{PATH}/{id}/forecast", key=api_key, json={"p_yes": p_yes})

    return forecast


@pytest.fixture
def name(database: Database, app: Flask, api_key: str) -> str:
    """The public name of the key's forecaster, from before its first forecast on."""
    with database.writing() as db:
        caller = f"key:{key_id(api_key)}"
        forecasts.forecaster_id(db, caller, "ab" * 16, NOON)
        forecasts.rename_forecaster(db, caller, "owl")
        forecasts.count_since(db, "ab" * 16, 0)
    return "owl"


@pytest.fixture
def send_list(call, api_key: str) -> Callable[..., TestResponse]:
    """Sends a list of forecasts: the id of a market and P(YES)."""

    def send_list(*forecasts: tuple[str, float]) -> TestResponse:
        body = [{"market_id": id, "p_yes": p_yes} for id, p_yes in forecasts]
        return call("POST", "/api/v1/forecasts", key=api_key, json={"forecasts": body})

    return send_list


def test_a_list_records_each_forecast_or_says_why_not(send_list, database, name):
    """In one transaction; what is refused leaves no row behind."""
    others = [replace(MARKET, id=f"m{number}") for number in range(199)]
    over = replace(MARKET, id="over", closes_at=NOON)
    with database.writing() as db:
        predictions.add_predictions(db, [*others, over])
    recorded = ((market.id, 0.7) for market in others[:197])
    answer = send_list((MARKET.id, 0.3), ("nowhere", 0.5), ("over", 0.4), *recorded)
    assert (answer.status_code, answer.json["count"], len(answer.json["results"])) == (200, 198, 200)
    first, *refusals = answer.json["results"][:3]
    assert (first["recorded"]["market_id"], first["recorded"]["p_yes"], first["code"]) == (MARKET.id, 0.3, None)
    assert [(row["recorded"], row["code"]) for row in refusals] == [(None, "not_found"), (None, "voting_closed")]
    assert first["recorded"]["commitment"] == commitment_of(MARKET.id, "ab" * 16, 0.3, first["recorded"]["salt"])
    assert len(rows(database)) == 198
    with database.reading() as db:
        assert verify(ledger.export(db)).fault is None
    assert answer.headers["X-RateLimit-Limit"] == "6"


def test_a_list_names_each_market_once_and_at_most_200(send_list):
    assert send_list(*((f"m{number}", 0.5) for number in range(201))).json["errors"][0]["code"] == "too_long"
    assert send_list(("m", 0.5), ("m", 0.5)).json["errors"][0]["message"] == "must name each market once"


def rows(database: Database) -> list[ledger.ChainEntry]:
    with database.reading() as db:
        return list(ledger.entries(db, 1, 500))


def settle(database: Database, prediction: Prediction = MARKET, outcome: str = "yes") -> None:
    with database.writing() as db:
        at = prediction.deadline + 1
        keep_settlement(db, prediction.id, Settlement(outcome, at, "a bar", "bars"), at)


class TestRecording:
    @pytest.mark.usefixtures("name")
    def test_the_answer_has_all_that_proves_it(self, forecast: Forecast, database: Database, api_key: str):
        """The ledger holds a hash and no person."""
        body = forecast().json
        (row,) = rows(database)
        assert (body["market_id"], body["p_yes"], body["forecast_at"]) == (MARKET.id, P, "2027-01-15T12:00:00Z")
        assert (body["seq"], body["hash"], body["forecaster"]) == (row.seq, row.hash, row.subject)
        assert body["commitment"] == commitment_of(MARKET.id, body["forecaster"], P, body["salt"])
        assert body["counts_in"] == ["opening", "time_weighted"]
        assert (row.kind, row.body) == ("forecast", {"market": MARKET.id, "commitment": body["commitment"]})
        assert key_id(api_key) not in str(row)

    def test_a_renewal_keeps_every_row(self, forecast: Forecast, database: Database, wall: Wall):
        for number, p in enumerate((0.2, 0.3, 0.3)):
            wall.time = NOON + number * HOUR
            assert forecast(p).status_code == 200
        with database.reading() as db:
            stored_forecasts = [(row.p, row.at) for row in forecasts.market_forecasts(db, MARKET.id)]
        assert stored_forecasts == [(0.2, NOON), (0.3, NOON + HOUR), (0.3, NOON + 2 * HOUR)]
        assert len({row.body["commitment"] for row in rows(database)}) == 3
        assert len({row.subject for row in rows(database)}) == 1

    @pytest.mark.usefixtures("name")
    @pytest.mark.parametrize(
        ("hours", "fields", "scores"),
        [(1, {}, ["time_weighted"]), (0, {"backfilled": True}, []), (0, {"category": "challenge", "number": 7}, [])],
        ids=["an hour after the votes", "backfilled", "challenge"],
    )
    def test_the_market_and_the_hour_decide_on_the_scores(self, forecast, database, wall, hours, fields, scores):
        """Callers ask a challenge: a master of puppets would ask thirty times about the same event."""
        open_market(database, replace(MARKET, id="another", **fields))
        wall.time = NOON + hours * HOUR
        assert forecast(id="another").json["counts_in"] == scores

    def test_two_renewals_at_once_lose_none(self, app: Flask, forecast: Forecast, database: Database):
        """Sixteen threads, four forecasts each; the first ones compete for the id of the forecaster too."""
        values = [round(0.01 + number / 100, 2) for number in range(56)]
        with ThreadPoolExecutor(16) as pool:
            statuses = {answer.status_code for answer in pool.map(forecast, values)}
        assert statuses == {200}
        with database.reading() as db:
            stored_forecasts = forecasts.market_forecasts(db, MARKET.id)
        assert sorted(row.p for row in stored_forecasts) == values
        assert [row.seq for row in stored_forecasts] == [row.seq for row in rows(database)]
        assert len({row.forecaster for row in stored_forecasts}) == 1
        settle(database)
        with database.reading() as db:
            verification = verify(ledger.export(db))
        assert (verification.fault, verification.revealed, verification.withheld) == (None, 56, 0)

    def test_a_settlement_comes_before_a_forecast(self, forecast: Forecast, database: Database):
        """While a market is being settled a forecast waits, and is then refused: it would never be revealed."""
        with ThreadPoolExecutor(1) as pool:
            with database.writing() as db:
                keep_settlement(db, MARKET.id, Settlement("yes", NOON + HOUR, "a bar", "bars"), NOON + HOUR)
                future = pool.submit(forecast)
                with pytest.raises(TimeoutError):
                    future.result(timeout=0.3)
            assert future.result().json["code"] == "voting_closed"
        assert "forecast" not in {row.kind for row in rows(database)}

    def test_or_a_forecast_comes_before_the_settlement(self, database: Database, app: Flask):
        """While a forecast is being stored a settlement waits, and then reveals it."""
        with ThreadPoolExecutor(1) as pool:
            with database.writing() as db:
                record(db, MARKET.id, P, Caller("203.0.113.7"), NOON)
                future = pool.submit(settle, database)
                with pytest.raises(TimeoutError):
                    future.result(timeout=0.3)
            future.result()
        assert [row.kind for row in rows(database)] == ["forecast", "resolution", "score", "reveal"]

    def test_a_challenge_that_prices_settle_is_a_market(self, forecast: Forecast, database: Database):
        challenge = market("challenge-1", category="challenge", number=1)
        with database.writing() as db:
            hand = replace(challenge, id="challenge-2", number=2, resolver="hand")
            predictions.add_predictions(db, [challenge, hand])
        assert forecast(id="challenge-1").status_code == 200
        refusal = forecast(id="challenge-2")
        assert refusal_of(refusal)[:2] == (400, "invalid_request")
        assert refusal.json["detail"] == "The operator resolves this challenge, not prices, so it takes no forecasts."


class TestRefusals:
    def test_after_the_close_it_is_refused(self, forecast: Forecast, wall: Wall, database: Database):
        wall.time = MARKET.closes_at - 1
        assert forecast().status_code == 200
        wall.time += 1
        refusal = forecast()
        assert refusal_of(refusal) == (409, "voting_closed")
        assert refusal.json["detail"] == "Forecasting closed at 2027-01-16T12:00:00Z."
        assert len(rows(database)) == 1

    def test_a_row_recorded_after_the_close_is_refused(self, forecast: Forecast, database: Database, wall: Wall):
        """Instants of the ledger never decrease, so a clock that is behind it does not open a market again."""
        with database.writing() as db:
            ledger.append(db, [ledger.LedgerRow("score", "other", {}, False)], MARKET.closes_at)
        assert forecast().json["code"] == "voting_closed"
        assert [row.kind for row in rows(database)] == ["score"]

    @pytest.mark.parametrize("p", [0.0009, 0.9991, "0.62"])
    def test_a_probability_out_of_range_is_refused(self, forecast: Forecast, p: object):
        assert [forecast(bound).status_code for bound in (0.001, 0.999)] == [200, 200]
        assert refusal_of(forecast(p)) == (400, "invalid_request", "p_yes")


class TestReading:
    def test_only_the_author_sees_an_open_forecast(self, call, forecast: Forecast, api_key: str, other_key: str):
        body = forecast().json
        views = [call("GET", f"{PATH}/{MARKET.id}", key=key).json["my_forecast"] for key in (api_key, other_key, None)]
        assert views == [{name: body[name] for name in ("p_yes", "forecast_at", "seq", "salt")}, None, None]

    @pytest.mark.usefixtures("name")
    def test_the_settlement_reveals_it(self, forecast: Forecast, database: Database):
        body = forecast().json
        settle(database)
        *_, row = rows(database)
        assert (row.kind, row.subject) == ("reveal", body["forecaster"])
        assert row.body == {"market": MARKET.id, "forecast": body["seq"], "p_yes": P, "salt": body["salt"]}
        with database.reading() as db:
            verification = verify(ledger.export(db))
            (score,) = forecasts.find_scores(db, [body["forecaster"]])[body["forecaster"]].values()
        assert (verification.fault, verification.forecasts, verification.revealed) == (None, 1, 1)
        assert (score.opening, round(score.brier, 7)) == (P, round((1 - P) ** 2, 7))

    def test_a_forecast_from_before_the_name_gets_no_score(self, call, forecast: Forecast, database, api_key):
        """Otherwise one could choose after the outcomes which of many records to show."""
        body = forecast().json
        assert body["counts_in"] == []
        for choice in ("owl", "jay"):
            assert call("PATCH", "/api/v1/me", key=api_key, json={"forecaster": choice}).status_code == 200
        names = [(row.kind, row.subject, list(row.body["name"])) for row in rows(database)[1:]]
        assert names == [("name", body["forecaster"], ["sha256"])] * 2
        settle(database)
        assert rows(database)[-1].kind == "reveal"
        with database.reading() as db:
            assert not forecasts.find_scores(db, [body["forecaster"]])

    def test_a_void_market_reveals_it_without_a_score(self, forecast: Forecast, database: Database):
        body = forecast().json
        settle(database, outcome="void")
        assert rows(database)[-1].body["p_yes"] == P
        with database.reading() as db:
            assert not forecasts.find_scores(db, [body["forecaster"]])
