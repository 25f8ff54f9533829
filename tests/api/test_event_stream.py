"""The events as a stream: in order, once, resumable, and bounded."""

from __future__ import annotations

import json
import random
from contextlib import closing
from dataclasses import replace

import httpx
import pytest
from jsonschema import Draft202012Validator, FormatChecker

from service.client import Client
from service.forecasting.predictions import Settlement
from service.jobs.committing import keep_opened, keep_settlement
from service.ledger.chain import LedgerRow
from service.store import ledger, predictions
from service.store.database import Database
from tests.api.served import started
from tests.api.web import NOON, Web
from tests.forecasting.markets import MONDAY, waiting
from tests.receiver import trade

PATH = "/api/v1/events"


def blocks(text: str) -> list[dict[str, str]]:
    """The fields of each block of a stream."""
    return [dict(line.split(": ", 1) for line in block.split("\n")) for block in text.split("\n\n") if block]


def events(web: Web, query: str = "", **options) -> list[dict]:
    """The events of a stream of one second."""
    answer = web.send("GET", f"{PATH}?seconds=1&{query}".rstrip("&"), **options)
    assert (answer.status_code, answer.mimetype) == (200, "text/event-stream"), answer.text
    return [json.loads(block["data"]) for block in blocks(answer.text) if "data" in block]


def test_a_stream_has_what_follows_the_last_event_id(web: Web):
    seqs = trade(web.database, 5)
    answer = web.send("GET", f"{PATH}?seconds=1", headers={"Last-Event-ID": str(seqs[1])})
    first, *trades, last = blocks(answer.text)
    assert first == {"retry": "1000", "id": str(seqs[1])}
    assert [(block["id"], block["event"]) for block in trades] == [(str(seq), "lane.trade") for seq in seqs[2:]]
    assert last == {"retry": "1000", "id": str(seqs[4])}
    assert [json.loads(block["data"])["id"] for block in trades] == seqs[2:]


@pytest.mark.slow
def test_a_stream_begins_where_it_is_told(web: Web):
    """Without an id at the end, as beyond the ledger."""
    trade(web.database, 3)
    assert events(web) == []
    assert len(events(web, "after_seq=0")) == 3
    answer = web.send("GET", f"{PATH}?seconds=1", headers={"Last-Event-ID": "99"})
    assert blocks(answer.text)[0]["id"] == "3"


@pytest.mark.slow
def test_types_and_assets_are_filters(web: Web):
    trade(web.database, 1)
    trade(web.database, 1, kind="switch", asset="WETH/USDC 0.05%")
    trade(web.database, 1, kind="harvest", asset="eth")
    trade(web.database, 1, backfilled=True)
    assert [event["id"] for event in events(web, "after_seq=0")] == [1, 2, 3]
    assert [event["id"] for event in events(web, "after_seq=0&events=lane.switch,lane.harvest")] == [2, 3]
    assert [event["id"] for event in events(web, "after_seq=0&assets=eth,sol")] == [3]
    assert [event["id"] for event in events(web, "after_seq=0&events=Lane.Switch,Lane.Harvest&assets=ETH,sol")] == [3]


@pytest.mark.parametrize("query", ["events=lane.trades", "assets=pepe", "seconds=301", "since=-1", "after=1"])
def test_a_bad_parameter_is_refused(web: Web, query: str):
    assert web.send("GET", f"{PATH}?{query}").status_code == 400


def test_a_bad_last_event_id_is_refused(web: Web):
    refusal = web.send("GET", PATH, headers={"Last-Event-ID": "x"})
    assert refusal.json["errors"][0]["field"] == "Last-Event-ID"


@pytest.mark.slow
def test_markets_and_challenges_are_events(web: Web):
    """A market when it is opened and resolved; a challenge when it is resolved."""
    market = waiting("m", asset="eth", opened=MONDAY)
    challenge = replace(waiting("challenge-1", opened=MONDAY), category="challenge", number=1)
    settlement = Settlement("yes", MONDAY + 90_000, "a bar", "bars")
    with web.database.writing() as db:
        keep_opened(db, [market], MONDAY)
        predictions.add_predictions(db, [challenge])
        for id in ("m", "challenge-1"):
            keep_settlement(db, id, settlement, MONDAY + 90_000)
    by_type = {event["type"]: event for event in events(web, "after_seq=0")}
    assert list(by_type) == ["market.opened", "market.resolved", "challenge.resolved"]
    opening = by_type["market.opened"]["data"]
    assert (opening["id"], opening["question"], opening["category"], opening["p_yes"]) == ("m", "m?", "daily", 0.7)
    assert (opening["created_at"], opening["closes_at"]) == ("2025-11-24T00:00:00Z", "2025-11-24T23:59:59Z")
    assert (opening["deadline"], len(opening)) == ("2025-11-24T23:59:59Z", 7)
    resolution = by_type["market.resolved"]
    assert (resolution["assets"], resolution["data"]["outcome"], resolution["data"]["p_yes"]) == (["eth"], "yes", 0.7)
    assert resolution["timestamp"] == "2025-11-25T01:00:00Z"


