"""The dependencies of the wheel: what the service needs, and the further roles as extras."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

ROLES = Path(__file__).resolve().parents[1] / ".requirements"
EXTRAS = ("models", "server", "tables", "timestamps", "agents")


class Requirements(MetadataHookInterface):
    """Reads them from the files from which the pinned requirements are compiled."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        metadata["dependencies"] = _packages("core")
        metadata["optional-dependencies"] = {role: _packages(role) for role in EXTRAS}


def _packages(role: str) -> list[str]:
    lines = (line.partition("#")[0].strip() for line in (ROLES / f"{role}.in").read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line]
