"""An examination of settings, and a server of models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.config import Settings
from service.doctor import examine
from service.doctor.checks import Finding
from tests.doctor.parts import TIMEOUT_S, Examine
from tests.running_service import START
from tests.sources.llm import model_server as it
from tests.sources.llm.model_server import ModelServer


@pytest.fixture
def examined(tmp_path) -> Examine:
    """What came of every part, by its name; without options, of a service that was never started."""

    def run(
        ccxt: dict | None = None,
        *,
        world: str = "simulated",
        data_dir: Path = tmp_path,
        source_timeout_s: float = TIMEOUT_S,
        **options: Any,
    ) -> dict[str, Finding]:
        settings = Settings(world=world, data_dir=data_dir, source_timeout_s=source_timeout_s, **options)
        findings = examine(settings, lambda: float(START), ccxt)
        parts = {finding.part: finding for finding in findings}
        assert len(parts) == len(findings)
        return parts

    return run


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """A server of models on this machine; it gives a sound vote until a test says otherwise."""
    with it.serving() as server:
        yield server
