"""What the small model needs of the machine: one sentence says what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.demo.__main__ import main
from tests.demo.small_model import InstallError, check_node


def put_in_path(folder: Path, monkeypatch, version: str) -> None:
    """A machine whose only programs are npm and a Node.js of a version."""
    for name in ("node", "npm"):
        program = folder / name
        program.write_text(f"#!/bin/sh\necho {version}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_node_is_new_enough_or_refused_with_its_version(tmp_path, monkeypatch):
    put_in_path(tmp_path, monkeypatch, "v22.1.0")
    check_node()
    put_in_path(tmp_path, monkeypatch, "v18.19.0")
    with pytest.raises(InstallError, match=r"needs Node\.js 20 or newer .* this machine has v18\.19\.0"):
        check_node()


def test_without_node_a_sentence_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["install"]) == 2
    assert capsys.readouterr().err == (
        "ninefold: The small model needs Node.js 20 or newer with npm (https://nodejs.org); this machine has none.\n"
    )