@pytest.mark.slow
def test_a_resolved_answer_is_shown_to_its_key_alone(web: Web, key: str):
    """Its question is in no public row."""
    id = key.split("_")[2]
    answer = replace(waiting("secret question", opened=MONDAY), category="answer", author=f"key:{id}", odds=None)
    with web.database.writing() as db:
        predictions.add_predictions(db, [answer])
        keep_settlement(db, answer.id, Settlement("no", MONDAY + 90_000, "a bar", "bars"), MONDAY + 90_000)
        (entry,) = ledger.entries(db, 1, 10)
    assert (entry.kind, set(entry.body)) == ("answer", {"outcome", "resolved_at"})
    assert events(web, "after_seq=0") == []
    assert events(web, "after_seq=0", key=web.granted(plan="paid")) == []
    (event,) = events(web, "after_seq=0", key=key)
    assert (event["type"], event["data"]["end_user"]) == ("answer.resolved", None)
    assert event["data"]["question"] == "secret question?"


@pytest.mark.slow
def test_reviews_calls_and_changes_are_events(web: Web):
    judged = {"x": ["stable", 60], "y": ["stable", 50]}
    call = {"asset": "btc", "at": int(NOON), "spot": 60_000.0, "p_up": 0.6, "confidence": 0.2, "agreement": 0.8}
    change = {"at": int(NOON), "direction": "BULLISH", "previous": "NEUTRAL", "p_up": 0.56}
    rows = (
        LedgerRow("hospital", "2026-10", {"sha256": "ab", "judged": judged}, False),
        LedgerRow("apex", "btc", call | {"special": False, "layers": []}, False),
        LedgerRow("consensus", "eth", change, False),
    )
    with web.database.writing() as db:
        ledger.append(db, rows, int(NOON))
    review, apex, change = events(web, "after_seq=0")
    assert review["type"] == "hospital.published"
    assert review["data"] == {"month": "2026-10", "strategies": 2, "sha256": "ab"}
    assert (apex["type"], apex["assets"], apex["data"]["p_up"]) == ("apex.called", ["btc"], 0.6)
    assert (change["type"], change["assets"], change["data"]["direction"]) == ("consensus.changed", ["eth"], "BULLISH")


def test_every_event_matches_its_description(web: Web):
    trade(web.database, 2)
    document = web.send("GET", "/api/openapi.json").json
    content = document["paths"][PATH]["get"]["responses"]["200"]["content"]["text/event-stream"]
    schema = content["schema"] | {"components": document["components"]}
    stream = events(web, "after_seq=0")
    assert len(stream) >= 2
    for event in stream:
        Draft202012Validator(schema, format_checker=FormatChecker()).validate(event)


def read_until_cut(url: str, last_id: str, size: int) -> list[dict[str, str]]:
    """The complete blocks among the first `size` bytes of a stream that goes on after `last_id`."""
    headers = {"Last-Event-ID": last_id}
    text = b""
    with httpx.stream("GET", f"{url}/api/v1/events", headers=headers, timeout=15) as answer:
        assert answer.status_code == 200, answer.read()
        for piece in answer.iter_raw():
            text += piece
            if len(text) >= size:
                break
    return blocks(text[:size].decode().rpartition("\n\n")[0])


@pytest.mark.slow
def test_a_cut_client_sees_every_event_once(make_folder, tries):
    """It keeps the last id that it saw complete; cuts come anywhere."""
    cuts, chance, folder = tries(20, 40, 100), random.Random(3), make_folder()
    database = Database(f"sqlite:///{folder / 'simulated.sqlite'}")
    with closing(database), started("waitress", folder) as server:
        seqs, ids, last_id = trade(database, 20), [], "0"
        for _ in range(cuts):
            seqs += trade(database, 20)
            for block in read_until_cut(server.url, last_id, chance.randint(1, 5000)):
                last_id = block["id"]
                ids += [json.loads(block["data"])["id"]] if "data" in block else []
        assert 0 < len(ids) < len(seqs)
        with Client(server.url) as client, closing(client.events(after_seq=int(last_id))) as rest:
            while len(ids) < len(seqs):
                ids.append(next(rest)["id"])
    assert ids == seqs
