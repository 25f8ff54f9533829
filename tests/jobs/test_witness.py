"""Three instances over HTTP: a witness of two others, of which one lies."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import TypeAdapter
from sqlalchemy import insert, text

from service.api.application import create_app
from service.config import Settings
from service.jobs import witness
from service.jobs.job import JobContext
from service.ledger.roots import is_signed, sign
from service.ledger.witness import WitnessDocument, WitnessedLedger
from service.market.instants import DAY, HOUR, iso
from service.store import ledger, snapshots
from service.store.database import Database
from service.store.tables import ledger_root
from tests.api.web import services
from tests.authorities import Authority
from tests.jobs.contexts import context_of, work
from tests.ledger import books
from tests.ledger.test_timestamps import timestamp_of
from tests.processes import free_port
from tests.running_service import listening

NOON = int(datetime(2021, 11, 21, 12, tzinfo=UTC).timestamp())
OTHER_SEED = bytes(32)
ROOTS = books.book(3, 2, 2).roots
OTHER = WitnessedLedger("https://other.example")
FIRST, SECOND, THIRD = "2026-12-01T13:00:00Z", "2026-12-01T14:00:00Z", "2026-12-01T15:00:00Z"


@dataclass
class Instance:
    """An instance with a ledger of its own, at an address; its owner can change everything in its database."""

    database: Database
    url: str

    def write(self, *days: int, seed: bytes = books.SEED, subject: str = "") -> None:
        """Append so many rows on each day, which is sealed the next morning."""
        for count in days:
            with self.database.writing() as db:
                first = NOON + ledger.count_roots(db) * DAY
                rows = [replace(row, subject=subject or row.subject) for row in books.rows(count)]
                ledger.append(db, rows, first)
                assert ledger.seal(db, iso(first)[:10], seed, first + DAY)

    def change(self, *statements: str) -> None:
        with self.database.writing() as db:
            for name in ("update", "delete", "replace"):
                db.execute(text(f"DROP TRIGGER IF EXISTS ledger_{name}"))
                db.execute(text(f"DROP TRIGGER IF EXISTS ledger_root_{name}"))
            for statement in statements:
                db.execute(text(statement))

    def rewrite(self, *days: int, **options) -> None:
        """Another past under the same key."""
        self.change("DELETE FROM ledger_root", "DELETE FROM ledger")
        self.write(*days, **options)


@contextmanager
def new_instance(file: str) -> Iterator[Instance]:
    """An instance that listens; it has lied about nothing yet."""
    with closing(Database(f"sqlite:///{file}")) as database, listening(create_app(services(database))) as url:
        instance = Instance(database, url)
        instance.write(3, 2, 2)
        yield instance


@dataclass
class Witness:
    """A witness that visits when the test says so."""

    context: JobContext
    visits: int = 0

    def visit(self) -> WitnessDocument:
        """What it has to say after the next visit."""
        self.visits += 1
        work(self.context, witness.witness, NOON + 10 * DAY + self.visits * HOUR)
        with self.context.database.reading() as db:
            return snapshots.find_document(db, snapshots.WITNESS, WitnessDocument)

    def details(self, instance: Instance) -> list[tuple[str, str]]:
        """The faults of an instance after the next visit: day and sentence."""
        by_address = {record.address: record for record in self.visit().ledgers}
        return [(fault.day[-2:], fault.detail) for fault in by_address[instance.url].faults]


@pytest.fixture
def honest(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Instance]:
    with new_instance(shutil.copy(migrated_sqlite, tmp_path / "honest")) as instance:
        yield instance


@pytest.fixture
def liar(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Instance]:
    with new_instance(shutil.copy(migrated_sqlite, tmp_path / "liar")) as instance:
        yield instance


@pytest.fixture
def observer(sqlite_database: Database, honest: Instance, liar: Instance) -> Witness:
    """After a first visit."""
    settings = Settings(world="simulated", witness_of=(honest.url, liar.url))
    observer = Witness(replace(context_of(sqlite_database), settings=settings))
    first = observer.visit().ledgers
    assert [(len(record.roots), record.faults) for record in first] == [(3, ()), (3, ())]
    return observer


def rotated(instance: Instance) -> None:
    """The key of the ledger is handed over, and the successor signs the next root."""
    with instance.database.writing() as db:
        ledger.hand_over(db, books.SEED, OTHER_SEED, NOON + 3 * DAY - 60)
    instance.write(1, seed=OTHER_SEED)


@pytest.mark.parametrize("change", [lambda instance: instance.write(4, 1), rotated])
def test_an_honest_ledger_has_no_fault(observer: Witness, honest: Instance, change):
    """It grows, and its key is rotated."""
    change(honest)
    assert observer.details(honest) == observer.details(honest) == []


SEEN = "that was first seen at 2021-12-01T13:00:00Z."
LIES = {
    "another past": (
        lambda liar: liar.rewrite(3, 2, 2, subject="another"),
        [(day, f"Another root is served {SEEN}") for day in ("21", "22", "23")],
    ),
    "a shorter past": (
        lambda liar: liar.change("DELETE FROM ledger_root WHERE day = '2021-11-23'"),
        [("23", f"The root is no longer served {SEEN}")],
    ),
    "a past before": (
        lambda liar: liar.change(
            "INSERT INTO ledger_root SELECT '2021-11-20', first_seq, last_seq, root, head, previous, signed_at, key, "
            "signature FROM ledger_root WHERE day = '2021-11-21'"
        ),
        [("20", "The root was not there before that of 2021-11-23.")],
    ),
    "a changed row": (
        lambda liar: liar.change("UPDATE ledger SET subject = 'another' WHERE seq = 4"),
        [("22", "Row 4 was changed: its hash does not match its content.")],
    ),
    "a row that is missing": (
        lambda liar: liar.change("DELETE FROM ledger WHERE seq = 7"),
        [("23", "Row 7 is missing: the root of 2021-11-23 seals row 7.")],
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_said_aloud_and_kept(observer: Witness, honest: Instance, liar: Instance, lie: str, log_events):
    """In the document for good, and in the log once; the other instance is not suspected."""
    change, expected = LIES[lie]
    change(liar)
    assert observer.details(liar) == expected
    assert observer.details(liar) == expected
    events = [(event["ledger"], event["day"][-2:]) for event in log_events if event["event"] == "ledger_rewritten"]
    assert events == [(liar.url, day) for day, _ in expected]
    assert observer.details(honest) == []


def test_a_fork_is_proved_by_two_signatures(observer: Witness, liar: Instance):
    """Both roots of the day are kept, signed by one key."""
    liar.rewrite(3, 2, 2, subject="another")
    record = observer.visit().ledgers[-1]
    pairs = [(row.root, fault.served) for row, fault in zip(record.roots, record.faults, strict=True)]
    assert all(is_signed(root) and is_signed(other) and root.key == other.key for root, other in pairs)
    assert all(root != other for root, other in pairs)


def test_a_key_without_a_hand_over_is_reported(observer: Witness, liar: Instance):
    with liar.database.writing() as db:
        (entry,), before = ledger.append(db, books.rows(1), NOON + 3 * DAY), ledger.last_root(db).root
        parts = {"day": "2021-11-24", "first_seq": 8, "root_before": before, "signed_at": iso(NOON + 4 * DAY)}
        root = sign([entry.hash], **parts, seed=OTHER_SEED)
        db.execute(insert(ledger_root).values(vars(root) | {"signed_at": NOON + 4 * DAY}))
    assert observer.details(liar) == [("24", f"The root of 2021-11-24 is signed by another key, {root.key}.")]


def test_a_stale_timestamp_is_reported(observer: Witness, liar: Instance, tmp_path: Path):
    """An authority signs today what was signed in another year."""
    with liar.database.writing() as db:
        stamp = timestamp_of(Authority(tmp_path / "tsa"), ledger.daily_roots(db, "", 1)[0])
        ledger.add_timestamps(db, [stamp])
    ((day, detail),) = observer.details(liar)
    assert (day, "is stale" in detail) == ("21", True)


def test_an_instance_that_is_away_is_not_accused(observer: Witness, liar: Instance, log_events):
    """It says since when it was not reached. What is kept of one that is no longer watched stays."""
    away = f"http://127.0.0.1:{free_port()}"
    settings = observer.context.settings.model_copy(update={"witness_of": (liar.url, away)})
    observer.context = replace(observer.context, settings=settings)
    assert [len(record.roots) for record in observer.visit().ledgers] == [3, 3, 0]
    assert observer.visit().ledgers[-1] == WitnessedLedger(away)
    assert {event["event"] for event in log_events} == {"source_failed"}


def test_what_a_witness_found_is_served(observer: Witness, liar: Instance):
    """As a document without a key, and as metrics."""
    liar.change("DELETE FROM ledger_root")
    context = observer.context
    settings = context.settings.model_copy(update={"witness_of": (*context.settings.witness_of, "http://new.example")})
    witness_services = services(context.database, settings, now=lambda: NOON + 11 * DAY)
    client = create_app(witness_services).test_client()
    document = observer.visit()
    body = client.get("/api/v1/ledger/witness").data
    assert TypeAdapter(WitnessDocument).validate_json(body) == document
    metrics = client.get("/metrics").text
    assert f'ninefold_witness_faults{{ledger="{liar.url}"}} 3.0' in metrics
    assert f'ninefold_witness_age_seconds{{ledger="{liar.url}"}} 79200.0' in metrics
    assert 'ninefold_witness_age_seconds{ledger="http://new.example"} +Inf' in metrics


def test_who_is_no_witness_says_so(honest: Instance):
    client = create_app(services(honest.database)).test_client()
    assert client.get("/api/v1/ledger/witness").json["detail"].startswith("This service is no witness")


class Endless:
    """A ledger whose lists have no end, whose roots are over endless rows, or whose rows are no rows."""

    def __init__(self, root: dict, rows: object = ()) -> None:
        self.root, self.rows, self.calls = root, rows, 0

    def ledger_roots(self, since: str | None) -> dict:
        self.calls += 1
        return {"roots": [self.root], "timestamps": [], "next": "2021-11-21" if self.rows is None else None}

    def ledger(self, first: int, limit: int) -> dict:
        self.calls += 1
        return {"entries": self.rows}


@pytest.mark.parametrize("rows", [None, [{"seq": 2**80}], [7], {"a": 1}, 5, [], [{"form": "rfc8785"}]])
@pytest.mark.parametrize("last_seq", [2, 10**15, "many"])
def test_no_answer_keeps_a_witness_busy_or_ends_it(rows: object, last_seq: object):
    """What cannot be read is no accusation, but counts as not reached; rows that are no rows are a fault."""
    client = Endless(vars(books.book(2).roots[0]) | {"last_seq": last_seq}, rows)
    record = witness._visit(client, WitnessedLedger("https://liar.example"), iso(NOON), None)
    assert client.calls <= 600
    assert bool(record.faults) is (record.reached_at is not None)
    assert all("damaged" in fault.detail or "missing" in fault.detail for fault in record.faults)


def test_a_root_is_kept_as_it_was_first_served():
    ledger = OTHER.with_served(ROOTS[:2], FIRST).with_served(ROOTS, SECOND)
    assert [(row.root, row.seen_at) for row in ledger.roots] == list(zip(ROOTS, (FIRST, FIRST, SECOND), strict=True))
    forgery = replace(ROOTS[0], root="00" * 32)
    later = ledger.with_served([forgery, *ROOTS[1:]], THIRD)
    assert later.roots == ledger.roots
    assert [(fault.day, fault.found_at, fault.served) for fault in later.faults] == [(forgery.day, THIRD, forgery)]


def test_the_rows_that_waited_longest_are_due_first():
    """Those that were never compared before all others, and none of a root that is known to be forged."""
    ledger = OTHER.with_served(ROOTS, FIRST)
    assert ledger.due() == [0, 1, 2]
    ledger = ledger.with_rows(0, None, SECOND)
    assert ledger.due() == [1, 2, 0]
    assert ledger.with_rows(1, None, THIRD).due() == [2, 0, 1]
    assert ledger.with_rows(2, "Row 7 was changed.", THIRD).due() == [1, 0]


def test_what_was_found_before_is_no_new_fault():
    """The first time counts, although the fault is found at each visit."""
    ledger = OTHER.with_served(ROOTS, FIRST).with_served(ROOTS[:2], SECOND)
    assert ledger.with_served(ROOTS[:2], THIRD).faults == ledger.faults
    (fault,) = ledger.faults
    assert fault.detail == f"The root is no longer served that was first seen at {FIRST}."
