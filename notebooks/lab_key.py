"""The API key of the workbench: minted once in the database of the service, saved, and tested at each start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from notebooks.settings import LabSettings, LaunchError
from service.client import Client, Unauthorized

MINT_S = 60.0
MINT = ("keys", "mint", "--email", "lab@localhost.localdomain", "--app-name", "lab", "--plan", "paid", "--json")


def provide(settings: LabSettings, wait_for_service: Callable[[], None]) -> None:
    """Write a key that the service accepts to the file that notebooks wait for. Raises LaunchError, ClientError.

    The file is written last: no notebook reads a key of another database, and none sends a request before the service
    is up.
    """
    wait_for_service()
    key = _saved_key(settings)
    if not key or not _is_accepted(settings, key):
        key = _mint(settings)
        if not _is_accepted(settings, key):
            raise LaunchError(
                f"The service at {settings.oracle_url} does not accept a key minted in {settings.data_dir}, because "
                "its data is elsewhere. Set DATA_DIR to its data folder, or ORACLE_KEY to one of its keys."
            )
    for file in (settings.saved_key_file, settings.key_file):
        _write(file, key)


def _saved_key(settings: LabSettings) -> str:
    try:
        return settings.saved_key_file.read_text().strip()
    except FileNotFoundError:
        return ""


def _write(file: Path, key: str) -> None:
    """Write a file that only this user can read, and rename it into place, so that no reader sees half of it."""
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    with open(draft, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as output:
        output.write(key)
    draft.replace(file)


def _mint(settings: LabSettings) -> str:
    """A new key of the paid plan, minted by the operator's command in the database of the service."""
    command = [sys.executable, "-m", "service.operator", *MINT]
    environment = os.environ | {"DATA_DIR": str(settings.data_dir)}
    try:
        process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=MINT_S)
    except subprocess.TimeoutExpired:
        raise LaunchError(f"No API key was minted in {settings.data_dir} within {MINT_S:g} s.") from None
    if process.returncode:
        raise LaunchError(f"No API key can be minted in {settings.data_dir}: {process.stderr.strip()}")
    return json.loads(process.stdout)["api_key"]


def _is_accepted(settings: LabSettings, key: str) -> bool:
    with Client(settings.oracle_url, key) as client:
        try:
            client.usage()
        except Unauthorized:
            return False
    return True
