"""The inputs of the voters: a `votes` row holds their hash, and a file of rows of `/api/v1/features` holds them.

votes   {…, "features": HASH}             in the ledger
row     {"hash": HASH, "inputs": {…}, …}  one line of the file for all votes from these inputs
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from service import canonical
from service.ledger.chain import ChainEntry, digest
from service.ledger.rewinding import is_rewinding


def read_hashes(lines: Iterable[str]) -> set[str]:
    """The hashes of the inputs in these lines; raises ValueError with a sentence where one does not match."""
    return {_hash(number, line) for number, line in enumerate(lines, 1)}


def _hash(number: int, line: str) -> str:
    try:
        row: Any = canonical.read(line)
        expected, hashed = row["hash"], digest(row["inputs"])
    except (TypeError, KeyError, ValueError, RecursionError):
        raise ValueError(f"Line {number} of the inputs is not a row of /api/v1/features.") from None
    if hashed != expected:
        raise ValueError(f"The inputs in line {number} were changed: their hash is {hashed}, not {expected}.")
    return hashed


@dataclass
class InputsCheck:
    """The votes of the rows read so far that commit to inputs, and whether these are in `hashes`, by row.

    Votes of a world that was taken back do not count.
    """

    hashes: set[str]
    unused: set[str] = field(init=False)
    is_given: dict[int, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.unused = set(self.hashes)

    def add(self, entry: ChainEntry) -> None:
        """Read the next row."""
        if is_rewinding(entry):
            self.is_given.pop(entry.body["corrects"], False)
        features = entry.body.get("features") if entry.kind == "votes" else None
        if isinstance(features, str):
            self.is_given[entry.seq] = features in self.hashes
            self.unused.discard(features)
