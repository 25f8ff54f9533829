"""What was erased, as ids in a file beside the database: a backup from before still has it, until it is restored.

A line is `key ID` or `text ID`, of a key or of a prediction; neither names a person.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

FILE = "erased"


def note_erased(folder: Path, kind: Literal["key", "text"], ids: Iterable[str]) -> None:
    """Add ids to the list; to be called before they are erased, so that none is missing."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(folder / FILE, "a", encoding="ascii") as file:
        file.writelines(f"{kind} {id}\n" for id in ids)


def erased_ids(folder: Path) -> dict[str, list[str]]:
    """The ids on the list: of keys under `key`, of predictions under `text`."""
    path = folder / FILE
    lines = path.read_text(encoding="ascii").split("\n") if path.is_file() else []
    pairs = [line.split(" ", 1) for line in lines if line]
    return {kind: [id for name, id in pairs if name == kind] for kind in ("key", "text")}
