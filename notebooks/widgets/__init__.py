"""Panels to look at, `frames` with the same data as tables, and `connect` for both."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from notebooks.widgets import frames
    from notebooks.widgets.apex.panel import ApexPanel
    from notebooks.widgets.base.connection import connect
    from notebooks.widgets.battle.panel import BattlePanel
    from notebooks.widgets.forecast.panel import ForecastPanel
    from notebooks.widgets.hospital.panel import HospitalPanel
    from notebooks.widgets.leaderboard.panel import LeaderboardPanel
    from notebooks.widgets.oracle.panel import OraclePanel
    from notebooks.widgets.predictions.panel import PredictionsPanel

__all__ = [
    "ApexPanel",
    "BattlePanel",
    "ForecastPanel",
    "HospitalPanel",
    "LeaderboardPanel",
    "OraclePanel",
    "PredictionsPanel",
    "connect",
    "frames",
]

# Imported on first use, so that `frames` loads only pandas.
MODULES = {
    "ApexPanel": "apex.panel",
    "BattlePanel": "battle.panel",
    "ForecastPanel": "forecast.panel",
    "HospitalPanel": "hospital.panel",
    "LeaderboardPanel": "leaderboard.panel",
    "OraclePanel": "oracle.panel",
    "PredictionsPanel": "predictions.panel",
    "connect": "base.connection",
}


def __getattr__(name: str) -> Any:
    if name == "frames":
        return import_module(".frames", __name__)
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
