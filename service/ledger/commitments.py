"""Commitments of forecasters: a row holds the salted hash of a forecast, and a later row reveals it.

    forecast   {"market": ID, "commitment": HASH}                                  while the market is open
    reveal     {"market": ID, "forecast": SEQ, "p_yes": NUMBER, "salt": TEXT}      when it is settled

The subject of both is the forecaster's id, which names no person. Rows of a world that was taken back do not count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from service.ledger.chain import ChainEntry, digest
from service.ledger.rewinding import is_rewinding


def commitment(market: str, forecaster: str, p_yes: float, salt: str) -> str:
    """The SHA-256 of the canonical JSON of these four fields; `salt` is unpredictable random text."""
    return digest({"market": market, "forecaster": forecaster, "p_yes": p_yes, "salt": salt})


# The subject, the market and the commitment of a forecast, as its row states them.
Hidden = tuple[str, Any, Any]


@dataclass
class CommitmentCheck:
    """The commitments of the rows read so far: their `count`, the `hidden` ones and the `shown` ones.

    Both are by row: of the forecast, and of the row that reveals it, with the row of the forecast. `settled` are the
    markets by the row of their resolution.
    """

    count: int = 0
    hidden: dict[int, Hidden] = field(default_factory=dict)
    shown: dict[int, tuple[int, Hidden]] = field(default_factory=dict)
    settled: dict[int, str] = field(default_factory=dict)

    def add(self, entry: ChainEntry) -> str | None:
        """Read the next row; returns its fault as a sentence."""
        if entry.kind == "forecast":
            self.count += 1
            self.hidden[entry.seq] = entry.subject, entry.body.get("market"), entry.body.get("commitment")
        elif entry.kind == "resolution":
            self.settled[entry.seq] = entry.subject
        elif entry.kind == "reveal":
            return self._reveal(entry)
        elif is_rewinding(entry):
            self._take_back(entry.body["corrects"])
        return None

    @property
    def revealed(self) -> int:
        """The number of commitments that were revealed."""
        return len(self.shown)

    @property
    def withheld(self) -> int:
        """The number of commitments that are still hidden although their market is settled."""
        settled = set(self.settled.values())
        return sum(market in settled for _, market, _ in self.hidden.values())

    def _take_back(self, seq: Any) -> None:
        """Undo the effect of a row: a forecast, the settlement of a market, or the reveal of a forecast."""
        if self.hidden.pop(seq, None):
            self.count -= 1
        self.settled.pop(seq, None)
        if seq in self.shown:
            forecast, hidden = self.shown.pop(seq)
            self.hidden[forecast] = hidden

    def _reveal(self, entry: ChainEntry) -> str | None:
        market, seq, p_yes, salt = (entry.body.get(name) for name in ("market", "forecast", "p_yes", "salt"))
        hidden = self.hidden.pop(seq, None) if isinstance(seq, int) else None
        if hidden is None or not isinstance(seq, int):
            return f"Row {entry.seq} reveals row {seq!r}, which is not a hidden forecast."
        revealed = _commitment(market, entry.subject, p_yes, salt)
        if revealed is None or hidden != (entry.subject, market, revealed):
            return f"Row {entry.seq} reveals another forecast than row {seq} committed to."
        self.shown[entry.seq] = seq, hidden
        return None


def _commitment(market: Any, forecaster: str, p_yes: Any, salt: Any) -> str | None:
    """The commitment to fields that a row reveals; None where they are not those of a forecast."""
    if isinstance(market, str) and isinstance(p_yes, float) and isinstance(salt, str):
        return commitment(market, forecaster, p_yes, salt)
    return None
