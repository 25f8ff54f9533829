"""The leaderboard, which needs a key, and the public page of each strategy."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict

import pytest
from flask.testing import FlaskClient

from service.market.assets import ASSETS
from service.market.headers import header, month_header
from service.market.months import ends
from service.trading.arena import Arena
from service.trading.health import MEASURES
from service.trading.hospital import HospitalDocument, admit, past, snapshot
from service.trading.leaderboard import LeaderboardDocument, leaderboard, strategy_page
from service.trading.strategies import STRATEGIES
from tests.api.web import refusal_of

PATH = "/api/v1/leaderboard"


@pytest.fixture(scope="module")
def boards(arena: Arena) -> dict[str, LeaderboardDocument]:
    """The seven documents of the ranking, by the name they are stored under."""
    head = header(arena.as_of, arena.as_of, step=300, world="simulated", sources={"btc": "made"})
    names = {"leaderboard": None} | {f"leaderboard/{asset}": asset for asset in ASSETS}
    return {name: leaderboard(arena, head, asset) for name, asset in names.items()}


@pytest.fixture
def ranking(boards, arena, publish) -> None:
    for name, document in boards.items():
        publish(name, arena.as_of, document)


def plain(document: object) -> dict:
    return json.loads(json.dumps(asdict(document)))


class TestLeaderboard:
    def test_it_is_of_all_assets_or_of_one(self, client: FlaskClient, headers, ranking, boards, check_schema):
        for query, asset in (("", None), *((f"?asset={asset}", asset) for asset in ASSETS)):
            board = client.get(f"{PATH}{query}", headers=headers).json
            assert (board, board["asset"]) == (plain(boards[f"leaderboard/{asset}" if asset else "leaderboard"]), asset)
            check_schema(PATH, board)

    @pytest.mark.parametrize("query", ["asset=pepe", "asset=", "asset=null", "asset=btc&asset=eth"])
    def test_an_unknown_asset_is_refused_and_not_counted(self, client, headers, ranking, query: str, usage):
        assert refusal_of(client.get(f"{PATH}?{query}", headers=headers)) == (400, "invalid_request", "asset")
        assert usage() == 0

    def test_it_counts_against_the_daily_quota(self, client: FlaskClient, headers, ranking):
        """Current copies and heads cost nothing, not even then; a refusal has no header of the document."""
        tag, *_ = [client.get(PATH, headers=headers).headers["ETag"] for _ in range(10)]
        refusal = client.get(PATH, headers=headers)
        assert refusal_of(refusal) == (429, "quota_exhausted")
        assert not {"ETag", "Content-Encoding"} & set(refusal.headers.keys())
        current = client.get(PATH, headers=headers | {"If-None-Match": tag})
        head = client.head(PATH, headers=headers)
        assert (current.status_code, head.status_code, head.data) == (304, 200, b"")
        assert {answer.headers["X-RateLimit-Remaining"] for answer in (current, head)} == {"0"}

    def test_copies_that_are_current_are_limited_by_the_minute(self, client: FlaskClient, headers, ranking):
        """They do not count against the day, and no cache keeps them for others."""
        answer = client.get(PATH, headers=headers)
        tag = {"If-None-Match": answer.headers["ETag"]}
        copy, *copies, refusal = [client.get(PATH, headers=headers | tag) for _ in range(120)]
        assert {answer.headers["Cache-Control"], copy.headers["Cache-Control"]} == {"no-store"}
        assert copy.headers["X-RateLimit-Remaining"] == "9"
        assert {(copy.status_code, copy.data) for copy in (copy, *copies)} == {(304, b"")}
        assert refusal.status_code == 429

    def test_as_a_csv_file_it_has_every_strategy_and_ghost(self, client: FlaskClient, headers, ranking, boards):
        answer = client.get(f"{PATH}?asset=btc", headers=headers | {"Accept": "text/csv"})
        lines = list(csv.DictReader(io.StringIO(answer.text)))
        board = boards["leaderboard/btc"]
        assert [line["key"] for line in lines] == [entry.key for entry in (*board.entries, *board.ghosts)]
        assert [line["rank"] for line in lines] == [*map(str, range(1, len(STRATEGIES) + 1)), "", ""]
        assert {(line["as_of"], line["world"]) for line in lines} == {(board.as_of, "simulated")}
        assert "positions" not in lines[0]

    def test_before_the_first_ranking_it_is_503_and_free(self, client: FlaskClient, headers, usage):
        assert refusal_of(client.get(PATH, headers=headers)) == (503, "unavailable")
        assert usage() == 0


class TestStrategy:
    def test_the_page_of_every_strategy_is_public(self, client: FlaskClient, boards, arena, publish, check_schema):
        head = header(arena.as_of, arena.as_of, step=3600, world="simulated", sources={"btc": "made"})
        assert {entry.key for entry in boards["leaderboard"].entries} == STRATEGIES.keys()
        for entry in boards["leaderboard"].entries:
            page = strategy_page(arena, entry, head)
            publish(f"strategies/{entry.key}", arena.as_of, page)
            body = client.get(f"/api/v1/strategies/{entry.key}").json
            assert body == plain(page)
            check_schema("/api/v1/strategies/{key}", body)

    @pytest.mark.parametrize("key", ["none_such", "MACD_FAST", "buy_and_hold", "..", "%00", "macd_fast%20"])
    def test_an_unknown_strategy_gets_a_link_to_the_list(self, client: FlaskClient, key: str):
        refusal = client.get(f"/api/v1/strategies/{key}")
        assert refusal_of(refusal) == (404, "not_found")
        assert "/api/v1/strategies" in refusal.json["detail"]


HOSPITAL = "/api/v1/strategy-hospital"
MONTHS = ("2025-01", "2025-02")


@pytest.fixture(scope="module")
def snapshots(arena: Arena) -> dict[str, HospitalDocument]:
    """The snapshots of January and February."""
    documents: dict[str, HospitalDocument] = {}
    for month in MONTHS:
        before = {earlier: past(plain(document)) for earlier, document in documents.items()}
        header = month_header(ends(month), month, world="simulated", sources={"btc": "made"})
        documents[month] = snapshot(month, admit(arena, month), before, header)
    return documents


@pytest.fixture
def reviews(snapshots, publish) -> None:
    for month, document in snapshots.items():
        publish(f"strategy-hospital/{month}", ends(month), document)
        publish("strategy-hospital", ends(month), document)


def test_the_snapshot_of_every_month_is_kept(client: FlaskClient, reviews, snapshots, check_schema):
    """Without a month it is the last one."""
    for query, month in (("", "2025-02"), *((f"?month={month}", month) for month in MONTHS)):
        snapshot = client.get(f"{HOSPITAL}{query}").json
        assert (snapshot, snapshot["snapshot_month"]) == (plain(snapshots[month]), month)
        check_schema(HOSPITAL, snapshot)


def test_its_links_lead_to_the_previous_month_and_the_method(client: FlaskClient, reviews, openapi_document):
    links = client.get(HOSPITAL).json["links"]
    assert client.get(links["history"]).json["snapshot_month"] == "2025-01"
    page, _, anchor = links["methodology"].partition("#")
    assert client.get(page).mimetype == "text/html"
    method, _, path = anchor.partition("-")
    description = openapi_document["paths"][path][method]["description"]
    assert all(f"`{name}_score`" in description for name in MEASURES)


@pytest.mark.parametrize("month", ["2024-12", "2025-03", "0000-01", "9999-12"])
def test_an_unknown_month_is_404_with_the_available_months(client: FlaskClient, reviews, month: str):
    refusal = client.get(HOSPITAL, query_string={"month": month})
    assert refusal_of(refusal) == (404, "not_found")
    assert refusal.json["detail"].endswith("Available months: 2025-01, 2025-02.")


def test_the_strategies_are_listed_with_rule_and_source(client: FlaskClient):
    page = client.get("/api/v1/strategies").json
    assert (page["count"], [row["key"] for row in page["strategies"]]) == (len(STRATEGIES), list(STRATEGIES))
    assert all(row["source"] and row["description"] for row in page["strategies"])
