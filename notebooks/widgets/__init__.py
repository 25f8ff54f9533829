"""Panels to look at, `frames` with the same data as tables, and `connect` for both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from notebooks import on_first_use

if TYPE_CHECKING:
    from notebooks.widgets import frames
    from notebooks.widgets.base.connection import connect
    from notebooks.widgets.battle.panel import BattlePanel
    from notebooks.widgets.hospital.panel import HospitalPanel
    from notebooks.widgets.leaderboard.panel import LeaderboardPanel

__all__ = ["BattlePanel", "HospitalPanel", "LeaderboardPanel", "connect", "frames"]

MODULES = {
    "BattlePanel": "battle.panel",
    "HospitalPanel": "hospital.panel",
    "LeaderboardPanel": "leaderboard.panel",
    "connect": "base.connection",
    "frames": "frames",
}
__getattr__ = on_first_use(__name__, MODULES)


def __dir__() -> list[str]:
    return sorted(__all__)
