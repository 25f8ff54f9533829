"""The table of forecasters, the pages of single ones, and the names that callers choose."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from flask import Flask
from sqlalchemy import select

from service.forecasting.predictions import Settlement
from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.forecasters import (
    RESERVED_NAMES,
    ForecastersDocument,
    counted_markets,
    forecasters_document,
    own_entries,
    record_of,
)
from service.jobs.committing import keep_settlement
from service.store import forecasts, keys, predictions, snapshots
from service.store.database import Database
from service.store.tables import forecaster as forecaster_table
from tests.api.conftest import NOON
from tests.api.opened import commitment, market, odds, open_market, record_header
from tests.api.web import SECRET
from tests.forecasting.markets import many

ME, PATH = "/api/v1/me", "/api/v1/forecasters"
MARKET = market(commitment=commitment(), odds=odds())


def table(callers=(), markets=()) -> ForecastersDocument:
    own = own_entries(counted_markets(columns_of(markets)))
    return forecasters_document(list(callers), len(callers), own, record_header())


class WithNames:
    """A service over each kind of database, with an open market and an empty table."""

    @pytest.fixture
    def app(self, make_app: Callable[..., Flask], database: Database) -> Flask:
        open_market(database, MARKET)
        with database.writing() as db:
            snapshots.publish(db, NOON, {"forecasters": table()})
        return make_app(database)

    @pytest.fixture
    def name(self, app: Flask, api_key: str):
        """Chooses a name for a key."""

        def name(choice: object, key: str = api_key, **headers: str):
            client = app.test_client()
            return client.patch(ME, json={"forecaster": choice}, headers={"X-API-Key": key, **headers})

        return name

    @pytest.fixture
    def other(self, app: Flask) -> str:
        return app.test_client().post("/api/v1/register", json={"email": "other@example.com"}).json["api_key"]


class TestNames(WithNames):
    def test_a_name_is_chosen_changed_and_given_up(self, app: Flask, name, api_key: str):
        for choice in ("owl", "jay", "jay", "a" * 32, "sturdy_owl-7", None):
            answer = name(choice)
            assert (answer.status_code, answer.json["forecaster"]) == (200, choice)
            assert app.test_client().get(ME, headers={"X-API-Key": api_key}).json == answer.json

    def test_a_name_belongs_to_one_forecaster(self, name, other: str):
        assert name("owl").status_code == 200
        refusal = name("owl", other)
        assert (refusal.status_code, refusal.json["code"]) == (409, "name_taken")
        assert refusal.json["detail"] == "Another forecaster is called owl."
        name(None)
        assert name("owl", other).status_code == 200

    def test_a_race_for_a_name_has_one_winner(self, app: Flask, name, other: str, api_key: str):
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda key: name("owl", key).status_code, [api_key, other]))
        assert sorted(answers) == [200, 409]

    @pytest.mark.slow
    @pytest.mark.parametrize("choice", sorted(RESERVED_NAMES))
    def test_the_names_of_the_service_are_taken(self, name, choice: str):
        """`sv` is too short for a caller anyway."""
        assert name(choice).json["code"] == ("name_taken" if len(choice) > 2 else "invalid_request")

    @pytest.mark.parametrize(
        "choice", ["p00l", "po-ol", "0fficial", "polyrnarket", "n1nefold", "c0nsensus", "ninefolc1", "moc1erator"]
    )
    def test_a_name_that_looks_like_one_of_the_service_is_taken(self, name, choice: str):
        assert name(choice).json["code"] == "name_taken"

    def test_a_name_that_looks_like_that_of_another_is_taken(self, name, other: str):
        assert name("sturdy-owl").status_code == 200
        assert name("sturdy0wl", other).json["code"] == "name_taken"
        assert name("sturdyowl").status_code == 200, "its own name may be spelt otherwise"

    @pytest.mark.parametrize(
        "choice", ["", "ab", "a" * 33, "Owl", "ow l", "-owl", "owl-", "<b>", "owl/..", "оwl", "owl\n", 7, ["owl"]]
    )
    def test_other_characters_and_lengths_are_refused(self, name, choice: object):
        """Plain lower-case ASCII: no two names look alike, and none has to be escaped anywhere."""
        assert (name(choice).status_code, name(choice).json["code"]) == (400, "invalid_request")

    def test_end_users_have_names_of_their_own(self, app: Flask, name, database: Database):
        with database.writing() as db:
            key, _ = keys.register_key(db, SECRET, "bot@example.com", NOON, delegating=True)
        assert name("owl", key, **{"X-End-User": "alice"}).json["forecaster"] == "owl"
        assert name("owl", key, **{"X-End-User": "bob"}).json["code"] == "name_taken"


class TestPages(WithNames):
    @pytest.fixture
    def revealed_forecasts(self, app: Flask, name, database: Database, api_key: str) -> None:
        """Two forecasts by `owl` of a market that came out yes, and one of a market that is open."""
        name("owl")
        open_market(database, market("open-one", commitment=commitment()))
        for id, p in ((MARKET.id, 0.6), (MARKET.id, 0.8), ("open-one", 0.7361952)):
            body, headers = {"p_yes": p}, {"X-API-Key": api_key}
            app.test_client().post(f"/api/v1/predictions/{id}/forecast", json=body, headers=headers)
        end = MARKET.deadline + 1
        with database.writing() as db:
            keep_settlement(db, MARKET.id, Settlement("yes", end, "a bar", "bars"), end)
            questions = counted_markets(columns_of(predictions.listed_predictions(db)))
            for id in forecasts.outdated_forecasters(db):
                record = record_of(forecasts.find_scores(db, [id]).get(id, {}), questions)
                forecasts.save_record(db, id, record, end)

    def test_a_page_has_scores_and_revealed_forecasts(self, app: Flask, revealed_forecasts, check_schema):
        body = app.test_client().get(f"{PATH}/owl").json
        check_schema(PATH + "/{name}", body)
        (entry,) = body["entries"]
        assert (entry["name"], entry["kind"]) == ("owl", "forecaster")
        assert (entry["opening"]["n"], entry["opening"]["brier"]) == (1, 0.04)
        forecast_rows = [(row["market_id"], row["p_yes"], row["outcome"]) for row in body["forecasts"]]
        assert forecast_rows == [(MARKET.id, 0.8, "yes"), (MARKET.id, 0.6, "yes")]
        assert "7361952" not in str(body)

    def test_before_the_first_score_a_page_is_empty(self, app: Flask, name):
        name("owl")
        body = app.test_client().get(f"{PATH}/owl").json
        assert (body["entries"], body["forecasts"]) == ([], [])

    @pytest.mark.parametrize("path", ["nobody", "OWL", "%00", "x" * 99, "%3Cb%3E"])
    def test_of_another_name_there_is_none(self, app: Flask, revealed_forecasts, path: str):
        answer = app.test_client().get(f"{PATH}/{path}")
        assert (answer.status_code, answer.json["code"]) == (404, "not_found")

    def test_the_services_own_have_pages_too(self, app: Flask, database: Database):
        with database.writing() as db:
            snapshots.publish(db, NOON + 1, {"forecasters": table(markets=many(80))})
        for name in ("pool", "market", "trend"):
            body = app.test_client().get(f"{PATH}/{name}").json
            assert [entry["name"] for entry in body["entries"]] == [name]

    def test_a_name_given_up_has_no_page(self, app: Flask, revealed_forecasts, name):
        name(None)
        assert app.test_client().get(f"{PATH}/owl").status_code == 404

    def test_a_revoked_key_leaves_no_name(self, app: Flask, revealed_forecasts, database, api_key: str):
        """The forecasts stay, so that the ledger can be verified, under an id that is tied to nobody."""
        assert app.test_client().delete(ME, headers={"X-API-Key": api_key}).status_code == 204
        assert app.test_client().get(f"{PATH}/owl").status_code == 404
        with database.reading() as db:
            (row,) = db.execute(select(forecaster_table)).all()
            assert len(forecasts.market_forecasts(db, MARKET.id)) == 2
        assert (row.caller, row.name, row.record) == (None, None, None)
