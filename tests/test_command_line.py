"""Every command line ends without a traceback."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from service.command_line import READER_LEFT
from tests.processes import ROOT

ENVIRONMENT = {**os.environ, "PYTHONUNBUFFERED": ""}


def test_a_full_disk_is_one_sentence():
    """And no failed verification, whose code is 1."""
    command = [sys.executable, "-m", "service.ledger", "verify", "--help"]
    with open("/dev/full", "wb") as device:
        done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, stdout=device, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (2, b"error: the output could not be written: No space left on device\n")


def test_a_closed_output_is_no_fault():
    command = ["sh", "-c", f"{sys.executable} -m service.ledger verify /dev/null >&-"]
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (2, b"error: /dev/null is empty: there is nothing to verify\n")


@pytest.mark.parametrize("words", ["ledger verify /dev/null --help", "operator --help", "operator migrate"])
def test_a_reader_that_leaves_is_no_fault(words: str, sqlite_url, tmp_path):
    """`| head` closes the pipe before all is written."""
    reading, writing = os.pipe()
    os.close(reading)
    environment = {**ENVIRONMENT, "DATA_DIR": str(tmp_path), "DATABASE_URL": sqlite_url}
    command = [sys.executable, "-m", *f"service.{words}".split()]
    done = subprocess.run(command, env=environment, cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (READER_LEFT, b"")
