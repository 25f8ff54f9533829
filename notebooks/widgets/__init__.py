"""Panels for those who look, `frames` for those who want the data, `connect` for both."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Loaded when they are asked for, so that `frames` needs nothing but pandas.
_HOME = {
    "connect": "connection",
    "BattlePanel": "battle",
    "LeaderboardPanel": "leaderboard",
    "HospitalPanel": "hospital",
    "OraclePanel": "oracle",
    "PredictionsPanel": "predictions",
    "ApexPanel": "apex",
}

__all__ = ["frames", *_HOME]


def __getattr__(name: str) -> Any:
    if name == "frames":
        return import_module(".frames", __name__)
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
