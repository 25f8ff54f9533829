"""Asking the oracle of a running service, as often as a measurement likes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping

import httpx

from tests.measure.servers import ROOT, Server

ASSETS = ("bitcoin", "ether", "solana", "gold")


def ask(client: httpx.Client, server: Server, key: str, number: int) -> httpx.Response:
    """Ask question `number`, each of the first 1,800 another one, for an end user of its own: quotas count these."""
    question = f"Will {ASSETS[number % 4]} rise more than {1 + number % 90 / 10 + number // 180 * 0.01:g}% this week?"
    headers = {"X-API-Key": key, "X-End-User": f"bench-{number}"}
    return client.post(f"{server.address}/api/v1/oracle", json={"question": question}, headers=headers)


def key(environment: Mapping[str, str], *options: str, owner: str = "bench") -> str:
    """A new key of the service with this environment; by default a delegating one."""
    command = [sys.executable, "-m", "service.operator", "keys", "mint", "--email", f"{owner}@example.com", "--json"]
    command += options or ["--delegating"]
    minted = subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, check=True)
    return str(json.loads(minted.stdout)["api_key"])
