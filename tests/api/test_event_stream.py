"""The events as a stream: in order, once, resumable, and bounded; and who may hold how many."""

from __future__ import annotations

import json
import random
from contextlib import closing, suppress
from dataclasses import replace
from threading import Thread

import httpx
import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from service.access.quota import EVENT_STREAMS, HELD_STREAMS, NETWORK_FACTOR
from service.api.auth import Caller, KeyHolder
from service.api.event_stream import OpenStreams, Places, streams_of
from service.client import Client
from service.errors import Busy
from service.forecasting.predictions import Settlement
from service.jobs.committing import keep_settlement
from service.store import ledger, predictions
from service.store.database import Database
from tests.api.served import started
from tests.api.web import ADDRESS, Web, refusal_of
from tests.forecasting.markets import MONDAY, waiting
from tests.processes import wait_until
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
    for kind, asset in (("trade", "btc"), ("switch", "eth"), ("harvest", "eth")):
        trade(web.database, 1, kind=kind, asset=asset)
    assert [event["id"] for event in events(web, "after_seq=0&events=Lane.Trade,lane.harvest&assets=ETH,sol")] == [3]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        *[("events=lane.trades", "events.0"), ("assets=pepe", "assets.0"), ("seconds=301", "seconds")],
        *[("after_seq=-1", "after_seq"), ("after=1", "after")],
    ],
)
def test_a_bad_parameter_is_refused(web: Web, query: str, field: str):
    assert refusal_of(web.send("GET", f"{PATH}?{query}")) == (400, "invalid_request", field)


def test_a_bad_last_event_id_is_refused(web: Web):
    refusal = web.send("GET", PATH, headers={"Last-Event-ID": "x"})
    assert refusal_of(refusal) == (400, "invalid_request", "Last-Event-ID")


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


def test_every_event_matches_its_description(web: Web, check_schema):
    seqs = trade(web.database, 2)
    stream = events(web, "after_seq=0")
    assert [event["id"] for event in stream] == seqs
    for body in stream:
        check_schema(PATH, body, media="text/event-stream")


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


STRANGER = Caller(ADDRESS)


def holder(id: str, plan: str = "free", end_user: str | None = None) -> KeyHolder:
    return KeyHolder(ADDRESS, id, plan, end_user is not None, end_user)


def elsewhere(number: int) -> Caller:
    return Caller(f"198.51.100.{number}")


@pytest.fixture
def streams(sqlite: Database) -> OpenStreams:
    """Sixteen places."""
    return OpenStreams(16, sqlite, "simulated")


def hold(streams: OpenStreams, *callers: Caller, network: str | None = None) -> int:
    """How many of these callers get a stream, each of which stays open."""
    count = 0
    for caller in callers:
        with suppress(Busy):
            streams.open(caller, network)
            count += 1
    return count


@pytest.mark.parametrize("count", range(1, EVENT_STREAMS + 2))
def test_a_callers_fifth_stream_ends_its_first(streams: OpenStreams, count: int):
    handles = [streams.open(STRANGER, None) for _ in range(count)]
    assert [stream.is_over for stream in handles] == [number < count - EVENT_STREAMS for number in range(count)]


def test_a_closed_stream_frees_its_place_once(sqlite: Database):
    streams = OpenStreams(2, sqlite, "simulated")
    handles = [streams.open(caller, None) for caller in (STRANGER, holder("1", "paid"))]
    assert hold(streams, holder("1", "paid")) == 0
    for _ in range(2):
        streams.close(handles[0])
    assert hold(streams, holder("1", "paid"), elsewhere(1)) == 1


def test_one_address_cannot_hold_all_streams(streams: OpenStreams):
    """With three free keys and without one it has eight; another address has places."""
    callers = [STRANGER, *(holder(id) for id in "123")] * EVENT_STREAMS
    assert hold(streams, *callers) == HELD_STREAMS
    assert hold(streams, *[elsewhere(1)] * EVENT_STREAMS) == EVENT_STREAMS


@pytest.mark.parametrize(
    ("callers", "count"),
    [
        ([elsewhere(number % 10) for number in range(40)], 12),
        ([holder("1", end_user=f"user {number}") for number in range(16)], 4),
        ([holder("1", "paid")] * 16, HELD_STREAMS),
    ],
    ids=["without a paid key", "end users of a key", "streams that never end"],
)
def test_no_group_can_hold_all_streams(streams: OpenStreams, callers: list[Caller], count: int):
    """A quarter is for paid keys; a client that reads nothing keeps a stream open after its end."""
    assert hold(streams, *callers) == count
    assert hold(streams, *[holder("2", "paid")] * EVENT_STREAMS) == EVENT_STREAMS


def test_a_wide_network_has_a_share(sqlite: Database):
    streams = OpenStreams(1000, sqlite, "simulated")
    callers = [Caller(f"2001:db8:0:{number}::/64") for number in range(60)]
    assert hold(streams, *callers, network="2001:db8::/48") == HELD_STREAMS * NETWORK_FACTOR


def statements(look) -> int:
    """How many statements a function sends to a database."""
    queries = []
    listener = lambda *_: queries.append(1)  # noqa: E731
    event.listen(Engine, "before_cursor_execute", listener)
    try:
        look()
    finally:
        event.remove(Engine, "before_cursor_execute", listener)
    return len(queries)


def test_the_ledger_is_read_once_for_all_streams(streams: OpenStreams, sqlite: Database):
    streams.look()
    assert statements(lambda: [streams.events_after(0) for _ in range(100)]) == 0
    seqs = trade(sqlite, 3)
    assert streams.look() == seqs[-1]
    pages = []
    number = statements(lambda: pages.append(streams.events_after(0)))
    assert statements(lambda: pages.extend(streams.events_after(0) for _ in range(100))) == 0 < number
    assert {tuple(event.id for event in page.events) for page in pages} == {tuple(seqs)}


def test_a_new_row_wakes_every_stream(streams: OpenStreams, sqlite: Database):
    handles = [streams.open(caller, None) for caller in (STRANGER, elsewhere(1))]
    threads = [Thread(target=streams.wait, args=(stream, 0, 60)) for stream in handles]
    for thread in threads:
        thread.start()
    trade(sqlite, 1)
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)


def test_requests_get_their_places_in_turn():
    """One that comes when a place becomes free does not pass those that wait."""
    places, order = Places(1), []

    def enter(name: str) -> None:
        with places:
            order.append(name)

    threads = [Thread(target=enter, args=(name,)) for name in "ab"]
    with places:
        for count, thread in enumerate(threads, 1):
            thread.start()
            wait_until(lambda count=count: len(places._queue) == count)
    enter("c")
    for thread in threads:
        thread.join()
    assert order == ["a", "b", "c"]


def test_a_closed_stream_gives_its_place_back(web: Web):
    """Also one whose caller goes before it begins."""
    for method in ("HEAD", "GET") * HELD_STREAMS:
        with web.send(method, "/api/v1/events") as answer:
            assert answer.status_code == 200


def test_a_stopping_server_ends_its_streams(web: Web):
    stream = streams_of(web.app).open(STRANGER, None)
    streams_of(web.app).stop()
    assert stream.is_over
    refusal = web.send("GET", "/api/v1/events")
    assert (refusal.status_code, refusal.headers["Retry-After"]) == (503, "10")
    assert web.send("GET", "/api/v1/events?optional=true").status_code == 204
