"""Restoring, migrating and erasing, by the commands of the operator."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import func, select, text, update

from service.access.keys import key_id
from service.jobs.prune import prune
from service.ledger.chain import LedgerRow
from service.ledger.verifier import verify
from service.market.instants import DAY, HOUR, iso
from service.operator.__main__ import main
from service.store import keys, ledger, migrations, world
from service.store.database import Database, revision_at
from service.store.tables import metadata, prediction
from tests.running_service import START, copied, listening, running_service
from tests.store.test_migrations import make_first

EMAIL = "reader@example.com"


@pytest.mark.slow
def test_a_backup_becomes_the_database_again(operate_in, folder: Path, tmp_path: Path):
    assert operate_in(folder, "backup", tmp_path / "kept")[0] == 0
    with closing(Database(f"sqlite:///{folder / 'simulated.sqlite'}")) as database, database.reading() as db:
        assert world.silence_s(db, time.time(), world.BACKUP) < 60
    for file in folder.glob("simulated.sqlite*"):
        file.unlink()
    code, output, complaint = operate_in(folder, "restore", tmp_path / "kept", "--json")
    assert (code, complaint) == (0, "")
    assert (folder / "simulated.sqlite").stat().st_mode & 0o777 == 0o600
    with running_service(folder) as service:
        with service.runtime.database.reading() as db:
            assert json.loads(output)["ledger_rows"] == ledger.last_seq(db) > 0
        assert service.client.get("/readyz").status_code == 200


def test_a_database_before_its_migration_is_backed_up(operate_in, folder: Path, tmp_path: Path):
    """Whoever updates the service makes a backup first."""
    with closing(sqlite3.connect(folder / "simulated.sqlite")) as db, db:
        db.execute("UPDATE alembic_version SET version_num = '0017'")
    assert operate_in(folder, "status")[0] == 2
    assert operate_in(folder, "backup", tmp_path / "kept")[0] == 0
    assert (tmp_path / "kept").stat().st_size > 0


@pytest.mark.parametrize("remains", ["", "-wal", "-shm"])
def test_a_restore_never_overwrites_a_database(operate_in, folder: Path, tmp_path: Path, remains: str):
    """Nor is it put beside what belongs to the one before, which would be applied to it."""
    operate_in(folder, "backup", tmp_path / "kept")
    (folder / "simulated.sqlite").rename(folder / f"simulated.sqlite{remains}")
    code, _, complaint = operate_in(folder, "restore", tmp_path / "kept")
    assert (code, "exists already" in complaint) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["damaged", "tampered", "absent", "other secret"])
def test_a_bad_backup_is_refused_and_leaves_nothing(operate_in, folder: Path, tmp_path: Path, fault: str):
    backup_file, target = tmp_path / "kept", tmp_path / "fresh"
    if fault != "absent":
        operate_in(folder, "backup", backup_file)
    if fault == "damaged":
        backup_file.write_bytes(backup_file.read_bytes()[: -(1 << 19)])
    if fault == "tampered":
        with closing(sqlite3.connect(backup_file)) as db, db:
            db.execute("DROP TRIGGER ledger_update")
            db.execute("UPDATE ledger SET recorded_at = recorded_at + 1 WHERE seq = 5")
    if fault == "other secret":
        target.mkdir()
        (target / "key-secret").write_text("0" * 64)
    code, output, complaint = operate_in(target, "restore", backup_file)
    assert (code, output) == (2, "")
    assert complaint.startswith("error: ")
    assert complaint.count("\n") == 1
    assert not list(target.glob("*.sqlite*")) + list(target.glob(".*"))


def test_an_older_database_is_migrated_only_on_command(operate_in, folder: Path):
    url = f"sqlite:///{folder}/simulated.sqlite"
    with closing(Database(url)) as database, database.writing() as db:
        make_first(db)
    assert "this version needs" in operate_in(folder, "migrate", "--check")[2]
    assert "operator migrate" in operate_in(folder, "keys", "list")[2]
    assert revision_at(url) == migrations.FIRST
    assert operate_in(folder, "migrate")[0] == 0
    assert revision_at(url) == migrations.head()
    assert operate_in(folder, "migrate", "--check")[0] == 0


def test_a_replay_is_operated_without_its_folder(operate_in, folder: Path, monkeypatch):
    """No command asks for a setting that it does not use."""
    (folder / "simulated.sqlite").rename(folder / "replay.sqlite")
    monkeypatch.setenv("WORLD", "replay")
    assert operate_in(folder, "keys", "list")[0] == 0
    assert operate_in(folder, "ledger", "export", folder / "ledger.jsonl")[0] == 0


@pytest.mark.slow
def test_forgetting_an_email_leaves_no_trace_of_it(operate_in, folder: Path):
    """No row holds the email, the id of the key or the words of the question; the scores stay."""
    question = "Will Bitcoin, my uncle's favourite, be above $60k in one hour?"
    with running_service(folder) as service:
        registration = service.client.post("/api/v1/register", json={"email": EMAIL}).get_json()
        service.key, key_id = registration["api_key"], registration["key_id"]
        headers = {"X-API-Key": service.key}
        assert service.ask(question, **{"Idempotency-Key": "1"}).status_code == 200
        challenge = {"question": question.replace("in one hour", ""), "deadline": iso(START + 3 * DAY)[:10]}
        assert service.client.post("/api/challenges/create", json=challenge, headers=headers).status_code == 200
        market = service.client.get("/api/v1/predictions", headers=headers).get_json()["markets"][0]["id"]
        vote = service.client.post(f"/api/v1/predictions/{market}/vote", json={"vote": "yes"}, headers=headers)
        assert vote.status_code == 200, vote.get_json()
        forecast = service.client.post(f"/api/v1/predictions/{market}/forecast", json={"p_yes": 0.6}, headers=headers)
        assert forecast.status_code == 200, forecast.get_json()
        rename = service.client.patch("/api/v1/me", json={"forecaster": "uncle-owl"}, headers=headers)
        assert rename.status_code == 200, rename.get_json()
        service.move(2 * HOUR)
        assert service.ask(question).status_code == 200
    with closing(Database(f"sqlite:///{folder}/simulated.sqlite")) as database:
        assert _tables_with(database, EMAIL, key_id, "uncle")
        erasure = json.loads(operate_in(folder, "forget", EMAIL.upper(), "--json")[1])
        assert (erasure["keys"], erasure["answers"], erasure["challenges"], erasure["votes"]) == (1, 2, 1, 1)
        assert _tables_with(database, EMAIL, key_id, "uncle") == set()
    with running_service(folder, wall=START + 2 * HOUR) as service:
        service.move(HOUR)
        assert service.client.get("/readyz").status_code == 200


@pytest.mark.slow
def test_old_answers_lose_their_text_by_the_daily_deletion(folder: Path):
    question = "Will Bitcoin, my uncle's favourite, be above $60k in one hour?"
    with running_service(folder, answers_kept_days=2) as service:
        service.register()
        assert service.ask(question).status_code == 200
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


class TestTheLedger:
    def test_is_exported_as_lines_that_the_verifier_accepts(self, operate, challenge, tmp_path):
        challenge("Will bitcoin reach 120k?")
        operate("challenges", "resolve", challenge("Will China ban bitcoin?"), "no", "--evidence", "señal")
        file = tmp_path / "ledger.jsonl"
        code, output, _ = operate("ledger", "export", file, "--json")
        assert (code, json.loads(output)) == (0, {"file": str(file), "bytes": file.stat().st_size, "lines": 3})
        with open(file, encoding="utf-8", newline="\n") as lines:
            verdict = verify(lines)
        assert (verdict.fault, verdict.rows) == (None, 3)

    def test_is_verified_with_what_the_tables_hold(self, operate, challenge, database):
        operate("challenges", "resolve", challenge("Will China ban bitcoin?"), "no", "--evidence", "señal")
        code, output, _ = operate("ledger", "verify")
        assert (code, "the record agreed with all 2 rows of the ledger" in output) == (0, True)
        with database.writing() as db:
            db.execute(text("UPDATE prediction SET outcome = 'yes'"))
        code, output, _ = operate("ledger", "verify")
        assert (code, 'says outcome "no", the tables say "yes"' in output) == (1, True)
        assert operate("ledger", "verify", "--against", "nowhere.sqlite")[0] == 2

    @pytest.mark.slow
    def test_is_compared_with_what_a_service_serves(self, seeded: Path, tmp_path: Path, capsys):
        """As anyone with a key of the service can do it; then an outcome is flipped."""
        with running_service(copied(seeded, tmp_path)) as service, listening(service.client.application) as address:
            words = ["ledger", "verify", "--against", address, "--api-key", service.register()]
            with service.runtime.database.writing() as db:
                keys.grant_plan(db, key_id(service.key), "paid")  # each verification reads seven pages
            assert main(words) == 0
            assert "the record agreed with all " in capsys.readouterr().out
            with service.runtime.database.writing() as db:
                first = select(func.min(prediction.c.id)).where(
                    prediction.c.outcome == "yes", prediction.c.number.is_(None)
                )
                db.execute(update(prediction).where(prediction.c.id == db.scalar(first)).values(outcome="no"))
            assert main(words) == 1
            assert "outcome is served as 'no', the ledger says 'yes'." in capsys.readouterr().out

    def test_is_not_exported_over_a_file_nor_into_no_folder(self, operate, tmp_path):
        (tmp_path / "precious").write_text("mine")
        assert operate("ledger", "export", tmp_path / "precious")[0] == 2
        assert (tmp_path / "precious").read_text() == "mine"
        code, _, complaint = operate("ledger", "export", tmp_path / "nowhere" / "ledger.jsonl")
        assert code == 2
        assert complaint.startswith("error: The export could not be written: ")

    def test_is_corrected_by_a_row_that_points_at_the_wrong_one(self, operate, challenge, database, now):
        challenge("Will China ban bitcoin?")
        code, output, _ = operate("ledger", "correct", 1, "--note", "The deadline was misread.", "--json")
        assert code == 0
        assert json.loads(output) == {"seq": 2, "corrects": 1, "subject": "challenge-1", "recorded_at": iso(now)}
        with database.reading() as db:
            entry, original = ledger.find_entry(db, 2), ledger.find_entry(db, 1)
        assert (entry.kind, entry.backfilled) == ("correction", False)
        assert entry.body == {"corrects": 1, "note": "The deadline was misread."}
        assert original.kind == "question"

    def test_of_what_was_backfilled_is_corrected_as_backfilled(self, operate, database, now):
        with database.writing() as db:
            ledger.append(db, [LedgerRow("votes", "daily-btc-up-20261001", {"p": 0.5}, True)], now)
        operate("ledger", "correct", 1, "--note", "wrong")
        with database.reading() as db:
            assert ledger.find_entry(db, 2).backfilled

    @pytest.mark.parametrize(
        ("seq", "note", "complaint"),
        [(9, "wrong", "There is no row 9 in the ledger."), (1, " ", "The note must state what is wrong")],
    )
    def test_is_not_corrected_without_a_row_or_a_note(self, operate, challenge, database, seq, note, complaint):
        challenge("Will China ban bitcoin?")
        code, _, errors = operate("ledger", "correct", seq, "--note", note)
        assert code == 2
        assert complaint in errors
        with database.reading() as db:
            assert ledger.head(db).seq == 1
