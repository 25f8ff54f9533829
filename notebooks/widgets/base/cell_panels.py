"""The panels of each notebook cell: those of a new run replace those of the run before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from IPython.core.getipython import get_ipython


class Closable(Protocol):
    """What can be closed."""

    def close(self) -> None: ...


class CellRun(NamedTuple):
    """One run of a cell."""

    cell_id: str
    message_id: str


@dataclass
class CellPanels:
    """The panels that the last run of each cell has made."""

    _panels: dict[str, tuple[CellRun, list[Closable]]] = field(default_factory=dict)

    def add(self, panel: Closable, run: CellRun | None) -> None:
        """Add a panel made in `run`, and close those of an earlier run of the same cell; None is outside of a cell."""
        if run is None:
            return
        last, panels = self._panels.get(run.cell_id, (None, []))
        if last != run:
            for predecessor in panels:
                predecessor.close()
            panels = []
        self._panels[run.cell_id] = (run, [*panels, panel])


CELL_PANELS = CellPanels()


def current_run() -> CellRun | None:
    """The run in which this is called; None outside of a notebook, and where the front end names no cell."""
    kernel: Any = getattr(get_ipython(), "kernel", None)
    request: dict[str, Any] = kernel.get_parent() if kernel else {}
    cell_id = request.get("metadata", {}).get("cellId")
    return CellRun(cell_id, request["header"]["msg_id"]) if cell_id else None
