"""The lab's own key: minted beside the service once, kept in a file that only this user reads, tried at each start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from notebooks.settings import LaunchError, Settings
from service.client import Client, Unauthorized

PATIENCE_S = 60.0
MINT = ("keys", "mint", "--email", "lab@localhost.localdomain", "--app-name", "lab", "--plan", "paid", "--json")


def provide(settings: Settings, wait_for_service: Callable[[], None]) -> None:
    """Put a key that the service takes where notebooks wait for it. Raises LaunchError, ClientError.

    It comes there last: no notebook is handed a key of another database, and none asks before the service is up.
    """
    key = _kept(settings) or _minted(settings)
    wait_for_service()
    if not _taken(settings, key):
        key = _minted(settings)
        if not _taken(settings, key):
            raise LaunchError(
                f"The service at {settings.oracle_url} does not take a key made in {settings.data_dir}: "
                "its data is elsewhere. Set DATA_DIR to its folder, or ORACLE_KEY to a key of its own."
            )
    for file in (settings.kept_key, settings.key_file):
        _write(file, key)


def _kept(settings: Settings) -> str:
    try:
        return settings.kept_key.read_text().strip()
    except FileNotFoundError:
        return ""


def _write(file: Path, key: str) -> None:
    """Under another name first: whoever waits for the file never reads half of it."""
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    with open(draft, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as writing:
        writing.write(key)
    draft.replace(file)


def _minted(settings: Settings) -> str:
    """A new key on the plan for those who ask a lot; the operator's command makes it in the service's database."""
    command = [sys.executable, "-m", "service.operator", *MINT]
    where = os.environ | {"DATA_DIR": str(settings.data_dir)}
    try:
        done = subprocess.run(command, env=where, capture_output=True, text=True, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        raise LaunchError(f"No key for the lab was made in {settings.data_dir} within {PATIENCE_S:g} s.") from None
    if done.returncode:
        raise LaunchError(f"No key for the lab can be made in {settings.data_dir}: {done.stderr.strip()}")
    return json.loads(done.stdout)["api_key"]


def _taken(settings: Settings, key: str) -> bool:
    with Client(settings.oracle_url, key) as client:
        try:
            client.usage()
        except Unauthorized:
            return False
    return True
