"""Node packages of a lock file, installed once per change of it. Without node or the registry tests are skipped."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from pathlib import Path

from tests.conftest import absent

INSTALL_S = 120


def installed(folder: Path) -> str:
    """The path of node, after installing the packages of the lock file in `folder`."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        absent("no node and npm")
    lock, done = folder / "package-lock.json", folder / "node_modules" / ".installed"
    with lock.open() as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)  # another process may be installing the same packages
        if not done.exists() or done.read_bytes() != lock.read_bytes():
            _install(npm, folder)
            shutil.copy(lock, done)
    return node


def _install(npm: str, folder: Path) -> None:
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=INSTALL_S)
    except subprocess.CalledProcessError as error:
        absent(f"npm ci failed: {error.stderr.strip()}")
    except subprocess.TimeoutExpired:
        absent(f"npm ci took longer than {INSTALL_S} s")
