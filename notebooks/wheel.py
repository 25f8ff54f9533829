"""The wheel of the workbench: panels, lab, notebooks, and what they use of the service as one package, ninefold_lab.

In a checkout they lie in `notebooks` and `service`, names too general for an installed package; so every file is copied
with its imports renamed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CHECKOUT = Path(__file__).resolve().parents[1]
PACKAGE = "ninefold_lab"
PARTS = {
    "notebooks": ["__init__.py", "widgets", "lab", "*.ipynb"],
    "service": [
        *("bar_files.py", "canonical.py", "command_line.py", "documents.py", "tabular.py"),
        *("client", "ledger", "market", "scores", "trading"),
    ],
}
NAMES = "widgets|lab|bar_files|canonical|command_line|documents|tabular|client|ledger|market|scores|trading"
QUALIFIER = re.compile(rf"\b(?:notebooks|service)\.(?=(?:{NAMES})\b)")
IMPORT = re.compile(r"\bfrom (?:notebooks|service) import (?=(?:canonical|on_first_use)\b)")
KINDS = (".py", ".toml", ".txt")


class Renaming(BuildHookInterface):
    """Puts the renamed files into the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        self._folder = TemporaryDirectory()
        for file in _files():
            place = Path(PACKAGE, *file.relative_to(CHECKOUT).parts[1:])
            copy = Path(self._folder.name, place)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(renamed(file.read_text(encoding="utf-8")), encoding="utf-8")
            build_data["force_include"][str(copy)] = str(place)
        marker = Path(self._folder.name, PACKAGE, "py.typed")
        marker.touch()
        build_data["force_include"][str(marker)] = str(Path(PACKAGE, marker.name))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        self._folder.cleanup()


def renamed(text: str) -> str:
    """The text of a file with the names that the installed package has."""
    return IMPORT.sub(f"from {PACKAGE} import ", QUALIFIER.sub(f"{PACKAGE}.", text))


def _files() -> Iterator[Path]:
    for top, parts in PARTS.items():
        for part in parts:
            for path in (CHECKOUT / top).glob(part):
                yield from (file for file in path.rglob("*") if file.suffix in KINDS) if path.is_dir() else [path]
