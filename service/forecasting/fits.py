"""What the learning voters have learnt: plain numbers that JSON carries without loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from service.forecasting.forest import ForestFit
from service.forecasting.linear import LinearFit

VERSION = "fits/1"  # changes with the inputs or the arithmetic: a fit of another version is of no use


@dataclass(frozen=True)
class Fits:
    """Everything that was learnt from the bars before the unix second `slot`.

    `trained_until` is the latest deadline among the labels that were used (`slot` at most, 0 for none),
    `linear` the fit of each seat and of `logit`, `forest` that of the trees. A voter that could not be fitted
    is in `missing`, with the reason that it gives.
    """

    version: str
    slot: int
    trained_until: int
    linear: dict[str, LinearFit]
    forest: ForestFit | None
    missing: dict[str, str]

    def to_plain(self) -> dict[str, Any]:
        """A dict that JSON carries without loss."""
        return {
            **{name: getattr(self, name) for name in ("version", "slot", "trained_until", "missing")},
            "linear": {name: asdict(fit) for name, fit in self.linear.items()},
            "forest": self.forest.to_plain() if self.forest else None,
        }

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> Fits:
        """The fits that `to_plain` was called on; takes milliseconds, so keep them while the slot lasts."""
        forest = plain["forest"]
        return Fits(
            version=plain["version"],
            slot=plain["slot"],
            trained_until=plain["trained_until"],
            linear={name: LinearFit.from_plain(fit) for name, fit in plain["linear"].items()},
            forest=ForestFit.from_plain(forest) if forest else None,
            missing=dict(plain["missing"]),
        )
