"""Every command line ends without a traceback."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from service.command_line import READER_LEFT
from tests.processes import ROOT


@pytest.mark.parametrize("words", ["ledger verify /dev/null --help", "operator --help", "operator migrate", "config"])
def test_a_reader_that_leaves_is_no_fault(words: str, sqlite_url, tmp_path):
    """`| head` closes the pipe before all is written."""
    reading, writing = os.pipe()
    os.close(reading)
    environment = {**os.environ, "DATA_DIR": str(tmp_path), "DATABASE_URL": sqlite_url, "PYTHONUNBUFFERED": ""}
    command = [sys.executable, "-m", *f"service.{words}".split()]
    done = subprocess.run(command, env=environment, cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (READER_LEFT, b"")
