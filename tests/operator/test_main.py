"""The command line of the operator: its shell, its errors, its backup and the commands of the runbook."""

from __future__ import annotations

import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from service.ledger.__main__ import main as ledger
from service.market.instants import DAY, iso
from service.operator.__main__ import main
from service.store import keys
from service.store.database import Database
from tests.api.web import EMAIL, Web
from tests.operator.conftest import operated
from tests.processes import ROOT
from tests.running_service import START, running_service


@pytest.mark.slow
def test_it_is_run_from_the_shell(sqlite_url, tmp_path):
    def shell(*words: str) -> dict:
        command = [sys.executable, "-m", "service.operator", *words, "--json"]
        environment = {**os.environ, "DATA_DIR": str(tmp_path), "DATABASE_URL": sqlite_url}
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, check=True)
        assert done.stderr == b""
        return json.loads(done.stdout)

    key = shell("keys", "mint", "--email", EMAIL)
    del key["api_key"]
    assert shell("keys", "list") == [key]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("keys", "grant", "00000000", "paid"), "There is no live API key 00000000.\n"),
        (("keys", "revoke", "00000000"), "There is no live API key 00000000.\n"),
        (("keys", "mint", "--email", "nobody"), "The email address is not valid.\n"),
        (("keys", "list", "--email", "nobody"), "The email address is not valid.\n"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence_with_exit_code_2(operate, words, complaint):
    assert operate(*words) == (2, "", f"error: {complaint}")


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
    code, _, errors = operated(monkeypatch, capsys, {**environment, name: value}, "keys", "list")
    assert (code, errors[: len(complaint) + 7]) == (2, f"error: {complaint}")


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

    @pytest.mark.slow
    def test_of_a_database_in_use_is_complete_and_for_its_owner_alone(self, web, operate, tmp_path):
        """A backup is begun while a writer has not committed yet."""
        id, file = web.register().json["key_id"], tmp_path / "backup.sqlite"
        with web.database.writing() as db:
            keys.register_key(db, b"secret", EMAIL, 0)
            code, output, _ = operate("backup", file)
        assert code == 0
        assert str(tmp_path / "key-secret") in output
        assert str(tmp_path / "ledger-key") in output
        assert file.stat().st_mode & 0o777 == 0o600
        with closing(sqlite3.connect(file)) as copy:
            assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert copy.execute("SELECT id FROM api_key").fetchall() == [(id,)]

    def test_can_be_served(self, web, operate, tmp_path):
        key, file = web.register().json["api_key"], tmp_path / "backup.sqlite"
        web.statuses(key, 4)
        operate("backup", file)
        with closing(Database(f"sqlite:///{file}")) as copy:
            assert Web(copy, secret=web.secret).statuses(key, 7) == {200: 6, 429: 1}

    def test_into_no_folder_is_refused(self, operate, tmp_path):
        code, _, complaint = operate("backup", tmp_path / "nowhere" / "backup.sqlite")
        assert (code, complaint) == (2, f"error: The folder {tmp_path / 'nowhere'} does not exist.\n")


def test_no_command_makes_a_database(tmp_path, operate, monkeypatch):
    """A mistyped DATA_DIR was answered with "no keys", from an empty database made there."""
    monkeypatch.setattr("os.environ", {})
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "mistyped"))
    assert main(["keys", "list"]) == 2
    assert not (tmp_path / "mistyped").exists()


def test_a_list_is_a_table_that_shows_no_hash(web, operate):
    """A minted key is readable without --json too."""
    id = web.register().json["key_id"]
    code, output, _ = operate("keys", "list")
    heading, row = output.splitlines()
    assert code == 0
    assert heading.split()[:4] == ["key_id", "plan", "delegating", "email"]
    assert row.split()[:4] == [id, "free", "no", EMAIL]
    with web.database.reading() as db:
        assert keys.find_key(db, id).hash not in output
    fields = dict(line.split(maxsplit=1) for line in operate("keys", "mint", "--email", EMAIL)[1].splitlines())
    assert fields["api_key"].startswith(f"nf_live_{fields['key_id']}_")


RUNBOOK = ROOT / "service" / "docs" / "operations.md"

# Run by tests/test_fleet.py.
SERVERS = [f".venv/bin/python app.py {role} --processes 2" for role in ("web", "work")]
PROGRAMS = {"service.operator": main, "service.ledger": ledger}


def commands() -> list[str]:
    """The lines of the runbook that are commands."""
    blocks = re.findall(r"```sh\n(.*?)```", RUNBOOK.read_text(), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    return [line for line in lines if line not in SERVERS and not line.startswith("export ")]


@pytest.mark.slow
def test_every_command_of_the_runbook_works(folder: Path, tmp_path: Path, monkeypatch, capsys, empty_postgresql: str):
    """In their order, over the data of a service; before a restore the database is moved away."""
    with running_service(folder) as service:
        challenge = {"question": "Will Bitcoin be above $60k?", "deadline": iso(START + 3 * DAY)[:10]}
        assert service.client.post("/api/challenges/create", json=challenge).status_code == 200
    monkeypatch.setenv("DATA_DIR", str(folder))
    monkeypatch.chdir(tmp_path)
    for command in commands():
        if " restore " in command:
            (folder / "simulated.sqlite").rename(folder / "old")
        if " move " in command:
            command = f"{command.rpartition(' ')[0]} {shlex.quote(empty_postgresql.replace('+psycopg', ''))}"
        python, _, module, *words = shlex.split(command)
        assert (python, command.split()[1]) == (".venv/bin/python", "-m")
        assert PROGRAMS[module](words) == 0, f"{command}: {capsys.readouterr().err}"


def test_the_runbook_names_every_command_of_the_operator_for_the_database():
    text = "\n".join(commands())
    secrets = ("secrets list", "secrets rotate", "secrets replace-key-secret")
    for name in ("status", "backup", "restore", "migrate", "withdraw", "blocks add", "forget", "move", *secrets):
        assert f"service.operator {name}" in text
