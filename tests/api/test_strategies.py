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
from service.trading.leaderboard import LeaderboardDocument, StrategyDocument, leaderboard, strategy_page
from service.trading.strategies import STRATEGIES

PATH = "/api/v1/leaderboard"


@pytest.fixture(scope="module")
def boards(arena: Arena) -> dict[str, LeaderboardDocument]:
    """The seven documents of the ranking, by the name they are stored under."""
    head = header(arena.as_of, arena.as_of, step=300, world="simulated", sources={"btc": "made"})
    names = {"leaderboard": None} | {f"leaderboard/{asset}": asset for asset in ASSETS}
    return {name: leaderboard(arena, head, asset) for name, asset in names.items()}


@pytest.fixture(scope="module")
def pages(arena: Arena) -> dict[str, StrategyDocument]:
    """The page of each strategy, by key."""
    head = header(arena.as_of, arena.as_of, step=3600, world="simulated", sources={"btc": "made"})
    return {entry.key: strategy_page(arena, entry, head) for entry in leaderboard(arena, head).entries}


@pytest.fixture
def ranking(boards, arena, publish) -> None:
    for name, document in boards.items():
        publish(name, arena.as_of, document)


def plain(document: object) -> dict:
    return json.loads(json.dumps(asdict(document)))


class TestLeaderboard:
    def test_without_an_asset_it_is_of_all_assets(self, client: FlaskClient, headers, ranking, boards, check_schema):
        answer = client.get(PATH, headers=headers)
        assert answer.json == plain(boards["leaderboard"])
        assert (answer.json["asset"], answer.json["count"]) == (None, len(STRATEGIES))
        assert answer.json["assets"] == list(ASSETS)
        assert [entry["rank"] for entry in answer.json["entries"]] == list(range(1, len(STRATEGIES) + 1))
        assert [ghost["rank"] for ghost in answer.json["ghosts"]] == [None, None]
        check_schema(PATH, answer.json)

    @pytest.mark.parametrize("asset", ASSETS)
    def test_with_an_asset_it_ranks_the_accounts_in_it(self, client: FlaskClient, headers, ranking, boards, asset: str):
        answer = client.get(PATH, query_string={"asset": asset}, headers=headers).json
        assert answer == plain(boards[f"leaderboard/{asset}"])
        assert (answer["asset"], answer["assets"]) == (asset, [asset])
        assert {position["asset"] for entry in answer["entries"] for position in entry["positions"]} <= {asset}

    @pytest.mark.parametrize("query", ["asset=pepe", "asset=", "asset=null", "asset=btc&asset=eth"])
    def test_an_unknown_asset_is_refused_and_not_counted(self, client: FlaskClient, headers, ranking, query: str):
        refusal = client.get(f"{PATH}?{query}", headers=headers)
        assert (refusal.status_code, refusal.json["code"]) == (400, "invalid_request")
        assert refusal.json["errors"][0]["field"] == "asset"
        assert client.get("/api/v1/me", headers=headers).json["used"] == 0

    def test_it_counts_against_the_daily_quota(self, client: FlaskClient, headers, ranking):
        """Current copies and heads cost nothing, not even then; a refusal has no header of the document."""
        tag, *_ = [client.get(PATH, headers=headers).headers["ETag"] for _ in range(10)]
        refusal = client.get(PATH, headers=headers)
        assert (refusal.status_code, refusal.json["code"]) == (429, "quota_exhausted")
        assert not {"ETag", "Content-Encoding"} & set(refusal.headers.keys())
        current = client.get(PATH, headers=headers | {"If-None-Match": tag})
        head = client.head(PATH, headers=headers)
        assert (current.status_code, head.status_code, head.data) == (304, 200, b"")
        assert {answer.headers["X-RateLimit-Remaining"] for answer in (current, head)} == {"0"}

    def test_it_is_revalidated_and_never_cached_by_others(self, client: FlaskClient, headers, ranking):
        answer = client.get(PATH, headers=headers)
        assert answer.headers["Cache-Control"] == "no-store"
        revalidation = client.get(PATH, headers=headers | {"If-None-Match": answer.headers["ETag"]})
        assert (revalidation.status_code, revalidation.data) == (304, b"")
        assert revalidation.headers["X-RateLimit-Remaining"] == "9"
        assert revalidation.headers["Cache-Control"] == "no-store"

    def test_copies_that_are_current_are_limited_by_the_minute(self, client: FlaskClient, headers, ranking):
        tag = client.get(PATH, headers=headers).headers["ETag"]
        came = [client.get(PATH, headers=headers | {"If-None-Match": tag}).status_code for _ in range(120)]
        assert came == [304] * 119 + [429]

    def test_as_a_csv_file_it_has_every_strategy_and_ghost(self, client: FlaskClient, headers, ranking, boards):
        answer = client.get(f"{PATH}?asset=btc", headers=headers | {"Accept": "text/csv"})
        lines = list(csv.DictReader(io.StringIO(answer.text)))
        board = boards["leaderboard/btc"]
        assert [line["key"] for line in lines] == [entry.key for entry in (*board.entries, *board.ghosts)]
        assert [line["rank"] for line in lines] == [*map(str, range(1, len(STRATEGIES) + 1)), "", ""]
        assert {(line["as_of"], line["world"]) for line in lines} == {(board.as_of, "simulated")}
        assert "positions" not in lines[0]

    def test_before_the_first_ranking_it_is_503_and_free(self, client: FlaskClient, headers):
        refusal = client.get(PATH, headers=headers)
        assert (refusal.status_code, refusal.json["code"]) == (503, "unavailable")
        assert client.get("/api/v1/me", headers=headers).json["used"] == 0


