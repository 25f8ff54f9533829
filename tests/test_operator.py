"""The operator's command line, beside a running service."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from service.config import Settings
from service.forecasting.predictions.challenges import open_challenge
from service.forecasting.predictions.entries import question_row
from service.ledger.chain import Row
from service.ledger.verifier import verify
from service.market.clock import WorldClock
from service.market.instants import DAY, HOUR, iso, utc
from service.operator.__main__ import main
from service.store import keys, ledger, predictions, world
from service.store.database import Database
from service.store.secret import key_secret
from tests.api.web import EMAIL, Web

ROOT = Path(__file__).parents[1]


@pytest.fixture
def environment(tmp_path, database_url) -> Mapping[str, str]:
    return {"DATA_DIR": str(tmp_path), "DATABASE_URL": database_url}


@pytest.fixture
def web(tmp_path, database) -> Web:
    """The service over the same database and secret."""
    return Web(database, Settings(data_dir=tmp_path), secret=key_secret(Settings(data_dir=tmp_path)))


@pytest.fixture
def operate(environment, monkeypatch, capsys) -> Callable[..., tuple[int, str, str]]:
    """Run a command in this process: exit code, what it printed, what it complained about."""

    def run(*words: object) -> tuple[int, str, str]:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        code = main([str(word) for word in words])
        return code, *capsys.readouterr()

    return run


def test_the_command_line_mints_lists_grants_and_revokes(web, operate):
    def shell(*words: str):
        code, printed, complaint = operate(*words, "--json")
        assert (code, complaint) == (0, "")
        return json.loads(printed)

    minted = shell("keys", "mint", "--delegating", "--email", "Bot@Example.com", "--app-name", "bot")
    key, id = minted["api_key"], minted["key_id"]
    assert web.ask(key, headers={"X-End-User": "alice"}).status_code == 200
    assert shell("keys", "grant", id, "paid")["plan"] == "paid"
    assert web.ask(key).headers["X-RateLimit-Limit"] == "100"
    listed = shell("keys", "list", "--email", "bot@example.com")
    assert [(row["key_id"], row["plan"], row["delegating"], row["app_name"]) for row in listed] == [
        (id, "paid", True, "bot")
    ]
    assert shell("keys", "revoke", id)["revoked_at"]
    assert web.ask(key).json["code"] == "invalid_api_key"


def test_it_is_run_from_the_shell(sqlite_url, tmp_path):
    def shell(*words: str) -> dict:
        command = [sys.executable, "-m", "service.operator", *words, "--json"]
        environment = {**os.environ, "DATA_DIR": str(tmp_path), "DATABASE_URL": sqlite_url}
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, check=True)
        assert done.stderr == b""
        return json.loads(done.stdout)

    minted = shell("keys", "mint", "--email", EMAIL)
    del minted["api_key"]
    assert shell("keys", "list") == [minted]


def test_a_list_is_a_table_that_shows_no_hash(web, operate):
    id = web.register().json["key_id"]
    code, printed, _ = operate("keys", "list")
    heading, row = printed.splitlines()
    assert code == 0
    assert heading.split()[:4] == ["key_id", "plan", "delegating", "email"]
    assert row.split()[:4] == [id, "free", "no", EMAIL]
    with web.database.reading() as db:
        assert keys.find(db, id).hash not in printed


def test_a_minted_key_is_readable_without_json(operate):
    _, printed, _ = operate("keys", "mint", "--email", EMAIL)
    fields = dict(line.split(maxsplit=1) for line in printed.splitlines())
    assert fields["api_key"].startswith(f"nf_live_{fields['key_id']}_")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("keys", "grant", "00000000", "paid"), "There is no live API key 00000000."),
        (("keys", "revoke", "00000000"), "There is no live API key 00000000."),
        (("keys", "mint", "--email", "nobody"), "The email address is not valid."),
        (("keys", "list", "--email", "nobody"), "The email address is not valid."),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence_with_exit_code_2(operate, words, complaint):
    assert operate(*words) == (2, "", f"error: {complaint}\n")


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("DATABASE_URL", "postgresql://127.0.0.1:1/test", "The database does not answer"),
        ("WORLD", "elsewhere", "WORLD: "),
    ],
)
def test_an_environment_that_cannot_be_used_is_said_in_a_sentence(
    environment, monkeypatch, capsys, name, value, complaint
):
    for known, given in {**environment, name: value}.items():
        monkeypatch.setenv(known, given)
    assert main(["keys", "list"]) == 2
    assert capsys.readouterr().err.startswith(f"error: {complaint}")


@pytest.mark.parametrize("words", [[], ["keys"], ["keys", "grant", "00000000", "gold"], ["nonsense"]])
def test_a_command_that_is_none_shows_the_usage_with_exit_code_2(words, capsys):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    assert "usage: python -m service.operator" in capsys.readouterr().err


class TestABackup:
    @pytest.fixture
    def database_url(self, sqlite_url) -> str:
        return sqlite_url

    def test_of_a_database_in_use_is_complete_and_for_its_owner_alone(self, web, operate, tmp_path):
        """A backup is begun while a writer has not committed yet."""
        id, file = web.register().json["key_id"], tmp_path / "backup.sqlite"
        with web.database.writing() as db:
            keys.register(db, b"secret", EMAIL, 0)
            code, printed, _ = operate("backup", file)
        assert code == 0
        assert str(tmp_path / "key-secret") in printed
        assert str(tmp_path / "ledger-key") in printed
        assert file.stat().st_mode & 0o777 == 0o600
        with closing(sqlite3.connect(file)) as copy:
            assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert copy.execute("SELECT id FROM api_key").fetchall() == [(id,)]

    def test_can_be_served(self, web, operate, tmp_path):
        key, file = web.register().json["api_key"], tmp_path / "backup.sqlite"
        web.asked(key, 4)
        operate("backup", file)
        with closing(Database(f"sqlite:///{file}")) as copy:
            assert Web(copy, secret=web.secret).asked(key, 7) == {200: 6, 429: 1}

    def test_overwrites_nothing(self, operate, tmp_path):
        (tmp_path / "precious").write_text("mine")
        assert operate("backup", tmp_path / "precious")[0] == 2
        assert (tmp_path / "precious").read_text() == "mine"

    def test_into_no_folder_is_refused(self, operate, tmp_path):
        code, _, complaint = operate("backup", tmp_path / "nowhere" / "backup.sqlite")
        assert (code, complaint) == (2, f"error: There is no folder {tmp_path / 'nowhere'}.\n")


def test_a_backup_of_postgresql_is_refused_with_advice(postgresql_url, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DATABASE_URL", postgresql_url)
    assert main(["backup", str(tmp_path / "backup")]) == 2
    assert "pg_dump" in capsys.readouterr().err
    assert not (tmp_path / "backup").exists()


SPOTS = {"btc": 94075.9, "sol": 147.04}
STARTED = 1_795_255_200  # 2026-11-21T10:00:00Z


@pytest.fixture
def now(database) -> int:
    """World time in a database whose world runs ten days ahead of the wall and stands still."""
    instant = int(time.time()) + 10 * DAY
    clock = WorldClock("replay", world_origin=instant, wall_origin=STARTED, speed=1.0, ends=instant)
    with database.writing() as db:
        world.settle(db, fingerprint="abc", step=HOUR, history_from=0, clock=clock, wall=STARTED)
    return instant


@pytest.fixture
def challenge(database, now) -> Callable[..., int]:
    """Open a challenge, two days before `now` and until five days after it; its number."""

    def opened(text: str, *, opened_at: int = now - 2 * DAY, days: int = 7) -> int:
        with database.writing() as db:
            number = predictions.next_number(db)
            deadline = utc(opened_at).date() + timedelta(days=days)
            market = open_challenge(text, deadline, opened_at, SPOTS, number, "key:secret-caller")
            predictions.add(db, market, number)
            ledger.append(db, [question_row(market)], opened_at)
        return number

    return opened


class TestChallenges:
    def test_are_listed_with_what_came_of_them_and_without_their_caller(self, operate, challenge, now):
        bars, event = challenge("Will bitcoin reach 120k?"), challenge("Will the SEC approve a Solana ETF?")
        late = challenge("Will China ban bitcoin?", opened_at=now - 9 * DAY)
        operate("challenges", "resolve", event, "yes", "--evidence", "https://www.sec.gov/1")
        code, printed, complaint = operate("challenges", "list")
        assert (code, complaint) == (0, "")
        assert "secret-caller" not in printed
        heading, *rows = printed.splitlines()
        assert heading.split() == ["number", "status", "resolver", "deadline", "question"]
        assert [row.split()[:3] for row in rows] == [
            [str(bars), "open", "bars"],
            [str(event), "yes", "hand"],
            [str(late), "due", "hand"],
        ]
        assert rows[1].endswith("Will the SEC approve a Solana ETF?")

    def test_that_nothing_came_of_yet_are_listed_alone(self, operate, challenge):
        first, second = challenge("Will China ban bitcoin?"), challenge("Will India ban crypto?")
        operate("challenges", "resolve", first, "no", "--evidence", "seen")
        _, printed, _ = operate("challenges", "list", "--unresolved", "--json")
        assert [row["number"] for row in json.loads(printed)] == [second]

    def test_are_resolved_by_hand_with_a_row_of_the_ledger_in_world_time(self, operate, challenge, database, now):
        number = challenge("Will the SEC approve a Solana ETF?")
        code, printed, _ = operate(
            "challenges", "resolve", number, "yes", "--evidence", "https://www.sec.gov/1", "--json"
        )
        told = json.loads(printed)
        assert code == 0
        assert (told["status"], told["evidence"], told["resolved_at"]) == ("yes", "https://www.sec.gov/1", iso(now))
        with database.reading() as db:
            settlement = predictions.find_challenge(db, number).settlement
            entry = ledger.find(db, told["seq"])
        assert (settlement.outcome, settlement.resolved_at, settlement.source) == ("yes", now, "hand")
        assert (entry.kind, entry.subject, entry.recorded_at) == ("resolution", f"challenge-{number}", iso(now))
        assert entry.body == vars(settlement)

    def test_are_resolved_once(self, operate, challenge, database):
        number = challenge("Will China ban bitcoin?")
        operate("challenges", "resolve", number, "no", "--evidence", "seen")
        code, _, complaint = operate("challenges", "resolve", number, "yes", "--evidence", "seen")
        assert (code, complaint) == (
            2,
            f"error: Challenge {number} came out no already; only the ledger is corrected.\n",
        )
        with database.reading() as db:
            assert predictions.find_challenge(db, number).settlement.outcome == "no"
            assert ledger.head(db).body["outcome"] == "no"

    @pytest.mark.parametrize(
        ("text", "evidence", "complaint"),
        [
            ("Will bitcoin reach 120k?", "seen", "error: challenge-1 is resolved by bars, not by hand"),
            ("Will China ban bitcoin?", " ", "error: Say where the outcome can be seen."),
        ],
    )
    def test_are_left_alone_where_prices_decide_or_nothing_shows_it(
        self, operate, challenge, database, text, evidence, complaint
    ):
        code, _, said = operate("challenges", "resolve", challenge(text), "yes", "--evidence", evidence)
        assert code == 2
        assert said.startswith(complaint)
        with database.reading() as db:
            assert predictions.find_challenge(db, 1).settlement is None
            assert ledger.head(db).kind == "question"

    def test_that_do_not_exist_are_not_resolved(self, operate, now):
        assert operate("challenges", "resolve", 17, "yes", "--evidence", "seen") == (
            2,
            "",
            "error: There is no challenge 17.\n",
        )

    def test_wait_for_the_first_start(self, operate):
        assert operate("challenges", "list")[2] == "error: This database holds no world yet: start the service first.\n"


class TestTheLedger:
    def test_is_exported_as_lines_that_the_verifier_accepts(self, operate, challenge, tmp_path):
        challenge("Will bitcoin reach 120k?")
        operate("challenges", "resolve", challenge("Will China ban bitcoin?"), "no", "--evidence", "señal")
        file = tmp_path / "ledger.jsonl"
        code, printed, _ = operate("ledger", "export", file, "--json")
        assert (code, json.loads(printed)) == (0, {"file": str(file), "bytes": file.stat().st_size, "lines": 3})
        with open(file, encoding="utf-8", newline="\n") as lines:
            verdict = verify(lines)
        assert (verdict.fault, verdict.rows) == (None, 3)

    def test_is_not_exported_over_a_file_nor_into_no_folder(self, operate, tmp_path):
        (tmp_path / "precious").write_text("mine")
        assert operate("ledger", "export", tmp_path / "precious")[0] == 2
        assert (tmp_path / "precious").read_text() == "mine"
        code, _, complaint = operate("ledger", "export", tmp_path / "nowhere" / "ledger.jsonl")
        assert code == 2
        assert complaint.startswith("error: The export could not be written: ")

    def test_is_corrected_by_a_row_that_points_at_the_wrong_one(self, operate, challenge, database, now):
        challenge("Will China ban bitcoin?")
        code, printed, _ = operate("ledger", "correct", 1, "--note", "The deadline was misread.", "--json")
        assert code == 0
        assert json.loads(printed) == {"seq": 2, "corrects": 1, "subject": "challenge-1", "recorded_at": iso(now)}
        with database.reading() as db:
            entry, wrong = ledger.find(db, 2), ledger.find(db, 1)
        assert (entry.kind, entry.backfilled) == ("correction", False)
        assert entry.body == {"corrects": 1, "note": "The deadline was misread."}
        assert wrong.kind == "question"

    def test_of_what_was_backfilled_is_corrected_as_backfilled(self, operate, database, now):
        with database.writing() as db:
            ledger.append(db, [Row("votes", "daily-btc-up-20261001", {"p": 0.5}, True)], now)
        operate("ledger", "correct", 1, "--note", "wrong")
        with database.reading() as db:
            assert ledger.find(db, 2).backfilled

    @pytest.mark.parametrize(
        ("seq", "note", "complaint"),
        [(9, "wrong", "There is no row 9 in the ledger."), (1, " ", "Say in the note what is wrong")],
    )
    def test_is_not_corrected_without_a_row_or_a_note(self, operate, challenge, database, seq, note, complaint):
        challenge("Will China ban bitcoin?")
        code, _, said = operate("ledger", "correct", seq, "--note", note)
        assert code == 2
        assert complaint in said
        with database.reading() as db:
            assert ledger.head(db).seq == 1
