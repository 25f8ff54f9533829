"""Restoring, migrating, moving, erasing and the status, by the commands of the operator."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import func, select

from service.jobs.prune import prune
from service.ledger.chain import LedgerRow
from service.market.bars import from_rows
from service.market.instants import DAY, HOUR, WorldClock, iso
from service.notifications.events import Attempt, Message
from service.operator.status import COLUMNS
from service.store import bars, ledger, migrations, notifications, runs, secret, world
from service.store.database import Database, revision_at
from service.store.secret import KeySecrets
from service.store.tables import metadata
from tests.api.web import NOON, Web
from tests.operator.conftest import answer_of, complaint_of
from tests.running_service import START, running_service
from tests.store.test_migrations import make_first

EMAIL = "reader@example.com"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """SQLite, from which a database is moved to PostgreSQL."""
    return sqlite_url


@pytest.mark.slow
def test_a_backup_becomes_the_database_again(operate_in, folder: Path, tmp_path: Path):
    code, output, _ = operate_in(folder, "backup", tmp_path / "kept")
    assert (code, [name for name in secret.VARIABLES if str(folder / name) not in output]) == (0, [])
    with closing(Database(f"sqlite:///{folder / 'simulated.sqlite'}")) as database, database.reading() as db:
        assert world.silence_s(db, time.time(), world.BACKUP) < 60
    for file in folder.glob("simulated.sqlite*"):
        file.unlink()
    restoration = answer_of(operate_in, folder, "restore", tmp_path / "kept")
    assert (folder / "simulated.sqlite").stat().st_mode & 0o777 == 0o600
    with running_service(folder) as service:
        with service.runtime.database.reading() as db:
            assert restoration["ledger_rows"] == ledger.last_seq(db) > 0
        assert service.client.get("/readyz").status_code == 200


def test_a_database_before_its_migration_is_backed_up(operate_in, folder: Path, tmp_path: Path):
    """Whoever updates the service makes a backup first."""
    with closing(sqlite3.connect(folder / "simulated.sqlite")) as db, db:
        db.execute("UPDATE alembic_version SET version_num = '0017'")
    assert operate_in(folder, "status")[0] == 2
    assert operate_in(folder, "backup", tmp_path / "kept")[0] == 0
    assert (tmp_path / "kept").stat().st_size > 0
    verify = ["ledger", "verify"]
    assert "The database is at revision 0017" in complaint_of(operate_in, folder, *verify)
    complaint = complaint_of(operate_in, folder, *verify, "--against", tmp_path / "kept")
    assert "kept is a database of revision 0017; this version needs" in complaint
    (tmp_path / "diary").write_text("Dear diary")
    complaint = complaint_of(operate_in, folder, *verify, "--against", tmp_path / "diary")
    assert "diary is a database of revision none;" in complaint


@pytest.mark.parametrize("remains", ["", "-wal", "-shm"])
def test_a_restore_never_overwrites_a_database(operate_in, folder: Path, tmp_path: Path, remains: str):
    """Nor is it put beside what belongs to the one before, which would be applied to it."""
    operate_in(folder, "backup", tmp_path / "kept")
    (folder / "simulated.sqlite").rename(folder / f"simulated.sqlite{remains}")
    assert "exists already" in complaint_of(operate_in, folder, "restore", tmp_path / "kept")


def test_an_older_database_is_migrated_only_on_command(operate_in, folder: Path):
    url = f"sqlite:///{folder}/simulated.sqlite"
    with closing(Database(url)) as database, database.writing() as db:
        make_first(db)
    assert "this version needs" in operate_in(folder, "migrate", "--check")[2]
    assert "operator migrate" in complaint_of(operate_in, folder, "keys", "list")
    assert revision_at(url) == migrations.revisions()[0]
    assert operate_in(folder, "migrate")[0] == 0
    assert revision_at(url) == migrations.head()
    assert operate_in(folder, "migrate", "--check")[0] == 0


def test_a_replay_is_operated_without_its_folder(operate_in, folder: Path, monkeypatch):
    """No command asks for a setting that it does not use."""
    (folder / "simulated.sqlite").rename(folder / "replay.sqlite")
    monkeypatch.setenv("WORLD", "replay")
    assert operate_in(folder, "keys", "list")[0] == 0
    assert operate_in(folder, "ledger", "export", folder / "ledger.jsonl")[0] == 0


QUESTION = "Will Bitcoin, my uncle's favourite, be above $60k in one hour?"


@pytest.mark.slow
def test_forgetting_an_email_leaves_no_trace_of_it(operate_in, folder: Path):
    """No row holds the email, the id of the key or the words of the question; the scores stay."""
    with running_service(folder) as service:
        registration = service.client.post("/api/v1/register", json={"email": EMAIL}).get_json()
        service.key, key_id = registration["api_key"], registration["key_id"]
        headers = {"X-API-Key": service.key}
        assert service.ask(QUESTION, **{"Idempotency-Key": "1"}).status_code == 200
        market = service.client.get("/api/v1/predictions", headers=headers).get_json()["markets"][0]["id"]
        challenge = {"question": QUESTION.replace("in one hour", ""), "deadline": iso(START + 3 * DAY)[:10]}
        for method, path, body in (
            ("POST", "/api/challenges/create", challenge),
            ("POST", f"/api/v1/predictions/{market}/vote", {"vote": "yes"}),
            ("POST", f"/api/v1/predictions/{market}/forecast", {"p_yes": 0.6}),
            ("PATCH", "/api/v1/me", {"forecaster": "uncle-owl"}),
        ):
            response = service.client.open(path, method=method, json=body, headers=headers)
            assert response.status_code == 200, response.get_json()
        service.move(2 * HOUR)
        assert service.ask(QUESTION).status_code == 200
    with closing(Database(f"sqlite:///{folder}/simulated.sqlite")) as database:
        assert _tables_with(database, EMAIL, key_id, "uncle")
        erasure = answer_of(operate_in, folder, "forget", EMAIL.upper())
        assert (erasure["keys"], erasure["answers"], erasure["challenges"], erasure["votes"]) == (1, 2, 1, 0)
        assert _tables_with(database, EMAIL, key_id, "uncle") == set()
    with running_service(folder, wall=START + 2 * HOUR) as service:
        service.move(HOUR)
        assert service.client.get("/readyz").status_code == 200


@pytest.mark.slow
def test_old_answers_lose_their_text_by_the_daily_deletion(folder: Path):
    with running_service(folder, answers_kept_days=2) as service:
        service.register()
        assert service.ask(QUESTION).status_code == 200
        database = service.runtime.database
        service.move(2 * HOUR)
        for days, is_kept in ((1, True), (3, False)):
            with database.writing() as db:
                prune(service.engine.job_context, int(service.wall) + days * DAY)(db)
            assert bool(_tables_with(database, "uncle")) == is_kept


def _tables_with(database: Database, *words: str) -> set[str]:
    """The tables in which a row holds one of the words as a whole: a number may hold the digits of a key's id."""
    tables = set()
    with database.reading() as db:
        for table in metadata.sorted_tables:
            if table.name in ("snapshot", "rate_window"):
                continue
            for row in db.execute(select(table)).mappings():
                content = " ".join(map(str, row.values()))
                if any(re.search(rf"\b{re.escape(word)}\b", content) for word in words):
                    tables.add(table.name)
    return tables


