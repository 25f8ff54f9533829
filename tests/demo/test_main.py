"""The command of the demo says in one sentence what is missing."""

from __future__ import annotations

from service.demo.__main__ import main


def test_without_node_a_sentence_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["install"]) == 2
    assert capsys.readouterr().err == (
        "ninefold: The small model needs Node.js 20 or newer with npm (https://nodejs.org); this machine has none.\n"
    )
