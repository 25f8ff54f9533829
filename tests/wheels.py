"""Wheels as pip installs them: built from their folder of the checkout, and unpacked."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path


def unpacked(project: Path, folder: Path) -> Path:
    """The folder into which the wheel of a project is unpacked."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"