class TestStrategy:
    def test_the_page_of_every_strategy_is_public(self, client: FlaskClient, pages, arena, publish, check_schema):
        assert pages.keys() == STRATEGIES.keys()
        for key, page in pages.items():
            publish(f"strategies/{key}", arena.as_of, page)
            answer = client.get(f"/api/v1/strategies/{key}")
            assert answer.json == plain(page)
            check_schema("/api/v1/strategies/{key}", answer.json)

    @pytest.mark.parametrize("key", ["none_such", "MACD_FAST", "buy_and_hold", "..", "%00", "macd_fast%20"])
    def test_an_unknown_strategy_gets_a_link_to_the_list(self, client: FlaskClient, key: str):
        refusal = client.get(f"/api/v1/strategies/{key}")
        assert (refusal.status_code, refusal.json["code"]) == (404, "not_found")
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


def test_it_is_the_snapshot_of_the_last_month(client: FlaskClient, reviews, snapshots, check_schema):
    answer = client.get(HOSPITAL)
    assert answer.json == plain(snapshots["2025-02"])
    assert {"schema", "timestamp", "as_of", "snapshot_month", "summary", "strategies", "links"} <= answer.json.keys()
    assert (answer.json["snapshot_month"], answer.json["as_of"]) == ("2025-02", "2025-03-01T00:00:00Z")
    assert len(answer.json["strategies"]) == len(STRATEGIES)
    check_schema(HOSPITAL, answer.json)


def test_every_month_is_kept(client: FlaskClient, reviews, snapshots):
    for month in MONTHS:
        assert client.get(f"{HOSPITAL}?month={month}").json == plain(snapshots[month])


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
    assert (refusal.status_code, refusal.json["code"]) == (404, "not_found")
    assert refusal.json["detail"].endswith("Available months: 2025-01, 2025-02.")


def test_the_strategies_are_listed_without_a_key(client):
    """Each with its rule and source, and an address of its own once it has results."""
    answer = client.get("/api/v1/strategies")
    assert (answer.status_code, answer.json["count"]) == (200, len(STRATEGIES))
    assert [row["key"] for row in answer.json["strategies"]] == list(STRATEGIES)
    assert all(row["source"] and row["description"] for row in answer.json["strategies"])
