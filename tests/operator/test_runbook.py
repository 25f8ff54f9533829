"""Every command of the runbook is run as it stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from service.ledger.__main__ import main as ledger
from service.market.instants import DAY, iso
from service.operator.__main__ import main as operator
from tests.processes import ROOT
from tests.running_service import START, copied, running_service

pytestmark = pytest.mark.slow

RUNBOOK = ROOT / "service" / "docs" / "operations.md"
# Run by tests/test_fleet.py.
SERVERS = [f".venv/bin/python app.py {role} --processes 2" for role in ("web", "work")]
MAIN = {"service.operator": operator, "service.ledger": ledger}


def commands() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", RUNBOOK.read_text(), re.DOTALL)
    return [
        line
        for block in blocks
        for line in block.splitlines()
        if line not in SERVERS and not line.startswith("export ")
    ]


def test_every_command_of_the_runbook_works(seeded: Path, tmp_path: Path, monkeypatch, capsys, empty_postgresql: str):
    """In their order, over the data of a service; before a restore the database is moved away."""
    folder = copied(seeded, tmp_path)
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
        assert MAIN[module](words) == 0, f"{command}: {capsys.readouterr().err}"


def test_the_runbook_names_every_command_of_the_operator_for_the_database():
    text = "\n".join(commands())
    secrets = ("secrets list", "secrets rotate", "secrets replace-key-secret")
    for name in ("status", "backup", "restore", "migrate", "withdraw", "blocks add", "forget", "move", *secrets):
        assert f"service.operator {name}" in text
