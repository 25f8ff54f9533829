"""Events reach their endpoints in order, signed, and again after a failure."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Semaphore

import pytest
from sqlalchemy import update

from service.jobs.deliveries import KEY_SHARE, PATIENCE_S, SLOW_SHARE, THREADS, Deliveries, pause_reason, retry_after
from service.jobs.engine import Engine
from service.market.instants import DAY, HOUR, unix
from service.notifications.events import Event as LedgerEvent
from service.store import keys, ledger, notifications
from service.store.database import Database
from service.store.notifications import LEASE_S, DeliveryRow, WebhookRow
from service.store.tables import hourly_vote
from tests.jobs.mortal_sender import KEY_SECRET, context_of
from tests.jobs.track_record import SLOT, read
from tests.receiver import Receiver, endpoint, receiving, trade
from tests.running_service import RunningService


@dataclass
class Sender:
    """The deliveries of one process, whose clock a test moves."""

    database: Database
    folder: Path
    wall: float

    def __post_init__(self) -> None:
        self.context = context_of(self.database, self.folder)
        self.deliveries = Deliveries(self.context, lambda: self.wall)

    def work(self) -> list[str]:
        """Deliver to every endpoint that is due, once."""
        due = list(self.deliveries.due())
        for id in due:
            self.deliveries.deliver(id)
        return due

    def subscribe(self, receiver: Receiver, **options) -> WebhookRow:
        row = endpoint(self.database, receiver.url, self.wall, **options)
        receiver.secret = row.secrets.current(KEY_SECRET.encode())
        return row

    def row(self, row: WebhookRow) -> WebhookRow:
        with self.database.reading() as db:
            return notifications.find_webhook(db, row.key, row.id)

    def log(self, row: WebhookRow) -> list[DeliveryRow]:
        with self.database.reading() as db:
            return notifications.find_deliveries(db, row.id, None, 1000)


@pytest.fixture
def sender(database: Database, tmp_path: Path) -> Sender:
    return Sender(database, tmp_path, time.time())


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.mark.slow
def test_events_arrive_once_in_the_order_of_the_ledger(sender: Sender, receiver: Receiver):
    """Events before the subscription do not come, and nothing comes twice."""
    trade(sender.database, 2)
    row = sender.subscribe(receiver)
    seqs = trade(sender.database, 250)
    assert sender.work() == [row.id]
    assert (receiver.seqs, len(receiver.ids), receiver.forged) == (seqs, 250, 0)
    assert receiver.ids[0] == f"msg_{row.id}_{seqs[0]}"
    assert sender.work() == []
    assert [entry.seq for entry in sender.log(row)[:2]] == [seqs[-1], seqs[-2]]
    assert {entry.state for entry in sender.log(row)} == {"delivered"}


@pytest.mark.slow
def test_only_wanted_types_and_assets_are_sent(sender: Sender, receiver: Receiver):
    row = sender.subscribe(receiver, events=("lane.trade",), assets=("eth",))
    for others in ({}, {"kind": "switch", "asset": "eth"}, {"asset": "eth", "backfilled": True}):
        trade(sender.database, 1, **others)
    (seq,) = trade(sender.database, 1, asset="eth")
    sender.work()
    assert receiver.seqs == [seq]
    assert sender.work() == []
    assert sender.row(row).cursor == seq


@pytest.mark.slow
@pytest.mark.parametrize("status", [301, 400, 500])
def test_a_refused_event_holds_back_those_after_it(sender: Sender, receiver: Receiver, status: int):
    """It is tried again with growing pauses and the same id, and then the others follow in order."""
    row = sender.subscribe(receiver)
    seqs = trade(sender.database, 3)
    receiver.answer = lambda _document: status
    pauses = []
    for _ in range(4):
        sender.work()
        pauses.append(sender.row(row).next_at - sender.wall)
        assert sender.work() == []
        sender.wall += pauses[-1]
    assert receiver.ids == [f"msg_{row.id}_{seqs[0]}"] * 4
    assert all(0.8 * longest <= pause <= longest for pause, longest in zip(pauses, (5, 15, 45, 135), strict=True))
    (entry,) = sender.log(row)
    assert (entry.state, entry.attempts, entry.status) == ("failed", 4, status)
    receiver.answer = lambda _document: 200
    sender.work()
    assert receiver.seqs == seqs
    assert (sender.row(row).attempts, sender.row(row).failing_since) == (0, None)
    assert sender.log(row)[-1].state == "delivered"


@pytest.mark.slow
def test_an_endpoint_that_fails_for_a_day_is_paused(sender: Sender, receiver: Receiver):
    """Its events wait; after it is resumed they come, from the first that was not accepted."""
    row = sender.subscribe(receiver)
    seqs = trade(sender.database, 2)
    receiver.answer = lambda _document: 503
    began, attempts = sender.wall, 0
    while sender.row(row).paused_at is None:
        sender.work()
        attempts += 1
        sender.wall = max(sender.wall + 1, sender.row(row).next_at)
        assert attempts < 100
    assert 15 <= attempts <= 30
    row_after = sender.row(row)
    assert DAY <= row_after.paused_at - began <= DAY + 3 * HOUR
    assert row_after.paused_reason == "The endpoint accepted no delivery for 24 hours."
    assert sender.work() == []
    receiver.answer = lambda _document: 200
    with sender.database.writing() as db:
        notifications.change_webhook(db, row_after, paused_at=None, paused_reason=None, failing_since=None, next_at=0.0)
    receiver.verified.clear()
    sender.wall = time.time()  # the library refuses messages from the future
    sender.work()
    assert receiver.seqs == seqs


@pytest.mark.slow
def test_a_key_without_the_paid_plan_gets_nothing(sender: Sender, receiver: Receiver):
    row = sender.subscribe(receiver)
    trade(sender.database, 1)
    with sender.database.writing() as db:
        keys.grant_plan(db, row.key, "free")
    assert sender.work() == []
    sender.deliveries.deliver(row.id)
    assert receiver.ids == []
    with sender.database.writing() as db:
        keys.grant_plan(db, row.key, "paid")
    sender.work()
    assert len(receiver.ids) == 1


@pytest.mark.slow
def test_both_secrets_are_valid_after_a_rotation(sender: Sender, receiver: Receiver):
    row = sender.subscribe(receiver)
    with sender.database.writing() as db:
        row_after = notifications.change_webhook(db, row, rotations=1, rotated_at=int(sender.wall))
    secrets = [receiver.secret, row_after.secrets.current(KEY_SECRET.encode())]
    assert secrets[0] != secrets[1]
    for secret in secrets:
        receiver.secret = secret
        trade(sender.database, 1)
        sender.work()
    assert (len(receiver.ids), receiver.forged) == (2, 0)


@pytest.mark.slow
def test_two_processes_do_not_deliver_to_one_endpoint(sender: Sender, receiver: Receiver, tmp_path: Path):
    """A second one waits for the lease of the first; what a late first one writes is refused."""
    row = sender.subscribe(receiver)
    trade(sender.database, 3)
    other = Sender(sender.database, tmp_path, sender.wall)

    def answer(_document: dict) -> int:
        if len(receiver.ids) == 1:
            other.deliveries.deliver(row.id)  # refused: the lease is held
            assert len(receiver.ids) == 1
            other.wall += LEASE_S + 1
            receiver.answer = lambda _document: 204
            other.deliveries.deliver(row.id)  # the first process hangs for longer than its lease
        return 204

    receiver.answer = answer
    sender.work()
    assert len(receiver.seqs) == 3
    assert len(receiver.ids) == 4
    assert len(set(receiver.ids)) == 3
    assert sender.row(row).cursor == receiver.seqs[-1]


def idle_while_busy(sender: Sender, receiver: Receiver, count: int) -> dict[str, str]:
    """The endpoints that are still due while so many deliveries have arrived and wait for their answer."""
    arrivals, may_answer = Semaphore(0), Event()

    def receive(_body: bytes, _headers: dict[str, str]) -> int:
        arrivals.release()
        may_answer.wait(10)
        return 204

    receiver.receive = receive
    trade(sender.database, 1)
    sender.deliveries.beat()
    for _ in range(count):
        assert arrivals.acquire(timeout=10)
    idle = sender.deliveries.due()
    may_answer.set()
    sender.deliveries.stop()
    return idle


@pytest.mark.slow
def test_the_endpoints_of_a_key_share_two_threads(sender: Sender, receiver: Receiver):
    """However many receivers of one key take their time, others need not wait for them."""
    first = sender.subscribe(receiver)
    for _ in range(2 * THREADS):
        sender.subscribe(receiver, key=first.key)
    others = [sender.subscribe(receiver) for _ in range(2)]
    idle = idle_while_busy(sender, receiver, KEY_SHARE + len(others))
    assert len(idle) == 2 * THREADS + 1 - KEY_SHARE
    assert not idle.keys() & {row.id for row in others}


@pytest.mark.slow
@pytest.mark.parametrize("are_known", [True, False])
def test_slow_receivers_share_half_of_the_threads(sender: Sender, receiver: Receiver, are_known: bool):
    """What was slow the last time, or is new, waits for others like it, and keeps no fast one waiting."""
    rows = [sender.subscribe(receiver) for _ in range(THREADS)]
    if are_known:
        receiver.answer = lambda _document: 500
        trade(sender.database, 1)
        sender.work()
    fast, receiver.answer = sender.subscribe(receiver), lambda _document: 204
    trade(sender.database, 1)
    sender.deliveries.deliver(fast.id)
    sender.wall += 10
    idle = idle_while_busy(sender, receiver, SLOW_SHARE + 1)
    assert len(idle) == len(rows) - SLOW_SHARE
    assert fast.id not in idle


@pytest.mark.slow
def test_the_engine_delivers_what_is_recorded(sender: Sender, receiver: Receiver):
    """With the threads of `python app.py`: a row that is committed arrives within seconds."""
    sender.subscribe(receiver)
    arrival = Event()
    receiver.answer = lambda document: 204 if document["data"]["note"] != "trade 2" else arrival.set() or 204
    engine = Engine(sender.database, [], sender.context)
    engine.start()
    seqs = trade(sender.database, 3)
    try:
        assert arrival.wait(10)
    finally:
        engine.stop()
    assert receiver.seqs == seqs


def test_pauses_grow_to_two_hours():
    assert [round(retry_after(attempts, 0.0)) for attempts in (1, 2, 3, 7, 8, 1000)] == [5, 15, 45, 3645, 7200, 7200]
    assert retry_after(1, 1.0) == pytest.approx(4.0)
    assert retry_after(1000, 0.0) < PATIENCE_S


@pytest.mark.parametrize(
    ("status", "failing_for", "is_paused"),
    [(500, PATIENCE_S - 1, False), (None, PATIENCE_S, True), (410, 0, True), (404, 0, False)],
)
def test_an_endpoint_is_paused_after_a_day_or_when_gone(status, failing_for, is_paused):
    assert (pause_reason(status, 1_000_000 - failing_for, 1_000_000) is not None) == is_paused


def events_after(house: RunningService, seq: int) -> list[LedgerEvent]:
    """All public events after a row."""
    found_events = []
    while (page := read(house, notifications.events_after, seq, "simulated")).last != seq:
        found_events += page.events
        seq = page.last
    return found_events


@pytest.mark.slow
def test_four_hours_record_calls_markets_and_changes(house: RunningService):
    """Apex calls every four hours; the direction of an asset differs from the one that is set before."""
    assert {event.type for event in events_after(house, 0)} <= {"market.opened", "apex.called"}
    house.move(HOUR)  # the voters are fitted now, so the consensus lane has its first votes
    with house.runtime.database.writing() as db:
        before = ledger.last_seq(db)
        db.execute(update(hourly_vote).values(p_up=0.01))
    house.move(3 * HOUR)
    events = events_after(house, before)
    counts = Counter(event.type for event in events)
    assert counts["apex.called"] == 1
    assert counts["consensus.changed"] >= 1
    changes = [event for event in events if event.type == "consensus.changed"]
    for change in changes:
        assert (change.data.previous, change.data.at.timestamp()) == ("BEARISH", SLOT + 4 * HOUR)
        assert change.data.direction != "BEARISH"
    assert len({change.assets for change in changes}) == len(changes)
    assert [event.id for event in events] == sorted(event.id for event in events)
    rows = read(house, ledger.live_entries, before, ["apex"], 10)
    assert [unix(row.recorded_at) // HOUR * HOUR for row in rows] == [SLOT + 4 * HOUR]
