"""Panels to look at, `frames` with the same data as tables, and `connect` for both."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from notebooks.widgets import frames
    from notebooks.widgets.apex import ApexPanel
    from notebooks.widgets.battle import BattlePanel
    from notebooks.widgets.connection import connect
    from notebooks.widgets.forecast import ForecastPanel
    from notebooks.widgets.hospital import HospitalPanel
    from notebooks.widgets.leaderboard import LeaderboardPanel
    from notebooks.widgets.oracle import OraclePanel
    from notebooks.widgets.predictions import PredictionsPanel

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
    "ApexPanel": "apex",
    "BattlePanel": "battle",
    "ForecastPanel": "forecast",
    "HospitalPanel": "hospital",
    "LeaderboardPanel": "leaderboard",
    "OraclePanel": "oracle",
    "PredictionsPanel": "predictions",
    "connect": "connection",
}


def __getattr__(name: str) -> Any:
    if name == "frames":
        return import_module(".frames", __name__)
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
