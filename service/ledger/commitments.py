"""What rows commit to by a hash and what is shown for it: forecasts, the inputs of the voters, and foreign texts.

    forecast   {"market": ID, "commitment": HASH}                                  while the market is open
    reveal     {"market": ID, "forecast": SEQ, "p_yes": NUMBER, "salt": TEXT}      when it is settled
    votes      {…, "features": HASH}
    name       {"name": {"sha256": HASH} or null}                                  when a forecaster takes another name

The subject of all but the votes is the forecaster's id, which names no person. The inputs of the voters are lines
`{"hash": HASH, "inputs": {…}, …}` of a file of rows of `/api/v1/features`, one for all votes from these inputs. Rows of
a world that was taken back do not count.

A text that a stranger wrote, or a model that has read it, stands in a row as `{"sha256": HASH}`, which is the SHA-256
of the JSON of RFC 8785 `{"salt": TEXT, "text": VALUE}`. The market is served with the salt, until its text is
withdrawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from service import canonical
from service.ledger.chain import FORM, ChainEntry, digest, is_rewinding


def commitment(market: str, forecaster: str, p_yes: float, salt: str) -> str:
    """The SHA-256 of the JSON of RFC 8785 of these four fields; `salt` is unpredictable random text."""
    return digest({"market": market, "forecaster": forecaster, "p_yes": p_yes, "salt": salt})


def text_hash(text: Any, salt: str) -> dict[str, str]:
    """What stands in a row for a text, or for a list of texts."""
    return {"sha256": digest({"salt": salt, "text": text})}


@dataclass
class CommitmentCheck:
    """The commitments of the rows read so far.

    `forecasts` are the subject, the market and the commitment of each, as its row states them. They and the markets of
    `resolutions` are by their row, the rows of `reveals` by that of the forecast.
    """

    forecasts: dict[int, tuple[str, Any, Any]] = field(default_factory=dict)
    reveals: dict[int, int] = field(default_factory=dict)
    resolutions: dict[int, str] = field(default_factory=dict)

    def add(self, entry: ChainEntry) -> str | None:
        """Read the next row; returns its fault as a sentence."""
        if entry.kind == "forecast":
            self.forecasts[entry.seq] = entry.subject, entry.body.get("market"), entry.body.get("commitment")
        elif entry.kind == "resolution":
            self.resolutions[entry.seq] = entry.subject
        elif entry.kind == "reveal":
            return self._reveal(entry)
        elif is_rewinding(entry):
            seq = entry.body["corrects"]
            self.forecasts.pop(seq, None)
            self.resolutions.pop(seq, None)
            if seq == next(reversed(self.reveals.values()), None):  # a rewind takes back the last row that stands
                self.reveals.popitem()
        return None

    @property
    def withheld(self) -> int:
        """The number of commitments that are still hidden although their market is settled."""
        markets = set(self.resolutions.values())
        hidden = (self.forecasts[seq] for seq in self.forecasts.keys() - self.reveals.keys())
        return sum(market in markets for _, market, _ in hidden)

    def _reveal(self, entry: ChainEntry) -> str | None:
        market, seq, p_yes, salt = (entry.body.get(name) for name in ("market", "forecast", "p_yes", "salt"))
        if not isinstance(seq, int) or seq not in self.forecasts or seq in self.reveals:
            return f"Row {entry.seq} reveals row {seq!r}, which is not a hidden forecast."
        if not (
            isinstance(market, str)
            and isinstance(p_yes, float)
            and isinstance(salt, str)
            and self.forecasts[seq] == (entry.subject, market, commitment(market, entry.subject, p_yes, salt))
        ):
            return f"Row {entry.seq} reveals another forecast than row {seq} committed to."
        self.reveals[seq] = entry.seq
        return None


def read_hashes(lines: Iterable[str]) -> set[str]:
    """The hashes of the inputs in these lines; raises ValueError with a sentence where one does not match."""
    stated_hashes = set()
    for number, line in enumerate(lines, 1):
        try:
            row: Any = canonical.read(line)
            expected, hashes = row["hash"], [digest(row["inputs"], form) for form in (FORM, None)]
        except (TypeError, KeyError, ValueError, RecursionError):
            raise ValueError(f"Line {number} of the inputs is not a row of /api/v1/features.") from None
        if expected not in hashes:
            raise ValueError(f"The inputs in line {number} were changed: their hash is {hashes[0]}, not {expected}.")
        stated_hashes.add(expected)
    return stated_hashes


@dataclass
class InputsCheck:
    """The votes of the rows read so far that commit to inputs, and whether these are in `hashes`, by row.

    `hashes_of_votes` are those of `hashes` that any row commits to. Votes of a world taken back do not count.
    """

    hashes: set[str]
    hashes_of_votes: set[str] = field(default_factory=set)
    is_given: dict[int, bool] = field(default_factory=dict)

    def add(self, entry: ChainEntry) -> None:
        """Read the next row."""
        if is_rewinding(entry):
            self.is_given.pop(entry.body["corrects"], False)
        features = entry.body.get("features") if entry.kind == "votes" else None
        if isinstance(features, str):
            self.is_given[entry.seq] = features in self.hashes
            self.hashes_of_votes |= {features} & self.hashes