def test_status_shows_jobs_ledger_and_keys(operate_in, folder: Path):
    """With the lag of the metrics, so that the alert has the operator's number: at least that of a slot that is due."""
    state = answer_of(operate_in, folder, "status")
    jobs = {row["job"]: row for row in state["jobs"]}
    assert (jobs["tick"]["state"], jobs["tick"]["done_up_to"]) == ("done", "2026-11-21T08:00:00Z")
    assert state["ledger_tail"][-1]["seq"] == state["ledger_rows"] > 0
    assert state["database_bytes"] > 1e6
    assert {*COLUMNS, "ledger_rows"} <= {*operate_in(folder, "status")[1].split()}
    with running_service(folder) as service, service.runtime.database.writing() as db:
        runs.add(db, "seal", START + DAY, time.time() - 3600)
        lag = runs.job_states(db, time.time())["seal"].lag_s
    (shown_s,) = [row["lag_s"] for row in answer_of(operate_in, folder, "status")["jobs"] if row["job"] == "seal"]
    assert shown_s >= lag - 1  # more where no job process looks, as here since the world was seeded


def counts(database: Database) -> dict[str, int]:
    with database.reading() as db:
        return {table.name: db.scalar(select(func.count()).select_from(table)) for table in metadata.sorted_tables}


def test_a_moved_service_has_the_same_rows_ledger_and_keys(operate, web: Web, empty_postgresql: str):
    """A key still works, the ledger and its root are the same, and new rows are numbered after the copied ones."""
    key = web.granted(plan="paid")
    with web.database.writing() as db:
        world.claim_world(db, fingerprint="abc", step=300, history_from=0, clock=WorldClock("simulated"), wall=NOON)
        ledger.append(db, [LedgerRow("apex", "btc", {"p": 0.1 + 0.2, "n": n}, n < 2) for n in range(5)], NOON)
        ledger.seal(db, "2026-11-21", b"a seed of thirty-two bytes......", NOON)
        bars.add_bars(db, "btc", from_rows([(NOON, 1.1, 1.3, 1e-9, 1.2, 0.0)], 300))
        hook = notifications.add_webhook(db, key.split("_")[2], "https://example.com/", ["odds"], [], 0, NOON)
        notifications.record_attempt(db, hook.id, attempt("one"))
        export = list(ledger.export(db))
    code, output, complaint = operate("move", empty_postgresql.replace("+psycopg", ""), "--json")
    assert code == 0, complaint
    target = Database(empty_postgresql)
    assert counts(target) == counts(web.database) == {row["table"]: row["rows"] for row in json.loads(output)["tables"]}
    with target.writing() as db:
        assert list(ledger.export(db)) == export
        assert notifications.record_attempt(db, hook.id, attempt("two")).number == 2
    client = replace(web, database=target, secrets=KeySecrets(web.secret))
    assert client.send("GET", "/api/v1/me", key=key).status_code == 200
    target.close()


def test_a_move_refuses_a_database_that_is_in_use(operate, web: Web, postgresql_url: str):
    complaint = complaint_of(operate, "move", postgresql_url.replace("+psycopg", ""))
    assert "a move needs an empty database" in complaint


def test_a_move_that_fails_leaves_nothing_behind(operate, web: Web, empty_postgresql: str):
    """The ledger was tampered with: the copy would be worth nothing."""
    with web.database.writing() as db:
        ledger.append(db, [LedgerRow("apex", "btc", {}, backfilled=False)], NOON)
        db.exec_driver_sql("DROP TRIGGER ledger_update")
        db.exec_driver_sql("UPDATE ledger SET recorded_at = recorded_at + 1")
    code, _, complaint = operate("move", empty_postgresql.replace("+psycopg", ""))
    assert (code, "The copied ledger is not the same" in complaint) == (2, True)
    with closing(Database(empty_postgresql)) as target:
        assert set(counts(target).values()) == {0}


def attempt(id: str) -> Attempt:
    return Attempt(Message(id, None, "odds", "{}"), NOON, 5, 200, None)
