"""The command line of the operator: its shell, its errors, its backup and the commands of the runbook."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from service.ledger.__main__ import main as ledger
from service.market.instants import DAY, iso
from service.operator.__main__ import main
from service.store import keys
from tests.api.web import EMAIL
from tests.operator.conftest import complaint_of, operated
from tests.processes import ROOT
from tests.running_service import START, running_service

COMPLAINTS = {
    "There is no live API key 00000000.": ("keys grant 00000000 paid", "keys revoke 00000000"),
    "The email address is not valid.": ("keys mint --email nobody", "keys list --email nobody"),
    "neither an address": ("blocks add somebody",),
    "is not blocked": ("blocks remove 203.0.113.9",),
    "This database is empty: start the service first.": ("challenges list",),
}


@pytest.mark.parametrize("complaint", COMPLAINTS)
def test_what_cannot_be_done_is_said_in_a_sentence(operate, complaint: str):
    for command in COMPLAINTS[complaint]:
        assert complaint in complaint_of(operate, *command.split())


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("DATABASE_URL", "postgresql://127.0.0.1:1/test", "The database does not answer"),
        ("WORLD", "elsewhere", "WORLD: "),
    ],
)
def test_an_unusable_environment_is_said_in_a_sentence(environment, monkeypatch, capsys, name, value, complaint):
    code, _, errors = operated(monkeypatch, capsys, {**environment, name: value}, "keys", "list")
    assert (code, errors[: len(complaint) + 7]) == (2, f"error: {complaint}")


@pytest.mark.parametrize("words", [[], ["keys"], ["keys", "grant", "00000000", "gold"], ["nonsense"]])
def test_a_command_that_is_none_shows_the_usage_with_exit_code_2(words, capsys):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    assert "usage: python -m service.operator" in capsys.readouterr().err


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


def test_the_runbook_names_every_command_for_the_database():
    text = "\n".join(commands())
    secrets = ("secrets list", "secrets rotate", "secrets replace-key-secret")
    for name in ("status", "backup", "restore", "migrate", "withdraw", "blocks add", "forget", "move", *secrets):
        assert f"service.operator {name}" in text
