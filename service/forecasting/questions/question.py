"""A question once it is understood: what must happen, to which asset, by when."""

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
    "between",  # the last price at or before the deadline lies in [`level`, `upper_level`]
    "up",  # the last price at or before the deadline is above the price now
    "down",  # … is below the price now
    "relative",  # `asset` returns more than `other_asset` until the deadline
    "open",  # no criterion was named: treated as `up`, over seven days if no date was named, and `notes` say so
]
Polarity = Literal["bull", "bear"]


@dataclass(frozen=True)
class Question:
    """What YES means.

    YES is the event that `comparator` describes, or its contrary when `negated`. `polarity` is the side
    on which YES lies. Levels are USD; `level_pct` is the move from `spot` in percent when the question
    was put that way (the level is then computed). `spot` is the price the question was understood at.
    `text` is the cleaned question, `canonical` the same question rebuilt from the other fields alone.
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

    def to_plain(self) -> dict[str, Any]:
        """A dict that JSON carries without loss; the deadline is a unix second."""
        return asdict(self) | {"deadline": int(self.deadline.timestamp())}

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> Question:
        """The question that `to_plain` was called on."""
        return Question(**(dict(plain) | {"deadline": utc(plain["deadline"]), "notes": tuple(plain["notes"])}))
