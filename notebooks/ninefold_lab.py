"""`import ninefold_lab` in a notebook of the checkout is the checkout, where it is installed the package."""

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from notebooks import copy_notebooks as copy_notebooks
    from notebooks import lab as lab
    from notebooks.widgets import BattlePanel as BattlePanel
    from notebooks.widgets import HospitalPanel as HospitalPanel
    from notebooks.widgets import LeaderboardPanel as LeaderboardPanel
    from notebooks.widgets import connect as connect
    from notebooks.widgets import frames as frames

sys.path.append(str(Path(__file__).resolve().parents[1]))
sys.modules[__name__] = import_module("notebooks")
