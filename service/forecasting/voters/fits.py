"""The parameters of the voters that learn: plain numbers that JSON carries without loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from service.forecasting.densities.fits import CalendarFit
from service.forecasting.voters.forest import ForestFit
from service.forecasting.voters.linear import LinearFit
from service.market.assets import Calendar

VERSION = "fits/7"  # changes with the inputs or the arithmetic; the next refit replaces fits of another version


@dataclass(frozen=True)
class Fits:
    """The fits to the bars before the unix second `slot`.

    `trained_until` is the latest deadline among the labels that were used (`slot` at most, 0 for none), `linear` the
    fit of each seat and of `logit`, `forest` that of the trees. A voter that could not be fitted is in `missing`, with
    the reason that it publishes. `densities` are the voters' views of volatility, by trading calendar; a calendar with
    too little history has none.
    """

    version: str
    slot: int
    trained_until: int
    linear: dict[str, LinearFit]
    forest: ForestFit | None
    missing: dict[str, str]
    densities: Mapping[Calendar, CalendarFit] = field(default_factory=dict)

    def to_plain(self) -> dict[str, Any]:
        """A dict that JSON carries without loss."""
        return {
            **{name: getattr(self, name) for name in ("version", "slot", "trained_until", "missing")},
            "linear": {name: asdict(fit) for name, fit in self.linear.items()},
            "forest": self.forest.to_plain() if self.forest else None,
            "densities": {calendar: fit.to_plain() for calendar, fit in self.densities.items()},
        }

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> Fits:
        """The fits that `to_plain` was called on; this takes milliseconds, so keep the result while the slot lasts."""
        forest = plain["forest"]
        return Fits(
            version=plain["version"],
            slot=plain["slot"],
            trained_until=plain["trained_until"],
            linear={name: LinearFit.from_plain(fit) for name, fit in plain["linear"].items()},
            forest=ForestFit.from_plain(forest) if forest else None,
            missing=dict(plain["missing"]),
            densities={calendar: CalendarFit.from_plain(fit) for calendar, fit in plain["densities"].items()},
        )
