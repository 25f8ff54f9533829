"""The service as an installed package, outside of a checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.processes import ROOT, free_port, running, wait_until_ready
from tests.wheels import unpacked

pytestmark = pytest.mark.slow

COMMAND = """
import sys
sys.path.insert(0, {site!r})
sys.argv = ["ninefold", *{words}]
from ninefold.__main__ import main
main()
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The folder of the installed package."""
    return unpacked(ROOT / ".wheel", tmp_path_factory.mktemp("wheel"))


def ninefold(site: Path, *words: str) -> list[str]:
    """The command line of `ninefold` with these words, as the installed script runs it."""
    return [sys.executable, "-I", "-c", COMMAND.format(site=str(site), words=words)]


def test_the_installed_service_starts_without_a_checkout(site: Path, tmp_path: Path):
    """With its page, its documents and its migrations; its processes find their modules."""
    port, log = free_port(), tmp_path / "log"
    options = {"PORT": str(port), "DATA_DIR": str(tmp_path / "var"), "HISTORY_DAYS": "60", "WORLD": "simulated"}
    with running(ninefold(site, "run"), log, tmp_path, **options) as process:
        wait_until_ready(port, process, log)
        for path in ("/", "/home/words/de.json", "/docs/record", "/skill.md"):
            assert httpx.get(f"http://127.0.0.1:{port}{path}").status_code == 200


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ((), 0, "ninefold verify FILE"),
        (("nothing",), 2, "ninefold verify FILE"),
        (("verify", "absent.jsonl"), 2, "absent.jsonl"),
        (("operator", "keys", "list"), 2, "error: "),
        (("web",), 2, "ninefold: "),
    ],
)
def test_each_command_of_the_package_runs(site: Path, tmp_path: Path, words: tuple[str, ...], code: int, sentence: str):
    done = subprocess.run(
        ninefold(site, *words), cwd=tmp_path, env={"WORLD": "simulated"}, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == code, done.stderr
    assert sentence in done.stdout + done.stderr


def test_the_package_needs_what_the_service_needs(site: Path):
    """And the further roles by their names."""
    metadata = next(site.glob("*.dist-info/METADATA")).read_text()
    assert "Requires-Dist: flask\n" in metadata
    assert "Requires-Dist: pyarrow; extra == 'tables'" in metadata
    assert "pytest" not in metadata
