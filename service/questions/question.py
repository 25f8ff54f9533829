"""A question that was understood: what must happen, to which asset, by when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

from service.market.instants import utc

Comparator = Literal[
    "close_above",  # the last price at or before the deadline is above `level`
    "close_below",  # … is below `level`
    "touch_above",  # some price until the deadline is at or above `level`
    "touch_below",  # some price until the deadline is at or below `level`
    "between",  # the last price at or before the deadline is in [`level`, `upper_level`]
    "up",  # the last price at or before the deadline is above the price now
    "down",  # … is below the price now
    "relative",  # `asset` returns more than `other_asset` until the deadline
    "open",  # no criterion was named: treated as `up`, over seven days if no date was named, and `notes` say so
]
Polarity = Literal["bull", "bear"]
TOUCHES = ("touch_above", "touch_below")


@dataclass(frozen=True)
class Question:
    """What YES means.

    YES is the event that `comparator` describes, or its opposite when `negated`. `polarity` is the side of YES.
    Levels are in USD. `level_pct` is the move from `spot` in percent if the question names one; the level is then
    computed from it. `spot` is the price, in USD, at the time of the question. `text` is the cleaned question,
    `canonical` the same question built from the other fields alone.
    """

    text: str
    asset: str
    comparator: Comparator
    deadline: datetime
    horizon_hours: float
    spot: float
    polarity: Polarity
    negated: bool = False
    other_asset: str | None = None
    level: float | None = None
    upper_level: float | None = None
    level_pct: float | None = None
    canonical: str = ""
    notes: tuple[str, ...] = ()

    @property
    def assets(self) -> tuple[str, ...]:
        """The asset, and the other one of a `relative` question."""
        return (self.asset, self.other_asset) if self.other_asset is not None else (self.asset,)

    @property
    def threshold(self) -> float:
        """The level, in USD, of a comparator that has one; ValueError for the others."""
        if self.level is None:
            raise ValueError(f"a question of the kind {self.comparator} has no level")
        return self.level

    @property
    def bounds(self) -> tuple[float, float]:
        """The lower and the upper level, in USD, of a question of the kind `between`; ValueError for the others."""
        if self.upper_level is None:
            raise ValueError(f"a question of the kind {self.comparator} has no range")
        return self.threshold, self.upper_level

    @property
    def levels(self) -> tuple[float, ...]:
        """The levels that the comparator names: none, one, or the two bounds of `between`."""
        return tuple(level for level in (self.level, self.upper_level) if level is not None)

    def to_plain(self) -> dict[str, Any]:
        """A dict that JSON represents without loss; the deadline is a unix second."""
        return asdict(self) | {"deadline": int(self.deadline.timestamp())}

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> Question:
        """The question that `to_plain` was called on."""
        return Question(**(dict(plain) | {"deadline": utc(plain["deadline"]), "notes": tuple(plain["notes"])}))


def happened(question: Question, *, final: float, high: float, low: float) -> bool:
    """Whether the event of the question took place, regardless of `negated`.

    Not for `relative`, which needs the prices of two assets.

    Parameters
    ----------
    final
        The last price at or before the deadline, in USD.
    high, low
        The highest and the lowest price until then, in USD.
    """
    match question.comparator:
        case "close_above":
            return final > question.threshold
        case "close_below":
            return final < question.threshold
        case "touch_above":
            return high >= question.threshold
        case "touch_below":
            return low <= question.threshold
        case "between":
            lower, upper = question.bounds
            return lower <= final <= upper
        case "down":
            return final < question.spot
    return final > question.spot
