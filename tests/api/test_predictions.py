"""Prediction markets are listed for who has a key, and voted on by everybody."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256

import httpx
import pyarrow.parquet
import pytest
import rfc8785
from flask import Flask
from flask.testing import FlaskClient
from pydantic import TypeAdapter

from service import canonical
from service.client import Client
from service.forecasting.predictions import Opinion, Prediction
from service.forecasting.predictions.commitments import FeaturesDocument, commitment_of
from service.forecasting.predictions.documents import PredictionsDocument, list_all, predictions_document
from service.forecasting.predictions.market_fields import COLUMNS
from service.forecasting.voters.context import Context, Knowledge
from service.forecasting.voters.inputs import INPUTS
from service.forecasting.voters.panel import VOTERS
from service.jobs.committing import keep_opened, keep_votes
from service.market.bars import from_rows
from service.market.instants import DAY, HOUR, iso
from service.store import bars, keys, listings, predictions, snapshots
from service.store.database import Database
from service.store.listings import MarketSelection
from tests.api.conftest import NOON
from tests.api.opened import commitment, header, let_vote, market, odds, open_market, settle, tell_list, walk
from tests.api.web import EMAIL, refusal_of, sent
from tests.forecasting.made import panel_of
from tests.forecasting.markets import many

PATH = "/api/v1/predictions"


def test_the_list_is_served_as_it_was_made(call, api_key, publish, check_schema):
    prediction = market(commitment=commitment(), odds=odds())
    (row,) = list_all([prediction], tallies={prediction.id: (2, 1)}, prices={}, opinions={}, now=NOON)
    document = predictions_document([row], header())
    publish("predictions", NOON, document)
    page = call("GET", PATH, key=api_key).json
    assert page == TypeAdapter(PredictionsDocument).dump_python(document, mode="json")
    check_schema(PATH, page)


def test_each_caller_has_one_vote_that_may_be_changed(make_app: Callable[..., Flask], database: Database):
    """It is counted at once; free keys of one address, and all networks of an IPv6 customer, share one."""
    app, id = make_app(database), open_market(database, market()).id

    def vote(side: str, **options) -> dict:
        return sent(app, "POST", f"{PATH}/{id}/vote", json={"vote": side}, **options).json

    first = {"market_id": id, "vote": "yes", "voted_at": "2027-01-15T12:00:00Z"}
    assert vote("yes") == first | {"user_votes": {"yes": 1, "no": 0, "total": 1, "yes_pct": 100.0}}
    assert vote("no")["user_votes"] == {"yes": 0, "no": 1, "total": 1, "yes_pct": 0.0}
    vote("yes", address="203.0.113.8")
    own_keys = [sent(app, "POST", "/api/v1/register", json={"email": EMAIL}).json["api_key"] for _ in range(3)]
    assert {vote("no", key=key)["user_votes"]["total"] for key in own_keys} == {2}
    assert vote("no", address="2001:db8:1:1::1")["user_votes"]["total"] == 3
    assert vote("yes", address="2001:db8:1:2::1")["user_votes"] == {"yes": 2, "no": 1, "total": 3, "yes_pct": 66.7}
    with database.writing() as db:
        keys.grant_plan(db, own_keys[0].split("_")[2], "paid")
    assert vote("no", key=own_keys[0])["user_votes"]["total"] == 4


PAST = [replace(row, id=f"{row.id}-past") for row in many(230, weeks=3)]


@pytest.fixture
def history(sqlite: Database) -> Database:
    """230 resolved markets, one open, and the list as the job publishes it."""
    prediction = market(commitment=commitment(), odds=odds())
    with sqlite.writing() as db:
        predictions.add_predictions(db, [*PAST, prediction])
        listings.add_opinions(db, "ai", {prediction.id: Opinion(NOON, 0.94)})
    tell_list(sqlite)
    return sqlite


@pytest.fixture
def reader(app: Flask, api_key: str) -> Client:
    return Client("http://service", api_key, transport=httpx.WSGITransport(app))


class TestPages:
    def test_a_page_is_as_described_and_links_to_the_next(self, client: FlaskClient, headers, history, check_schema):
        answer = client.get(f"{PATH}?status=resolved&asset=BTC&limit=3", headers=headers)
        check_schema(PATH, answer.json)
        assert (answer.json["count"], {row["asset"] for row in answer.json["markets"]}) == (3, {"btc"})
        cursor = answer.json["next"]
        assert answer.headers["Link"] == f'<{PATH}?status=resolved&asset=BTC&limit=3&cursor={cursor}>; rel="next"'
        following = client.get(answer.headers["Link"].split(">")[0][1:], headers=headers)
        assert following.json["markets"][0]["deadline"] <= answer.json["markets"][-1]["deadline"]

    def test_without_a_key_every_page_is_the_same_without_votes(self, reader: Client, client: FlaskClient, history):
        """The client reads them all; `ai` counts the votes that are left out."""
        rows = list(reader.pages("predictions", status="resolved"))
        assert ({row["id"] for row in rows}, len(rows)) == ({row.id for row in PAST}, 230)
        assert all(row["ai_votes"] and row["score"] and row["ai"]["yes"] + row["ai"]["no"] for row in rows)
        public_rows = walk(client, "/api/v1/markets?status=resolved&limit=90", "markets")
        assert public_rows == [row | {"ai_votes": {}} for row in rows]

    def test_a_long_page_counts_more_than_once(self, client: FlaskClient, history):
        """Reading a hundred markets costs as much as ten thousand rows of another list."""
        for limit, remaining in ((99, 119), (100, 117), (200, 114)):
            answer = client.get(f"/api/v1/markets?status=resolved&limit={limit}")
            assert answer.headers["RateLimit"].startswith(f'"telemetry";r={remaining};')

    def test_an_open_market_shows_the_opinion_of_now(self, client: FlaskClient, headers, history):
        """Before, an open market carried the votes and odds of its opening alone."""
        answer = client.get(f"{PATH}?status=open", headers=headers)
        assert (answer.json["count"], answer.json["next"], "Link" in answer.headers) == (1, None, False)
        (body,) = answer.json["markets"]
        assert body["ai"]["p_yes"] == 0.6
        assert body["ai_now"] == {"p_yes": 0.94, "as_of": "2027-01-15T12:00:00Z"}
        assert body["odds_now"] is None

    def test_the_stored_list_links_to_its_next_page(self, client: FlaskClient, headers, history):
        with history.writing() as db:
            _, cursor = listings.market_page(db, MarketSelection("resolved"), NOON, 1)
            snapshots.publish(db, NOON, {"predictions": predictions_document([], header(), cursor)})
        assert client.get(PATH, headers=headers).headers["Link"] == f'<{PATH}?cursor={cursor}>; rel="next"'


def read_csv(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


class TestFiles:
    def test_without_parameters_it_has_the_open_markets(self, reader: Client, history):
        (line,) = read_csv(reader.table("predictions"))
        assert (line["status"], line["p_ai"], line["p_ai_now"], line["backfilled"]) == ("open", "0.6", "0.94", "false")

    def test_a_parquet_file_has_the_columns_of_the_csv_file(self, reader: Client, history):
        """Of every page, with the same types."""
        content = reader.table("predictions", "resolved", form="parquet", limit=200)
        file = pyarrow.parquet.read_table(io.BytesIO(content))
        lines = read_csv(reader.table("predictions", "resolved", limit=200))
        assert file.column_names == list(COLUMNS)
        assert file["id"].to_pylist() == [line["id"] for line in lines]
        assert file["brier_ai"].to_pylist() == [float(line["brier_ai"]) for line in lines]
        assert str(file.schema.field("resolved_at").type) == "timestamp[ms, tz=UTC]"
        page = pyarrow.parquet.read_table(io.BytesIO(reader.table("predictions", form="parquet")))
        assert (page.schema, page["outcome"].to_pylist()) == (file.schema, [None])

    def test_a_file_is_packed_once_and_links_to_its_next_page(self, client: FlaskClient, headers, history):
        """The CSV is that of RFC 4180."""
        accept = {"Accept": "application/vnd.apache.parquet", "Accept-Encoding": "zstd, gzip"}
        answer = client.get(f"{PATH}?status=resolved&limit=3", headers=headers | accept)
        assert (answer.content_type, answer.data[:4]) == ("application/vnd.apache.parquet", b"PAR1")
        assert ("Content-Encoding" in answer.headers, "Link" in answer.headers) == (False, True)
        answer = client.get(PATH, headers=headers | {"Accept": "text/csv"})
        assert (answer.content_type, answer.data.endswith(b"\r\n")) == ("text/csv; charset=utf-8", True)
        assert "Accept" in answer.headers.getlist("Vary")


class TestOneMarket:
    MARKET = market(created_at=NOON - DAY, odds=odds())

    @pytest.fixture
    def settlement(self, sqlite: Database) -> Database:
        """A market that was voted on, had two opinions, and was settled by a day of bars."""
        open_market(sqlite, self.MARKET)
        let_vote(sqlite, self.MARKET, commitment(NOON - DAY))
        hours = from_rows([(NOON - DAY + n * HOUR, *[50_000.0 + n] * 4, 1.0) for n in range(-2, 24)], HOUR)
        with sqlite.writing() as db:
            bars.add_bars(db, "btc", hours)
            listings.add_opinions(db, "ai", {self.MARKET.id: Opinion(NOON - HOUR, 0.9)})
            listings.add_opinions(db, "odds", {self.MARKET.id: Opinion(NOON - HOUR, 0.8, 0.79, None)})
        settle(sqlite, self.MARKET, "no", NOON)
        return sqlite

    def test_it_is_shown_with_everything_stored(self, client: FlaskClient, settlement, check_schema):
        """Its bars are those that settled it: from the price at the opening to the last one before the deadline."""
        body = client.get(f"{PATH}/{self.MARKET.id}").json
        check_schema(f"{PATH}/{{market_id}}", body)
        assert {vote["reasoning"] for vote in body["ai_votes"].values()} >= {"vol says so"}
        assert body["ai_series"] == [{"p_yes": 0.9, "as_of": "2027-01-15T11:00:00Z"}]
        assert [(row["p_yes"], row["bid"], row["ask"]) for row in body["odds_series"]] == [(0.8, 0.79, None)]
        assert (body["resolution"]["outcome"], body["score"]["brier_ai"]) == ("no", 0.36)
        assert [row["kind"] for row in body["ledger"]] == ["votes"]
        (evidence,) = body["bars"]
        assert (evidence["asset"], evidence["step_s"], len(evidence["bars"])) == ("btc", 3600, 25)
        assert (evidence["bars"][0]["time"], evidence["bars"][-1]["close"]) == ("2027-01-14T11:00:00Z", 50_023.0)

    def test_the_own_vote_is_shown_to_its_key_alone(self, client: FlaskClient, headers, sqlite: Database):
        path = f"{PATH}/{open_market(sqlite, market()).id}"
        client.post(f"{path}/vote", json={"vote": "no"}, headers=headers)
        own_vote = client.get(path, headers=headers).json["my_vote"]
        assert own_vote == {"vote": "no", "voted_at": "2027-01-15T12:00:00Z"}
        stranger = client.get(path).json
        assert (stranger["my_vote"], stranger["bars"]) == (None, [])

    @pytest.mark.parametrize("id", ["none-such", "00adcce31a6a83e7", "%00", "x" * 97])
    def test_of_another_id_there_is_none(self, client: FlaskClient, sqlite: Database, id: str):
        """An answer belongs to its caller."""
        with sqlite.writing() as db:
            predictions.add_predictions(db, [market("00adcce31a6a83e7", category="answer")])
        assert client.get(f"{PATH}/{id}").json["code"] == "not_found"


FEATURES = "/api/v1/features"
PLAIN = {"variance": {"ewma": -0.25}, "level": -11.5, "history_days": 90.0, "fast": 2e-05, "slow": 1e-07}


def voted(place: int = 0, spot: float = 50_000.0) -> Prediction:
    """A market with the votes that the panel casts at these prices."""
    at = NOON - (9 - place) * HOUR
    context = Context("btc", at, spot, inputs={"move_4h": None, "move_24h": 1.5}, correlations={"eth": 0.5}, **PLAIN)
    prediction, knowledge = market(f"daily-btc-{place}", at), Knowledge({"btc": context})
    ballots = panel_of(quorum=1).ask(prediction.question, at, knowledge)
    return replace(prediction, commitment=commitment_of(ballots, knowledge))


@pytest.fixture
def markets(sqlite) -> list[Prediction]:
    """Five markets, one an hour."""
    markets = [voted(place, 50_000.0 + place) for place in range(5)]
    with sqlite.writing() as db:
        keep_opened(db, markets, NOON)
    return markets


def rows(client: FlaskClient, **query) -> list[dict]:
    return client.get(FEATURES, query_string=query).json["rows"]


def test_rows_are_the_committed_inputs(client: FlaskClient, markets, check_schema):
    page = client.get(FEATURES).json
    check_schema(FEATURES, page)
    assert list(page) == list(FeaturesDocument.__dataclass_fields__)
    assert [(row["hash"], row["voted_at"], row["asset"], row["inputs"]) for row in page["rows"]] == [
        (market.commitment.features, iso(market.created_at), "btc", canonical.read(market.commitment.inputs))
        for market in markets
    ]


def test_the_hash_is_of_the_bytes_that_are_sent(client: FlaskClient, markets):
    """So no JSON library has to write numbers as this one does."""
    (row,) = rows(client, limit=1, since=iso(markets[-1].created_at))
    entry = client.get(f"{FEATURES}/{row['hash']}").data
    inputs = entry.split(b'"inputs":', 1)[1][:-1]
    assert b"1e-7" in inputs
    assert sha256(inputs).hexdigest() == row["hash"] == markets[-1].commitment.features
    assert sha256(rfc8785.dumps(row["inputs"])).hexdigest() == row["hash"]


def test_one_row_is_found_by_its_hash(client: FlaskClient, markets, check_schema):
    row = rows(client)[2]
    answer = client.get(f"{FEATURES}/{row['hash']}")
    assert answer.json == row
    check_schema(FEATURES + "/{hash}", answer.json)
    assert answer.headers["Cache-Control"] == "public, max-age=86400, immutable"
    for unknown in ("0" * 64, "x", "%00", row["hash"].upper()):
        assert client.get(f"{FEATURES}/{unknown}").status_code == 404


def test_a_market_names_its_row(client: FlaskClient, markets):
    bodies = [client.get(f"{PATH}/{market.id}").json for market in markets]
    assert [body["features"] for body in bodies] == [row["hash"] for row in rows(client)]


def test_rows_are_selected_and_their_pages_join(client: FlaskClient, markets):
    assert walk(client, f"{FEATURES}?limit=2&asset=btc", "rows") == rows(client)
    assert rows(client, asset="eth") == []
    cursor = client.get(f"{FEATURES}?limit=1&asset=btc").json["next"]
    assert refusal_of(client.get(f"{FEATURES}?cursor={cursor}")) == (400, "invalid_request", "cursor")
    window = {"since": iso(markets[1].created_at), "until": iso(markets[2].created_at)}
    assert [row["voted_at"] for row in rows(client, **window)] == [iso(market.created_at) for market in markets[1:3]]


def test_votes_from_the_same_inputs_share_a_row(client: FlaskClient, sqlite):
    """Two markets of one hour, and a challenge."""
    prediction = voted()
    question = replace(prediction, id="challenge-1", category="challenge", number=1, commitment=None)
    challenge = open_market(sqlite, question)
    with sqlite.writing() as db:
        keep_opened(db, [prediction, replace(prediction, id="weekly-btc-0")], NOON)
        keep_votes(db, challenge, prediction.commitment, NOON)
    (row,) = rows(client)
    ledger = client.get("/api/v1/ledger?kind=votes").json["entries"]
    assert [entry["body"]["features"] for entry in ledger] == [row["hash"]] * 3


def test_the_inputs_of_every_voter_are_named(client: FlaskClient):
    voters_inputs = client.get(FEATURES).json["voters"]
    assert list(voters_inputs) == [voter.name for voter in VOTERS]
    inputs = {name for read in voters_inputs.values() for name in (*read["inputs"], *read["calendar"])}
    assert inputs == set(INPUTS)
