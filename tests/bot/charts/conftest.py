"""Every chart, drawn once."""

from __future__ import annotations

import pytest

from tests.bot.charts.drawing import DRAW, DrawnChart, record


@pytest.fixture(scope="session")
def drawn() -> dict[str, DrawnChart]:
    return {name: record(draw) for name, draw in DRAW.items()}
