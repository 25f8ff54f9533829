"""Who may hold how many event streams, and that they look at the ledger together."""

from __future__ import annotations

from threading import Thread

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from service.access.quota import EVENT_STREAMS, HELD_STREAMS, NETWORK_FACTOR
from service.api.auth import Caller, KeyHolder
from service.api.event_stream import OpenStream, OpenStreams, Places, streams_of
from service.errors import Busy
from service.store.database import Database
from tests.api.web import Web
from tests.processes import wait_until
from tests.receiver import trade

HOME = "203.0.113.7"
STRANGER = Caller(HOME)


def holder(id: str, plan: str = "free", address: str = HOME, end_user: str | None = None) -> KeyHolder:
    return KeyHolder(address, id, plan, end_user is not None, end_user)


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
        try:
            streams.open(caller, network)
        except Busy:
            continue
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


def test_a_paid_key_finds_a_place(streams: OpenStreams):
    """A quarter of the places is not for others, wherever they come from."""
    assert hold(streams, *(elsewhere(number % 10) for number in range(40))) == 12
    assert hold(streams, *[holder("1", "paid")] * EVENT_STREAMS) == EVENT_STREAMS


def test_a_wide_network_has_a_share(sqlite: Database):
    streams = OpenStreams(1000, sqlite, "simulated")
    callers = [Caller(f"2001:db8:0:{number}::/64") for number in range(60)]
    assert hold(streams, *callers, network="2001:db8::/48") == HELD_STREAMS * NETWORK_FACTOR


def test_the_end_users_of_a_key_share_a_quarter(streams: OpenStreams):
    users = [holder("1", end_user=f"user {number}") for number in range(16)]
    assert hold(streams, *users) == 4


def test_streams_that_never_end_are_counted(streams: OpenStreams):
    """A client that reads nothing keeps a stream open after its end."""
    assert hold(streams, *[holder("1", "paid")] * 16) == HELD_STREAMS


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
    handles: list[OpenStream] = [streams.open(caller, None) for caller in (STRANGER, elsewhere(1))]
    threads = [Thread(target=stream.wait, args=(60,)) for stream in handles]
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
