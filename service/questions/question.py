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
    "upper_first",  # some price is at or above `upper_level` before any is at or below `level`, until the deadline
    "lower_first",  # … at or below `level` before any is at or above `upper_level`
    "move",  # the last price at or before the deadline is more than `level_pct` percent away from `spot`, up or down
    "range",  # the highest price until the deadline is more than `level_pct` percent of `spot` above the lowest
    "days_above",  # at least `days` trading days until the deadline close above `level`
    "days_below",  # … close below `level`
    "days_up",  # … close above the day before; the first day is compared with `spot`
    "days_down",  # … close below the day before
    "average_above",  # the mean of the hourly closing prices until the deadline is above `level`
    "average_below",  # … is below `level`
    "open",  # no criterion was named: treated as `up`, over seven days if no date was named, and `notes` say so
]
Polarity = Literal["bull", "bear", "none"]
TOUCHES = ("touch_above", "touch_below")
ORDERS = ("upper_first", "lower_first")
DAY_COUNTS = ("days_above", "days_below", "days_up", "days_down")
AVERAGES = ("average_above", "average_below")
# Kinds that the whole path of the price decides, not the last price or one level alone.
WHOLE_PATH = (*ORDERS, "range", *DAY_COUNTS, *AVERAGES)
BEARISH = ("touch_below", "close_below", "down", "lower_first", "days_below", "days_down", "average_below")
SIDELESS = ("move", "range")
# Kinds that may be decided before the deadline.
DECIDED_EARLY = (*TOUCHES, *ORDERS)


@dataclass(frozen=True)
class Question:
    """What YES means.

    YES is the event that `comparator` describes, or its opposite when `negated`. `polarity` is the side of YES, "none"
    where YES has no side (`move`, `range`). Levels are in USD. `level_pct` is the move from `spot` in percent if the
    question names one; the level is then computed from it. `days` is the least number of days of a kind that counts
    days, which must follow each other if `in_a_row`. `spot` is the price, in USD, at the time of the question. `text`
    is the cleaned question, `canonical` the same question built from the other fields alone.
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
    days: int | None = None
    in_a_row: bool = False
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
        """The lower and the upper level, in USD, of a comparator that has both; ValueError for the others."""
        if self.upper_level is None:
            raise ValueError(f"a question of the kind {self.comparator} has no range")
        return self.threshold, self.upper_level

    @property
    def size(self) -> float:
        """The size of a `move` or a `range` as a share of the price; ValueError for a kind without a percentage."""
        if self.level_pct is None:
            raise ValueError(f"a question of the kind {self.comparator} has no percentage")
        return self.level_pct / 100

    @property
    def least_days(self) -> int:
        """The least number of days of a kind that counts days; ValueError for the others."""
        if self.days is None:
            raise ValueError(f"a question of the kind {self.comparator} counts no days")
        return self.days

    @property
    def levels(self) -> tuple[float, ...]:
        """The levels that the comparator names: none, one, or the lower and the upper one."""
        return tuple(level for level in (self.level, self.upper_level) if level is not None)

    def to_plain(self) -> dict[str, Any]:
        """A dict that JSON represents without loss; the deadline is a unix second."""
        return asdict(self) | {"deadline": int(self.deadline.timestamp())}

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> Question:
        """The question that `to_plain` was called on."""
        return Question(**(dict(plain) | {"deadline": utc(plain["deadline"]), "notes": tuple(plain["notes"])}))


def polarity_of(question: Question) -> Polarity:
    """The side of YES; for a price between two levels, the side of their middle."""
    if question.comparator in SIDELESS:
        return "none"
    bullish = question.comparator not in BEARISH
    if question.comparator == "between":
        bullish = sum(question.bounds) / 2 >= question.spot
    return "bull" if bullish != question.negated else "bear"


def happened(question: Question, *, final: float, high: float, low: float) -> bool:
    """Whether the event of the question took place, regardless of `negated`.

    Not for `relative`, which needs the prices of two assets. Where the order of prices or the ends of days decide, it
    tells what takes place while the price stays where it is: nothing.

    Parameters
    ----------
    final
        The last price at or before the deadline, in USD; for an average, the mean price.
    high, low
        The highest and the lowest price until then, in USD.
    """
    match question.comparator:
        case "close_above" | "average_above":
            return final > question.threshold
        case "close_below" | "average_below":
            return final < question.threshold
        case "touch_above":
            return high >= question.threshold
        case "touch_below":
            return low <= question.threshold
        case "between":
            lower, upper = question.bounds
            return lower <= final <= upper
        case "move":
            return abs(final / question.spot - 1) > question.size
        case "range":
            return (high - low) / question.spot > question.size
        case "down":
            return final < question.spot
        case "upper_first" | "lower_first" | "days_above" | "days_below" | "days_up" | "days_down":
            return False
    return final > question.spot
