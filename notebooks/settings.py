"""The settings of `make lab` from the environment, in one frozen object."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from notebooks.widgets.base.connection import ADDRESS

LOCAL_HOSTS = ("127.0.0.1", "localhost")
PORT = 8888


class LaunchError(Exception):
    """The reason why the workbench cannot start, in one sentence."""


@dataclass(frozen=True)
class LabSettings:
    """The settings of the workbench.

    `port` is the port of JupyterLab on this machine. `oracle_url` is the address of the service
    and `oracle_key` its API key; without one, JupyterLab gets a minted key. `data_dir` is the data folder of a service
    that is started here; its subfolder `lab` holds the files of Jupyter. `browser` opens a browser window.
    """

    port: int
    oracle_url: str = ADDRESS
    oracle_key: str = field(default="", repr=False)
    data_dir: Path = Path("var")
    browser: bool = True

    @property
    def is_local(self) -> bool:
        """Whether the service can be started here: its address is on this machine and not behind a proxy."""
        parts = urlsplit(self.oracle_url)
        return parts.scheme == "http" and parts.hostname in LOCAL_HOSTS and parts.path in ("", "/")

    @property
    def service_port(self) -> int:
        return urlsplit(self.oracle_url).port or 80

    @property
    def lab_dir(self) -> Path:
        return self.data_dir / "lab"

    @property
    def log_file(self) -> Path:
        """The log of a service that is started here."""
        return self.lab_dir / "service.log"

    @property
    def saved_key_file(self) -> Path:
        """The minted key, kept from one start to the next."""
        return self.data_dir / "lab-key"

    @property
    def key_file(self) -> Path:
        """The minted key for the notebooks, written once the service has accepted it."""
        return self.lab_dir / "key"


def read(environment: Mapping[str, str] | None = None) -> LabSettings:
    """The settings of the workbench; an empty variable counts as unset. Raises LaunchError."""
    values = os.environ if environment is None else environment
    settings = LabSettings(
        _port("LAB_PORT", values.get("LAB_PORT") or str(PORT)),
        oracle_url=values.get("ORACLE_URL") or ADDRESS,
        oracle_key=values.get("ORACLE_KEY", ""),
        data_dir=Path(values.get("DATA_DIR") or "var").absolute(),
        browser=values.get("LAB_BROWSER") != "0",
    )
    if not _is_address(settings.oracle_url):
        raise LaunchError(f"ORACLE_URL is {settings.oracle_url!r}, which is not an address such as {ADDRESS}.")
    return settings


def _is_address(url: str) -> bool:
    parts = urlsplit(url)
    try:
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port above 65535
        return False


def _port(name: str, value: str) -> int:
    if value.isdecimal() and 1 <= int(value) <= 65535:
        return int(value)
    raise LaunchError(f"{name} is {value!r}, which is not a port from 1 to 65535.")
