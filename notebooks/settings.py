"""What the environment sets for `make lab` and `make voila`, in one frozen object."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from notebooks.widgets.connection import ADDRESS

HERE = ("127.0.0.1", "localhost")
PORTS = {"lab": 8888, "voila": 8866}


class LaunchError(Exception):
    """The workbench cannot be opened; says why, in one sentence."""


@dataclass(frozen=True)
class Settings:
    """The service at `oracle_url`, asked with `oracle_key` or, without one, with a key of the lab's own.

    `data_dir` is the folder of the service that is started where none answers; what Jupyter keeps lies in its folder
    `lab`. The pages are at `port` of this machine; without `browser` none is opened.
    """

    port: int
    oracle_url: str = ADDRESS
    oracle_key: str = field(default="", repr=False)
    data_dir: Path = Path("var")
    browser: bool = True

    @property
    def is_here(self) -> bool:
        """Whether the service is one that can be started: on this machine, and not behind a proxy."""
        parts = urlsplit(self.oracle_url)
        return parts.scheme == "http" and parts.hostname in HERE and parts.path in ("", "/")

    @property
    def service_port(self) -> int:
        return urlsplit(self.oracle_url).port or 80

    @property
    def lab_dir(self) -> Path:
        return self.data_dir / "lab"

    @property
    def kept_key(self) -> Path:
        """Where the lab's own key stays from one time to the next."""
        return self.data_dir / "lab-key"

    @property
    def key_file(self) -> Path:
        """Where notebooks find it, once the service has taken it."""
        return self.lab_dir / "key"


def read(what: str, environment: Mapping[str, str] | None = None) -> Settings:
    """Settings of `what`, lab or voila; an empty variable is one that is not set. Raises LaunchError."""
    values = os.environ if environment is None else environment
    port = f"{what.upper()}_PORT"
    settings = Settings(
        _port(port, values.get(port) or str(PORTS[what])),
        oracle_url=values.get("ORACLE_URL") or ADDRESS,
        oracle_key=values.get("ORACLE_KEY", ""),
        data_dir=Path(values.get("DATA_DIR") or "var").absolute(),
        browser=values.get("LAB_BROWSER") != "0",
    )
    if not _is_address(settings.oracle_url):
        raise LaunchError(f"ORACLE_URL is {settings.oracle_url!r}, which is no address such as {ADDRESS}.")
    return settings


def _is_address(url: str) -> bool:
    parts = urlsplit(url)
    try:
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port beyond 65535
        return False


def _port(name: str, value: str) -> int:
    if value.isdecimal() and 1 <= int(value) <= 65535:
        return int(value)
    raise LaunchError(f"{name} is {value!r}, which is no port from 1 to 65535.")
