"""Asking the oracle of a running service, as often as a measurement likes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import httpx

from tests.measure.servers import ROOT, Server

ASSETS = ("bitcoin", "ether", "solana", "gold")


def ask(client: httpx.Client, server: Server, key: str, number: int) -> httpx.Response:
    """Ask question `number`, each of the first 1,800 another one, for an end user of its own: quotas count these."""
    question = f"Will {ASSETS[number % 4]} rise more than {1 + number % 90 / 10 + number // 180 * 0.01:g}% this week?"
    headers = {"X-API-Key": key, "X-End-User": f"bench-{number}"}
    return client.post(f"{server.address}/api/v1/oracle", json={"question": question}, headers=headers)


def key(data: Path) -> str:
    """A new delegating key of the service over `data`."""
    command = [sys.executable, "-m", "service.operator", "keys", "mint", "--delegating", "--email", "bench@example.com"]
    environment = {"DATA_DIR": str(data), "PATH": "", "PYTHONPATH": str(ROOT)}
    minted = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return next(word for word in minted.stdout.split() if word.startswith("nf_live_"))
