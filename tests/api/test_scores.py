"""The table of forecasters, the pages of single ones, and the names that callers choose."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from flask import Flask
from sqlalchemy import select
from werkzeug.test import TestResponse

from service.forecasting.predictions import Settlement
from service.forecasting.predictions.scores import forecasters
from service.forecasting.predictions.scores.columns import columns_of
from service.jobs.committing import keep_settlement
from service.store import forecasts, keys, predictions, snapshots
from service.store.database import Database
from service.store.tables import forecaster as forecaster_table
from tests.api.conftest import NOON
from tests.api.opened import commitment, forecasters_table, market, odds, open_market
from tests.api.web import SECRET, refusal_of
from tests.forecasting.markets import many

ME, PATH = "/api/v1/me", "/api/v1/forecasters"
MARKET = market(commitment=commitment(), odds=odds())


@pytest.fixture
def app(make_app: Callable[..., Flask], database: Database) -> Flask:
    """The application over each kind of database, with an open market and an empty table."""
    open_market(database, MARKET)
    with database.writing() as db:
        snapshots.publish(db, NOON, {"forecasters": forecasters_table()})
    return make_app(database)


@pytest.fixture
def name(call, api_key: str) -> Callable[..., TestResponse]:
    """Chooses a name for a key."""

    def name(choice: object, key: str = api_key, **options) -> TestResponse:
        return call("PATCH", ME, key=key, json={"forecaster": choice}, **options)

    return name


class TestNames:
    def test_a_name_is_chosen_changed_and_given_up(self, call, name, api_key: str):
        for choice in (
            "owl",
            "jay",
            "jay",
            "a" * 32,
            "sturdy_owl-7",
            "steam-owl",
            "trend-owl",
            "forester",
            "vol-trader",
            None,
        ):
            answer = name(choice)
            assert (answer.status_code, answer.json["forecaster"]) == (200, choice)
            assert call("GET", ME, key=api_key).json == answer.json

    def test_a_name_belongs_to_one_forecaster(self, name, other_key: str):
        assert name("owl").status_code == 200
        refusal = name("owl", other_key)
        assert refusal_of(refusal) == (409, "name_taken")
        assert refusal.json["detail"] == "Another forecaster is called owl."
        name(None)
        assert name("owl", other_key).status_code == 200

    def test_a_race_for_a_name_has_one_winner(self, name, other_key: str, api_key: str):
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda key: name("owl", key).status_code, [api_key, other_key]))
        assert sorted(answers) == [200, 409]

    def test_names_of_the_service_and_their_lookalikes_are_taken(self, name):
        """`sv` is too short for a caller anyway."""
        alike = ["p00l", "po-ol", "0fficial", "polyrnarket", "n1nefold", "c0nsensus", "ninefolc1", "moc1erator"]
        alike += ["ninefold-official", "polymarkett", "kalshi2", "the_team", "realoperator", "admin-bob"]
        alike += ["the-pool", "pools", "market-odds", "administrator", "adnnin", "c0nsensvs", "offical", "polymarkt"]
        alike += ["off-ical", "staffmember", "n1nefld", "c0nsenus"]
        codes = {choice: name(choice).json["code"] for choice in (*forecasters.RESERVED_NAMES, *alike)}
        assert codes == dict.fromkeys(codes, "name_taken") | {"sv": "invalid_request"}

    def test_a_name_that_looks_like_that_of_another_is_taken(self, name, other_key: str):
        assert name("sturdy-owl").status_code == 200
        assert name("sturdy0wl", other_key).json["code"] == "name_taken"
        assert name("sturdyowl").status_code == 200, "its own name may be spelt otherwise"

    @pytest.mark.parametrize(
        "choice", ["", "ab", "a" * 33, "Owl", "ow l", "-owl", "owl-", "<b>", "owl/..", "оwl", "owl\n", 7, ["owl"]]
    )
    def test_other_characters_and_lengths_are_refused(self, name, choice: object):
        """Plain lower-case ASCII: no two names look alike, and none has to be escaped anywhere."""
        assert refusal_of(name(choice)) == (400, "invalid_request", "forecaster")

    def test_end_users_have_names_of_their_own(self, name, database: Database):
        with database.writing() as db:
            key, _ = keys.register_key(db, SECRET, "bot@example.com", NOON, delegating=True)
        assert name("owl", key, headers={"X-End-User": "alice"}).json["forecaster"] == "owl"
        assert name("owl", key, headers={"X-End-User": "bob"}).json["code"] == "name_taken"


class TestPages:
    @pytest.fixture
    def revealed_forecasts(self, call, name, database: Database, api_key: str) -> None:
        """Two forecasts by `owl` of a market that came out yes, and one of a market that is open."""
        name("owl")
        open_market(database, market("open-one", commitment=commitment()))
        for id, p in ((MARKET.id, 0.6), (MARKET.id, 0.8), ("open-one", 0.7361952)):
            call("POST", f"/api/v1/predictions/{id}/forecast", key=api_key, json={"p_yes": p})
        end = MARKET.deadline + 1
        with database.writing() as db:
            keep_settlement(db, MARKET.id, Settlement("yes", end, "a bar", "bars"), end)
            questions = forecasters.counted_markets(columns_of(predictions.listed_predictions(db)))
            for id in forecasts.outdated_forecasters(db):
                record = forecasters.record_of(forecasts.find_scores(db, [id]).get(id, {}), questions)
                forecasts.save_record(db, id, record, end)

    def test_a_page_has_scores_and_revealed_forecasts(self, call, revealed_forecasts, check_schema):
        body = call("GET", f"{PATH}/owl").json
        check_schema(PATH + "/{name}", body)
        (entry,) = body["entries"]
        assert (entry["name"], entry["kind"]) == ("owl", "forecaster")
        assert (entry["opening"]["n"], entry["opening"]["brier"]) == (1, 0.04)
        forecast_rows = [(row["market_id"], row["p_yes"], row["outcome"]) for row in body["forecasts"]]
        assert forecast_rows == [(MARKET.id, 0.8, "yes"), (MARKET.id, 0.6, "yes")]
        assert "7361952" not in str(body)

    def test_before_the_first_score_a_page_is_empty(self, call, name):
        name("owl")
        body = call("GET", f"{PATH}/owl").json
        assert (body["entries"], body["forecasts"]) == ([], [])

    @pytest.mark.parametrize("path", ["nobody", "OWL", "%00", "x" * 99, "%3Cb%3E"])
    def test_of_another_name_there_is_none(self, call, revealed_forecasts, path: str):
        assert refusal_of(call("GET", f"{PATH}/{path}")) == (404, "not_found")

    def test_the_services_own_have_pages_too(self, call, database: Database):
        with database.writing() as db:
            snapshots.publish(db, NOON + 1, {"forecasters": forecasters_table(many(80))})
        for name in ("pool", "market", "trend"):
            assert [entry["name"] for entry in call("GET", f"{PATH}/{name}").json["entries"]] == [name]

    def test_a_name_given_up_has_no_page(self, call, revealed_forecasts, name):
        name(None)
        assert call("GET", f"{PATH}/owl").status_code == 404

    def test_a_revoked_key_leaves_no_name(self, call, revealed_forecasts, database, api_key: str):
        """The forecasts stay, so that the ledger can be verified, under an id that is tied to nobody."""
        assert call("DELETE", ME, key=api_key).status_code == 204
        assert call("GET", f"{PATH}/owl").status_code == 404
        with database.reading() as db:
            (row,) = db.execute(select(forecaster_table)).all()
            assert len(forecasts.market_forecasts(db, MARKET.id)) == 2
        assert (row.caller, row.name, row.record) == (None, None, None)
