"""The workbench: panels, `frames`, the `lab` and `connect`; its notebooks know it as `ninefold_lab`."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

PANELS = ("BattlePanel", "HospitalPanel", "LeaderboardPanel")
__all__ = [*PANELS, "connect", "copy_notebooks", "frames", "lab"]  # pyright: ignore[reportUnsupportedDunderAll]  # loaded on first use


def on_first_use(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's `__getattr__` that imports each name from its module of `package` when it is first used.

    So `frames` loads only pandas, and a study no widgets.
    """

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f".{modules[name]}", package)
        return getattr(module, name, module)

    return load


def copy_notebooks(folder: str | Path = ".") -> list[str]:
    """Copy the notebooks to a folder, where they can be changed; one that is there already stays. Returns their names.

    An installed package has them inside: `python -c "import ninefold_lab; ninefold_lab.copy_notebooks()"`.
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    files = sorted(Path(__file__).parent.glob("*.ipynb"))
    new_files = [file for file in files if not Path(folder, file.name).exists()]
    return [Path(shutil.copy(file, folder)).name for file in new_files]


__getattr__ = on_first_use(__name__, dict.fromkeys([*PANELS, "connect", "frames"], "widgets") | {"lab": "lab"})
