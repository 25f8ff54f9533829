"""The texts of strangers are withdrawn and erased, and who wrote them is blocked, by the commands of the operator."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from app import build_runtime
from service.access.keys import key_id
from service.config import Settings
from service.forecasting.predictions.commitments import WITHDRAWN
from service.market.instants import DAY, iso
from service.store import audit, keys, ledger, predictions
from service.store.database import Database
from service.store.tables import metadata
from tests.api.web import ADDRESS, SECRET
from tests.operator.conftest import answer_of, complaint_of
from tests.operator.test_maintenance import EMAIL
from tests.running_service import START, running_service

PERSON = "Ann Doe of Elm Street"
LEVEL = f"{PERSON} asks: will bitcoin reach 120k?"
TOPIC = f"Will China ban bitcoin for {PERSON}?"


def differences(database: Database) -> list[str]:
    with database.reading() as db:
        return list(audit.differences(db))


def test_a_withdrawn_text_leaves_the_canonical_sentence(operate, challenge, database):
    """The record still agrees with the ledger, in which the text never was; another text in its place is reported.

    A topic is void: nobody can decide what nobody can read.
    """
    number, topic = challenge(LEVEL), challenge(TOPIC)
    assert differences(database) == []
    assert answer_of(operate, "withdraw", f"challenge-{number}")["withdrawn"]
    operate("withdraw", f"challenge-{topic}")
    with database.reading() as db:
        record, void = (predictions.find_challenge(db, it) for it in (number, topic))
        rows = ledger.entries(db, 1, 10)
    assert (record.question.text, record.settlement) == (record.question.canonical, None)
    assert (void.question.text, void.outcome) == (WITHDRAWN, "void")
    assert [row.kind for row in rows[:3]] == ["question", "question", "correction"]
    assert rows[2].body == {"corrects": 1, "note": "The text of the question was withdrawn.", "withdrawn": True}
    assert PERSON not in f"{record} {rows}"
    assert differences(database) == []
    with database.writing() as db:
        db.execute(text("""UPDATE prediction SET question = replace(question, '"text":"Will', '"text":"Would')"""))
    assert "its text was withdrawn" in "".join(differences(database))


def test_only_a_foreign_text_can_be_withdrawn(operate, challenge):
    """Once."""
    name = f"challenge-{challenge(LEVEL)}"
    assert [answer_of(operate, "withdraw", name)["withdrawn"] for _ in range(2)] == [True, False]
    assert "no challenge or imported market daily-btc" in complaint_of(operate, "withdraw", "daily-btc")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE prediction SET salt = 'other'",
        "UPDATE prediction SET salt = NULL",
        "UPDATE prediction SET question = replace(question, 'Elm', 'Oak')",
    ],
)
def test_a_changed_text_is_reported(challenge, database, change: str):
    """Although the ledger has only its hash."""
    challenge(LEVEL)
    with database.writing() as db:
        db.execute(text(change))
    assert differences(database)


def test_a_forgotten_person_is_in_no_file_of_the_database(operate, challenge, database, environment):
    """SQLite keeps what was deleted in free pages, and in a log beside the database; PostgreSQL in its tables."""
    with database.writing() as db:
        key = keys.register_key(db, SECRET, EMAIL, START)[1].id
    for _ in range(9):  # a row or two may be overwritten by chance
        challenge(TOPIC, f"key:{key}:alice")
    counts = {"keys": 1, "answers": 0, "challenges": 9, "votes": 0, "webhooks": 0}
    assert answer_of(operate, "forget", EMAIL) == counts
    assert differences(database) == []
    if database.dialect == "sqlite":
        file = Path(environment["DATABASE_URL"].removeprefix("sqlite:///"))
        assert not [path for path in file.parent.glob(f"{file.name}*") if PERSON.encode() in path.read_bytes()]
        return
    for _ in range(MOST_REPEATS):  # a transaction of another test that is older keeps the rows
        database.overwrite()
        if not (tables := tables_with(database, PERSON, EMAIL)):
            break
    assert not tables


MOST_REPEATS = 200


def tables_with(database: Database, *texts: str) -> list[str]:
    """The tables in whose files on the server of PostgreSQL one of these texts stands."""
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
        db.execute(text("CHECKPOINT"))
        query = text("SELECT pg_read_binary_file(pg_relation_filepath(:name))")
        pages = {table.name: bytes(db.scalar(query, {"name": table.name})) for table in metadata.sorted_tables}
    return [name for name, content in pages.items() if any(words.encode() in content for words in texts)]


@pytest.mark.slow
def test_a_restored_backup_is_erased_again(operate_in, folder: Path, tmp_path: Path):
    """When the service starts with it; the list of what was erased is kept with the secrets."""
    with running_service(folder) as service:
        headers = {"X-API-Key": service.register()}
        challenge = {"question": LEVEL, "deadline": iso(START + 3 * DAY)[:10]}
        assert service.client.post("/api/challenges/create", json=challenge, headers=headers).status_code == 200
    operate_in(folder, "backup", tmp_path / "kept")
    operate_in(folder, "forget", EMAIL)
    assert str(folder / "erased") in operate_in(folder, "backup", tmp_path / "later")[1]
    for file in folder.glob("simulated.sqlite*"):
        file.unlink()
    assert operate_in(folder, "restore", tmp_path / "kept")[0] == 0
    with closing(build_runtime(Settings(world="simulated", data_dir=folder), lambda: START).database) as database:
        with database.reading() as db:
            assert PERSON not in str(predictions.find_challenge(db, 1))
            assert keys.listed_keys(db, EMAIL) == []
        assert differences(database) == []
    assert not [file for file in folder.glob("simulated.sqlite*") if PERSON.encode() in file.read_bytes()]


@pytest.mark.parametrize("caller", [ADDRESS, "KEY", "KEY:alice"])
def test_a_blocked_caller_reads_and_does_not_write(operate, web, caller: str):
    """Until the block is removed; other end users of a key are not blocked with one of them."""
    key = web.granted(delegating=True)
    caller = caller.replace("KEY", key_id(key))
    headers = {"X-End-User": "alice"}

    def statuses() -> list[int]:
        look = web.send("GET", "/look", key=key, headers=headers)
        return [look.status_code, web.ask(key, headers=headers).status_code]

    assert answer_of(operate, "blocks", "add", caller)["caller"].endswith(caller)
    assert caller in operate("blocks", "list")[1]
    assert statuses() == [200, 403]
    other = web.ask(key, headers={"X-End-User": "alice:phone"}).status_code
    assert (other == 200) == caller.endswith(":alice")
    operate("blocks", "remove", caller)
    assert statuses() == [200, 200]
