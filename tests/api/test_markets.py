"""Pages of markets, one market whole, and the files that researchers read."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import httpx
import pyarrow.parquet
import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.client import Client, NotFound
from service.forecasting.predictions import Opinion
from service.forecasting.predictions.documents import predictions_document
from service.forecasting.predictions.market_fields import COLUMNS
from service.market.bars import from_rows
from service.market.instants import DAY, HOUR
from service.store import bars, market_pages, opinions, predictions, snapshots
from service.store.database import Database
from service.store.market_pages import MarketSelection
from tests.api.conftest import NOON
from tests.api.opened import commitment, header, let_vote, market, odds, open_market, settle, tell_prices
from tests.forecasting.markets import many

PATH = "/api/v1/predictions"
PAST = [replace(row, id=f"{row.id}-past") for row in many(230, weeks=3)]


@pytest.fixture
def headers(api_key: str) -> dict[str, str]:
    return {"X-API-Key": api_key}


@pytest.fixture
def filled(sqlite: Database) -> Database:
    """230 resolved markets, one open, and the list as the job publishes it."""
    opened = market(commitment=commitment(), odds=odds())
    with sqlite.writing() as db:
        predictions.add(db, [*PAST, opened])
        opinions.add(db, "ai", {opened.id: Opinion(NOON, 0.94)})
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
        rows = list(reader.all_predictions(status="resolved", votes="none"))
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

    def test_a_page_is_revalidated(self, client: FlaskClient, headers, filled):
        answer = client.get(f"{PATH}?status=resolved", headers=headers)
        again = client.get(f"{PATH}?status=resolved", headers=headers | {"If-None-Match": answer.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")

    def test_the_stored_list_links_to_its_next_page(self, client: FlaskClient, headers, filled):
        with filled.writing() as db:
            cursor = market_pages.page(db, MarketSelection("resolved"), NOON, 1).following
            snapshots.publish(db, NOON, {"predictions": predictions_document([], header(), cursor)})
        assert client.get(PATH, headers=headers).headers["Link"] == f'<{PATH}?cursor={cursor}>; rel="next"'


class TestFiles:
    def test_a_csv_file_has_a_line_for_each_market(self, reader: Client, filled):
        lines = list(csv.DictReader(io.StringIO(reader.predictions_csv(status="resolved", limit=200))))
        assert (len(lines), tuple(lines[0])) == (200, tuple(COLUMNS))
        stored = {row.id: row for row in PAST}[lines[0]["id"]]
        assert (lines[0]["template"], lines[0]["outcome"]) == (stored.question.comparator, stored.outcome)
        assert float(lines[0]["brier_ai"]) == pytest.approx(
            (stored.commitment.p - (stored.outcome == "yes")) ** 2, abs=1e-5
        )

    def test_without_parameters_it_has_the_open_markets(self, reader: Client, filled):
        (line,) = csv.DictReader(io.StringIO(reader.predictions_csv()))
        assert (line["status"], line["p_ai"], line["p_ai_now"], line["backfilled"]) == ("open", "0.6", "0.94", "false")

    def test_a_parquet_file_has_the_columns_of_the_csv_file(self, reader: Client, filled):
        """Of every page, with the same types."""
        file = pyarrow.parquet.read_table(io.BytesIO(reader.predictions_parquet(status="resolved", limit=200)))
        lines = list(csv.DictReader(io.StringIO(reader.predictions_csv(status="resolved", limit=200))))
        assert file.column_names == list(COLUMNS)
        assert file["id"].to_pylist() == [line["id"] for line in lines]
        assert file["brier_ai"].to_pylist() == [float(line["brier_ai"]) for line in lines]
        assert str(file.schema.field("resolved_at").type) == "timestamp[ms, tz=UTC]"
        opened = pyarrow.parquet.read_table(io.BytesIO(reader.predictions_parquet()))
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
            bars.add(db, "btc", hours)
            opinions.add(db, "ai", {self.OPENED.id: Opinion(NOON - HOUR, 0.9)})
            opinions.add(db, "odds", {self.OPENED.id: Opinion(NOON - HOUR, 0.8, 0.79, None)})
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

    def test_reading_it_costs_no_daily_quota(self, client: FlaskClient, headers, sqlite: Database):
        open_market(sqlite, market())
        client.get(f"{PATH}/{market().id}", headers=headers)
        assert client.get("/api/v1/me", headers=headers).json["used"] == 0

    @pytest.mark.parametrize("id", ["none-such", "challenge-1", "00adcce31a6a83e7", "%00", "x" * 97])
    def test_of_another_id_there_is_none(self, client: FlaskClient, sqlite: Database, id: str):
        """Challenges have an address of their own, and an answer belongs to its caller."""
        with sqlite.writing() as db:
            predictions.add(db, [market("challenge-1", category="challenge", number=1)])
            predictions.add(db, [market("00adcce31a6a83e7", category="answer")])
        assert client.get(f"{PATH}/{id}").json["code"] == "not_found"

    def test_the_client_reads_it(self, reader: Client, settled):
        assert reader.prediction(self.OPENED.id)["id"] == self.OPENED.id
        with pytest.raises(NotFound):
            reader.prediction("none-such")
