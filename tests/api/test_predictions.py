"""Prediction markets are listed for who has a key, and voted on by everybody."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256

import httpx
import numpy as np
import pyarrow.parquet
import pytest
from flask import Flask
from flask.testing import FlaskClient
from pydantic import TypeAdapter
from werkzeug.test import TestResponse

from service import canonical
from service.client import Client, NotFound
from service.forecasting.predictions import Opinion, Prediction
from service.forecasting.predictions.commitments import FeaturesDocument, commitment_of
from service.forecasting.predictions.documents import PredictionsDocument, list_all, predictions_document
from service.forecasting.predictions.market_fields import COLUMNS
from service.forecasting.predictions.scores.betting import shadow_document
from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.versus import ai_vs_market_document
from service.forecasting.voters.context import Context, Knowledge
from service.forecasting.voters.embedded import voters
from service.forecasting.voters.inputs import INPUTS
from service.jobs.committing import keep_opened, keep_votes
from service.market.bars import from_rows
from service.market.instants import DAY, HOUR, iso
from service.store import bars, listings, predictions, snapshots
from service.store.database import Database
from service.store.listings import MarketSelection
from tests.api.conftest import NOON, Wall
from tests.api.opened import commitment, header, hold, let_vote, market, odds, open_market, settle, tell_prices
from tests.forecasting.made import panel_of
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

    def test_it_is_revalidated_and_never_cached_by_others(self, client: FlaskClient, headers, document, publish):
        publish("predictions", NOON, document)
        answer = client.get(PATH, headers=headers)
        assert answer.headers["Cache-Control"] == "no-store"
        again = client.get(PATH, headers=headers | {"If-None-Match": answer.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")


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

    @pytest.mark.slow
    def test_a_caller_has_sixty_votes_an_hour(self, vote):
        statuses = [vote("yes" if n % 2 else "no").status_code for n in range(61)]
        assert statuses == [200] * 60 + [429]
        assert vote(address="203.0.113.8").status_code == 200


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


PAST = [replace(row, id=f"{row.id}-past") for row in many(230, weeks=3)]


@pytest.fixture
def filled(sqlite: Database) -> Database:
    """230 resolved markets, one open, and the list as the job publishes it."""
    opened = market(commitment=commitment(), odds=odds())
    with sqlite.writing() as db:
        predictions.add_predictions(db, [*PAST, opened])
        listings.add_opinions(db, "ai", {opened.id: Opinion(NOON, 0.94)})
        snapshots.publish(db, NOON, {"predictions": predictions_document([], header())})
    tell_prices(sqlite)
    return sqlite


@pytest.fixture
def reader(app: Flask, api_key: str) -> Client:
    return Client("http://service", api_key, transport=httpx.WSGITransport(app))


class TestPages:
    def test_a_page_is_as_described_and_links_to_the_next(self, client: FlaskClient, headers, filled, as_described):
        answer = client.get(f"{PATH}?status=resolved&asset=BTC&limit=3", headers=headers)
        as_described(PATH, answer.json)
        assert (answer.json["count"], {row["asset"] for row in answer.json["markets"]}) == (3, {"btc"})
        cursor = answer.json["next"]
        assert answer.headers["Link"] == f'<{PATH}?status=resolved&asset=BTC&limit=3&cursor={cursor}>; rel="next"'
        following = client.get(answer.headers["Link"].split(">")[0][1:], headers=headers)
        assert following.json["markets"][0]["deadline"] <= answer.json["markets"][-1]["deadline"]

    def test_the_client_reads_every_page(self, reader: Client, filled):
        rows = list(reader.pages("predictions", status="resolved", votes="none"))
        assert ({row["id"] for row in rows}, len(rows)) == ({row.id for row in PAST}, 230)
        assert all(row["ai_votes"] == {} and row["score"] for row in rows)

    def test_votes_that_are_left_out_are_counted(self, reader: Client, filled):
        """Before, `ai` had 0 votes for YES and 0 for NO."""
        shown, counted = (reader.predictions("resolved", votes=votes)["markets"] for votes in ("full", "none"))
        assert [row["ai"] for row in counted] == [row["ai"] for row in shown]
        assert all(row["ai"]["yes"] + row["ai"]["no"] for row in counted)

    def test_the_last_page_has_no_link(self, client: FlaskClient, headers, filled):
        answer = client.get(f"{PATH}?status=open", headers=headers)
        assert (answer.json["count"], answer.json["next"], "Link" in answer.headers) == (1, None, False)

    def test_an_open_market_shows_the_opinion_of_now(self, client: FlaskClient, headers, filled):
        """Before, an open market carried the votes and odds of its opening alone."""
        (shown,) = client.get(f"{PATH}?status=open", headers=headers).json["markets"]
        assert shown["ai"]["p_yes"] == 0.6
        assert shown["ai_now"] == {"p_yes": 0.94, "as_of": "2027-01-15T12:00:00Z"}
        assert shown["odds_now"] is None

    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ("status=closed", "status"),
            ("asset=doge", "asset"),
            ("category=challenge", "category"),
            ("sort=price", "sort"),
            ("limit=201", "limit"),
            ("limit=0", "limit"),
            ("cursor=abc", "cursor"),
            ("cursor=", "cursor"),
            ("colour=red", "colour"),
        ],
    )
    def test_a_wrong_parameter_is_refused_and_free(self, client: FlaskClient, headers, filled, query: str, field: str):
        answer = client.get(f"{PATH}?{query}", headers=headers)
        assert (answer.status_code, answer.json["errors"][0]["field"]) == (400, field)
        assert client.get("/api/v1/me", headers=headers).json["used"] == 0

    def test_the_stored_list_links_to_its_next_page(self, client: FlaskClient, headers, filled):
        with filled.writing() as db:
            cursor = listings.market_page(db, MarketSelection("resolved"), NOON, 1).following
            snapshots.publish(db, NOON, {"predictions": predictions_document([], header(), cursor)})
        assert client.get(PATH, headers=headers).headers["Link"] == f'<{PATH}?cursor={cursor}>; rel="next"'


class TestFiles:
    def test_a_csv_file_has_a_line_for_each_market(self, reader: Client, filled):
        lines = list(csv.DictReader(io.StringIO(reader.table("predictions", "resolved", limit=200).decode())))
        assert (len(lines), tuple(lines[0])) == (200, tuple(COLUMNS))
        stored = {row.id: row for row in PAST}[lines[0]["id"]]
        assert (lines[0]["template"], lines[0]["outcome"]) == (stored.question.comparator, stored.outcome)
        assert float(lines[0]["brier_ai"]) == pytest.approx(
            (stored.commitment.p - (stored.outcome == "yes")) ** 2, abs=1e-5
        )

    def test_without_parameters_it_has_the_open_markets(self, reader: Client, filled):
        (line,) = csv.DictReader(io.StringIO(reader.table("predictions").decode()))
        assert (line["status"], line["p_ai"], line["p_ai_now"], line["backfilled"]) == ("open", "0.6", "0.94", "false")

    def test_a_parquet_file_has_the_columns_of_the_csv_file(self, reader: Client, filled):
        """Of every page, with the same types."""
        file = pyarrow.parquet.read_table(
            io.BytesIO(reader.table("predictions", "resolved", form="parquet", limit=200))
        )
        lines = list(csv.DictReader(io.StringIO(reader.table("predictions", "resolved", limit=200).decode())))
        assert file.column_names == list(COLUMNS)
        assert file["id"].to_pylist() == [line["id"] for line in lines]
        assert file["brier_ai"].to_pylist() == [float(line["brier_ai"]) for line in lines]
        assert str(file.schema.field("resolved_at").type) == "timestamp[ms, tz=UTC]"
        opened = pyarrow.parquet.read_table(io.BytesIO(reader.table("predictions", form="parquet")))
        assert (opened.schema, opened["outcome"].to_pylist()) == (file.schema, [None])

    def test_a_parquet_file_links_to_its_next_page(self, client: FlaskClient, headers, filled):
        accept = {"Accept": "application/vnd.apache.parquet", "Accept-Encoding": "zstd, gzip"}
        answer = client.get(f"{PATH}?status=resolved&limit=3", headers=headers | accept)
        assert (answer.content_type, answer.data[:4]) == ("application/vnd.apache.parquet", b"PAR1")
        assert ("Content-Encoding" in answer.headers, "Link" in answer.headers) == (False, True)

    def test_the_bytes_are_csv_by_rfc_4180(self, client: FlaskClient, headers, filled):
        answer = client.get(PATH, headers=headers | {"Accept": "text/csv"})
        assert (answer.content_type, answer.data.endswith(b"\r\n")) == ("text/csv; charset=utf-8", True)
        assert "Accept" in answer.headers.getlist("Vary")


class TestOneMarket:
    OPENED = market(created_at=NOON - DAY, odds=odds())

    @pytest.fixture
    def settled(self, sqlite: Database) -> Database:
        """A market that was voted on, had two opinions, and was settled by a day of bars."""
        open_market(sqlite, self.OPENED)
        let_vote(sqlite, self.OPENED, commitment(NOON - DAY))
        hours = from_rows([(NOON - DAY + n * HOUR, *[50_000.0 + n] * 4, 1.0) for n in range(-2, 24)], HOUR)
        with sqlite.writing() as db:
            bars.add_bars(db, "btc", hours)
            listings.add_opinions(db, "ai", {self.OPENED.id: Opinion(NOON - HOUR, 0.9)})
            listings.add_opinions(db, "odds", {self.OPENED.id: Opinion(NOON - HOUR, 0.8, 0.79, None)})
        settle(sqlite, self.OPENED, "no", NOON)
        return sqlite

    def test_it_is_shown_with_everything_stored(self, client: FlaskClient, settled, as_described):
        shown = client.get(f"{PATH}/{self.OPENED.id}").json
        as_described(f"{PATH}/{{market_id}}", shown)
        assert {vote["reasoning"] for vote in shown["ai_votes"].values()} >= {"vol says so"}
        assert shown["ai_series"] == [{"p_yes": 0.9, "as_of": "2027-01-15T11:00:00Z"}]
        assert [(row["p_yes"], row["bid"], row["ask"]) for row in shown["odds_series"]] == [(0.8, 0.79, None)]
        assert (shown["resolution"]["outcome"], shown["score"]["brier_ai"]) == ("no", 0.36)
        assert [row["kind"] for row in shown["ledger"]] == ["votes"]

    def test_its_bars_are_those_that_settled_it(self, client: FlaskClient, settled):
        """From the price at the opening to the last bar before the deadline."""
        (evidence,) = client.get(f"{PATH}/{self.OPENED.id}").json["bars"]
        assert (evidence["asset"], evidence["step_s"], len(evidence["bars"])) == ("btc", 3600, 25)
        assert (evidence["bars"][0]["time"], evidence["bars"][-1]["close"]) == ("2027-01-14T11:00:00Z", 50_023.0)

    def test_an_open_market_has_no_bars(self, client: FlaskClient, sqlite: Database):
        open_market(sqlite, market())
        assert client.get(f"{PATH}/{market().id}").json["bars"] == []

    def test_the_own_vote_is_shown_to_its_key_alone(self, client: FlaskClient, headers, sqlite: Database):
        open_market(sqlite, market())
        client.post(f"{PATH}/{market().id}/vote", json={"vote": "no"}, headers=headers)
        own = client.get(f"{PATH}/{market().id}", headers=headers).json
        assert own["my_vote"] == {"vote": "no", "voted_at": "2027-01-15T12:00:00Z"}
        assert client.get(f"{PATH}/{market().id}").json["my_vote"] is None

    @pytest.mark.parametrize("id", ["none-such", "challenge-1", "00adcce31a6a83e7", "%00", "x" * 97])
    def test_of_another_id_there_is_none(self, client: FlaskClient, sqlite: Database, id: str):
        """Challenges have an address of their own, and an answer belongs to its caller."""
        with sqlite.writing() as db:
            predictions.add_predictions(db, [market("challenge-1", category="challenge", number=1)])
            predictions.add_predictions(db, [market("00adcce31a6a83e7", category="answer")])
        assert client.get(f"{PATH}/{id}").json["code"] == "not_found"

    def test_the_client_reads_it(self, reader: Client, settled):
        assert reader.prediction(self.OPENED.id)["id"] == self.OPENED.id
        with pytest.raises(NotFound):
            reader.prediction("none-such")


FEATURES = "/api/v1/features"
PLAIN = {"variance": {"ewma": -0.25}, "level": -11.5, "history_days": 90.0, "fast": 2e-05, "slow": 1e-07}


def voted(place: int = 0, spot: float = 50_000.0) -> Prediction:
    """A market with the votes that the panel casts at these prices."""
    at = NOON - (9 - place) * HOUR
    context = Context("btc", at, spot, inputs={"move_4h": None, "move_24h": 1.5}, correlations={"eth": 0.5}, **PLAIN)
    opened, knowledge = market(f"daily-btc-{place}", at), Knowledge({"btc": context})
    return replace(opened, commitment=commitment_of(panel_of(quorum=1).ask(opened.question, at, knowledge), knowledge))


@pytest.fixture
def markets(sqlite) -> list[Prediction]:
    """Five markets, one an hour."""
    opened = [voted(place, 50_000.0 + place) for place in range(5)]
    with sqlite.writing() as db:
        keep_opened(db, opened, NOON)
    return opened


def rows(client: FlaskClient, **query) -> list[dict]:
    answer = client.get(FEATURES, query_string=query)
    assert answer.status_code == 200, answer.text
    return answer.json["rows"]


def test_rows_are_the_committed_inputs(client: FlaskClient, markets, as_described):
    answer = client.get(FEATURES)
    as_described(FEATURES, answer.json)
    assert list(answer.json) == list(FeaturesDocument.__dataclass_fields__)
    assert [(row["hash"], row["voted_at"], row["asset"], row["inputs"]) for row in answer.json["rows"]] == [
        (market.commitment.features, iso(market.created_at), "btc", canonical.read(market.commitment.inputs))
        for market in markets
    ]


def test_the_hash_is_of_the_bytes_that_are_sent(client: FlaskClient, markets):
    """So no JSON library has to write numbers as this one does."""
    (row,) = rows(client, limit=1, since=iso(markets[-1].created_at))
    entry = client.get(f"{FEATURES}/{row['hash']}").data
    inputs = entry.split(b'"inputs":', 1)[1][:-1]
    assert b"1e-07" in inputs
    assert sha256(inputs).hexdigest() == row["hash"] == markets[-1].commitment.features
    text = json.dumps(row["inputs"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert sha256(text.encode()).hexdigest() == row["hash"]


def test_one_row_is_found_by_its_hash(client: FlaskClient, markets, as_described):
    row = rows(client)[2]
    answer = client.get(f"{FEATURES}/{row['hash']}")
    assert answer.json == row
    as_described(FEATURES + "/{hash}", answer.json)
    assert answer.headers["Cache-Control"] == "public, max-age=86400, immutable"
    for unknown in ("0" * 64, "x", "%00", row["hash"].upper()):
        assert client.get(f"{FEATURES}/{unknown}").status_code == 404


def test_a_market_names_its_row(client: FlaskClient, sqlite, api_key, markets):
    tell_prices(sqlite)
    shown = [client.get(f"/api/v1/predictions/{market.id}", headers={"X-API-Key": api_key}).json for market in markets]
    assert [market["features"] for market in shown] == [row["hash"] for row in rows(client)]


def test_pages_join_to_the_whole(client: FlaskClient, markets):
    seen, path = [], f"{FEATURES}?limit=2&asset=btc"
    while path:
        answer = client.get(path)
        seen += answer.json["rows"]
        path = answer.headers["Link"].split(">")[0][1:] if answer.json["next"] else None
    assert (seen, len(seen)) == (rows(client), 5)


def test_rows_are_selected_by_asset_and_time(client: FlaskClient, markets):
    assert rows(client, asset="eth") == []
    window = {"since": iso(markets[1].created_at), "until": iso(markets[2].created_at)}
    assert [row["voted_at"] for row in rows(client, **window)] == [iso(market.created_at) for market in markets[1:3]]


@pytest.mark.parametrize(
    ("query", "field"),
    [("limit=201", "limit"), ("limit=0", "limit"), ("cursor={other}", "cursor"), ("asset=doge", "asset")],
)
def test_a_wrong_query_is_refused_with_its_field(client: FlaskClient, markets, query: str, field: str):
    other = client.get(f"{FEATURES}?limit=1&asset=btc").json["next"]
    refused = client.get(f"{FEATURES}?{query.format(other=other)}")
    assert (refused.status_code, [error["field"] for error in refused.json["errors"]]) == (400, [field])


def test_votes_from_the_same_inputs_share_a_row(client: FlaskClient, sqlite):
    """Two markets of one hour, and a challenge."""
    opened = voted()
    challenge = open_market(sqlite, replace(opened, id="challenge-1", category="challenge", number=1, commitment=None))
    with sqlite.writing() as db:
        keep_opened(db, [opened, replace(opened, id="weekly-btc-0")], NOON)
        keep_votes(db, challenge, opened.commitment, NOON)
    (row,) = rows(client)
    ledger = client.get("/api/v1/ledger?kind=votes").json["entries"]
    assert [entry["body"]["features"] for entry in ledger] == [row["hash"]] * 3


def test_the_inputs_of_every_voter_are_named(client: FlaskClient):
    named = client.get(FEATURES).json["voters"]
    assert list(named) == [voter.name for voter in voters()]
    inputs = {name for read in named.values() for name in (*read["inputs"], *read["calendar"])}
    assert inputs == set(INPUTS)
