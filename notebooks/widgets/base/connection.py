"""The client of a notebook, from its environment: ORACLE_URL, and ORACLE_KEY or the file ORACLE_KEY_FILE."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from service.client import MINUTE_LIMIT_S, Client

ADDRESS = "http://127.0.0.1:8000"
ANSWER_S = 75.0  # the service gives language models at most 60 s
KEY_FILE_S = 15.0  # `make lab` writes the file once the service has accepted the key


def connect(environment: Mapping[str, str] | None = None, *, patience_s: float = KEY_FILE_S) -> Client:
    """A client of the service; raises ValueError. The panels report whether the service responds.

    Without a key the client reads what is public. If ORACLE_KEY_FILE names a file that does not exist yet, this waits
    for it for at most `patience_s` seconds.
    """
    values = os.environ if environment is None else environment
    address = _address(values.get("ORACLE_URL") or ADDRESS)
    return Client(address, _key(values, patience_s), timeout_s=ANSWER_S, longest_wait_s=MINUTE_LIMIT_S)


def _address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme in ("http", "https") and parts.hostname:
        return url
    raise ValueError(f"ORACLE_URL is {url!r}, which is not an address such as {ADDRESS}.")


def _key(values: Mapping[str, str], patience_s: float) -> str | None:
    if values.get("ORACLE_KEY"):
        return values["ORACLE_KEY"]
    if not values.get("ORACLE_KEY_FILE"):
        return None
    file = Path(values["ORACLE_KEY_FILE"])
    _wait_for(file, patience_s)
    key = file.read_text().strip()
    if not key:
        raise ValueError(f"{file} is empty: it should contain an API key.")
    return key


def _wait_for(file: Path, patience_s: float) -> None:
    deadline = time.monotonic() + patience_s
    while not file.exists():
        if time.monotonic() > deadline:
            raise ValueError(
                f"There is no API key in {file} after {patience_s:g} s; the terminal of `make lab` says why. "
                "Run this cell again, or set ORACLE_KEY."
            )
        time.sleep(0.1)
