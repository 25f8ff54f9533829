"""The command of the doctor prints a line for each part, and its exit code is the verdict."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doctor.parts import KEY, SEATS, dead
from tests.processes import ROOT
from tests.sources.llm.model_server import answers, refuses, vote_text


def shell(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The doctor as it is run from a shell."""
    return subprocess.run(
        [sys.executable, "-m", "service.doctor", *words],
        env={**os.environ, "DATA_DIR": str(folder), **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_when_all_parts_work_each_has_a_line_and_the_exit_is_0(tmp_path, sqlite_url):
    done = shell(tmp_path, DATABASE_URL=sqlite_url)
    heading, *lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert heading.split() == ["part", "works", "ms", "cost", "what"]
    assert [line.split("  ")[0] for line in lines] == ["database", "prices", *(f"seat {name}" for name in SEATS)]


@pytest.mark.slow
def test_when_a_part_fails_the_exit_is_1_and_no_key_is_shown(tmp_path, model):
    model.behaviours = [answers(vote_text()), refuses(401, f"Incorrect API key provided: {KEY}")]
    secrets = {
        "ORACLE_MODEL": "openai:gpt-5-mini",
        "OPENAI_API_KEY": f"{KEY}-openai",
        **{f"ORACLE_{name.upper()}_BASE_URL": model.address for name in SEATS},
        **{f"ORACLE_{name.upper()}_API_KEY": KEY for name in SEATS},
        "REDIS_URL": f"redis://:{KEY}@{dead()}",
        "BROKER_URL": f"amqp://guest:{KEY}@{dead()}",
        "DATABASE_URL": f"postgresql://someone:{KEY}@{dead()}/test",
    }
    done = shell(tmp_path, "--json", **secrets)
    findings = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (1, "")
    assert {header["authorization"] for header in model.headers} == {f"Bearer {KEY}"}, "the key was used"
    assert KEY not in done.stdout
    assert sum(part["works"] for part in findings) == 2, "the prices, and the seat that was answered first"
    assert set(findings[0]) == {"part", "what", "works", "ms", "tokens", "usd", "detail"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "complaint"),
    [({"WORLD": "elsewhere"}, "error: WORLD: "), ({"ORACLE_MODEL": "openai:gpt-5"}, "error: openai:gpt-5 needs a key")],
)
def test_settings_that_cannot_be_used_exit_with_2(tmp_path, environment, complaint):
    done = shell(tmp_path, OPENAI_API_KEY="", **environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(complaint)
