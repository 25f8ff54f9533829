"""Whatever kills the process that delivers, no event is lost, and one that comes twice has the same id."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import update

from service.store.database import Database
from service.store.notifications import WebhookRow
from service.store.tables import webhook
from tests.jobs.mortal_sender import KEY_SECRET
from tests.npm import installed
from tests.processes import ROOT, Respawned
from tests.receiver import Receiver, endpoint, receiving, trade

pytestmark = pytest.mark.slow

NPM = ROOT / "tests" / "webhooks_npm"
NOW = 1_795_000_000


MORTAL_SENDER = Path(__file__).with_name("mortal_sender.py")


def deliver_under_kills(database: Database, sender: Respawned, receiver: Receiver, kills: int, count: int) -> list[int]:
    """Record `count` events and kill the sender `kills` times while they are received; returns their numbers."""
    chance = random.Random(kills)
    seqs = trade(database, count // 2)
    fatal = iter([*sorted(chance.sample(range(1, count), kills)), 10 * count])
    next_kill = [next(fatal)]

    def answer(_document: dict) -> int:
        if len(receiver.ids) >= next_kill[0]:
            next_kill[0] = next(fatal)
            sender.kill()
        return 204

    receiver.answer = answer
    seqs += trade(database, count - len(seqs))
    sender.tell("go")
    for _ in range(kills):
        sender.replace()
        with database.writing() as db:
            db.execute(update(webhook).values(held_until=0.0))  # the lease of the dead one has ended
        sender.tell("go")
    assert sender.hear() == "idle"
    return seqs


@contextmanager
def sending(database: Database, url: str, folder: Path, receiver: Receiver) -> Iterator[tuple[Respawned, WebhookRow]]:
    row = endpoint(database, receiver.url, NOW)
    receiver.secret = row.secrets.current(KEY_SECRET.encode())
    sender = Respawned(MORTAL_SENDER, url, str(folder))
    try:
        yield sender, row
    finally:
        sender.end()


def check(receiver: Receiver, row: WebhookRow, seqs: list[int], kills: int) -> None:
    """Every event came, in order; only what was in flight at a kill came twice, under the same id."""
    assert receiver.seqs == seqs
    assert receiver.forged == 0
    assert set(receiver.ids) == {f"msg_{row.id}_{seq}" for seq in seqs}
    assert len(receiver.ids) - len(seqs) <= kills


def test_nothing_is_lost_when_the_sender_is_killed(database, database_url, tmp_path, tries):
    """Killed while a message is being received: it was sent and not yet recorded."""
    kills = tries(5, 8, 200)
    count = 50 * kills
    with receiving() as receiver, sending(database, database_url, tmp_path, receiver) as (sender, row):
        seqs = deliver_under_kills(database, sender, receiver, kills, count)
    check(receiver, row, seqs, kills)
    assert len(receiver.ids) == count + kills


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_npm_package_accepts_every_delivery(database, database_url, tmp_path):
    """250 deliveries under five kills, received by a program that verifies with the npm package standardwebhooks."""
    node = installed(NPM)
    receiver = Receiver(url="http://127.0.0.1:1/")
    with sending(database, database_url, tmp_path, receiver) as (sender, row):
        command = [node, str(NPM / "receiver.cjs"), receiver.secret]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            address = f"http://127.0.0.1:{int(process.stdout.readline())}/hook"
            with database.writing() as db:
                db.execute(update(webhook).values(url=address))
            reader = Thread(target=lambda: read(process.stdout, receiver))
            reader.start()
            seqs = deliver_under_kills(database, sender, receiver, 5, 250)
            process.terminate()
            reader.join(10)
    check(receiver, row, seqs, 5)


def read(lines: Iterator[str], receiver: Receiver) -> None:
    """Note what the receiver in node prints."""
    for line in lines:
        if line == "forged\n":
            receiver.forged += 1
            continue
        id, document = line.split(" ", 1)
        receiver.verified.append((id, json.loads(document)))
        receiver.answer(receiver.verified[-1][1])
