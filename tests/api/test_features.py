"""The inputs of the voters as pages, and each by its hash."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256

import pytest
from flask.testing import FlaskClient

from service import canonical
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.commitments import FeaturesDocument, commitment_of
from service.forecasting.voters.context import Context, Knowledge
from service.forecasting.voters.embedded import voters
from service.forecasting.voters.inputs import INPUTS
from service.jobs.committing import keep_opened, keep_votes
from service.market.instants import HOUR, iso
from tests.api.conftest import NOON
from tests.api.opened import market, open_market, tell_prices
from tests.forecasting.made import panel_of

PATH = "/api/v1/features"
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
    answer = client.get(PATH, query_string=query)
    assert answer.status_code == 200, answer.text
    return answer.json["rows"]


def test_rows_are_the_committed_inputs(client: FlaskClient, markets, as_described):
    answer = client.get(PATH)
    as_described(PATH, answer.json)
    assert list(answer.json) == list(FeaturesDocument.__dataclass_fields__)
    assert [(row["hash"], row["voted_at"], row["asset"], row["inputs"]) for row in answer.json["rows"]] == [
        (market.commitment.features, iso(market.created_at), "btc", canonical.read(market.commitment.inputs))
        for market in markets
    ]


def test_the_hash_is_of_the_bytes_that_are_sent(client: FlaskClient, markets):
    """So no JSON library has to write numbers as this one does."""
    (row,) = rows(client, limit=1, since=iso(markets[-1].created_at))
    entry = client.get(f"{PATH}/{row['hash']}").data
    inputs = entry.split(b'"inputs":', 1)[1][:-1]
    assert b"1e-07" in inputs
    assert sha256(inputs).hexdigest() == row["hash"] == markets[-1].commitment.features
    text = json.dumps(row["inputs"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert sha256(text.encode()).hexdigest() == row["hash"]


def test_one_row_is_found_by_its_hash(client: FlaskClient, markets, as_described):
    row = rows(client)[2]
    answer = client.get(f"{PATH}/{row['hash']}")
    assert answer.json == row
    as_described(PATH + "/{hash}", answer.json)
    assert answer.headers["Cache-Control"] == "public, max-age=86400, immutable"
    for unknown in ("0" * 64, "x", "%00", row["hash"].upper()):
        assert client.get(f"{PATH}/{unknown}").status_code == 404


def test_a_market_names_its_row(client: FlaskClient, sqlite, api_key, markets):
    tell_prices(sqlite)
    shown = [client.get(f"/api/v1/predictions/{market.id}", headers={"X-API-Key": api_key}).json for market in markets]
    assert [market["features"] for market in shown] == [row["hash"] for row in rows(client)]


def test_pages_join_to_the_whole(client: FlaskClient, markets):
    seen, path = [], f"{PATH}?limit=2&asset=btc"
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
    other = client.get(f"{PATH}?limit=1&asset=btc").json["next"]
    refused = client.get(f"{PATH}?{query.format(other=other)}")
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
    named = client.get(PATH).json["voters"]
    assert list(named) == [voter.name for voter in voters()]
    inputs = {name for read in named.values() for name in (*read["inputs"], *read["calendar"])}
    assert inputs == set(INPUTS)
