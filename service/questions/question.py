"""A question that was understood: what must happen, to which asset, by when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Literal, TypeVar

from service.market.assets import ASSETS, trading_days
from service.market.instants import utc

T = TypeVar("T")
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
    "above_earlier",  # the last price at or before the deadline is above the last one at or before `earlier`
    "below_earlier",  # … is below it
    "above_moving_average",  # … is above the mean of the last `days` daily closes by then
    "below_moving_average",  # … is below it; both kinds: `level` is the mean of those of them that were known
    "volatility",  # the annualised realised volatility until the deadline is above `level_pct` percent
    "both",  # the events of both `legs` take place
    "either",  # the event of at least one of the `legs` takes place
    "topic",  # the event that `text` states, which no price decides
    "open",  # no criterion was named: treated as `up`, over seven days if no date was named, and `notes` say so
]
# A level at this share of the present price counts as zero: a hundredth, rounded up to two digits.
WORTHLESS = 0.011
Polarity = Literal["bull", "bear", "none"]
LegComparator = Literal["close_above", "close_below", "touch_above", "touch_below", "up", "down"]
TOUCHES = ("touch_above", "touch_below")
ORDERS = ("upper_first", "lower_first")
DAY_COUNTS = ("days_above", "days_below", "days_up", "days_down")
AVERAGES = ("average_above", "average_below")
MOVING_AVERAGES = ("above_moving_average", "below_moving_average")
EARLIER = ("above_earlier", "below_earlier")
# Kinds that the whole path of the price decides, not the last price or one level alone.
WHOLE_PATH = (*ORDERS, "range", "volatility", *DAY_COUNTS, *AVERAGES, *MOVING_AVERAGES)
BEARISH = (
    *("touch_below", "close_below", "down", "lower_first", "days_below", "days_down", "average_below"),
    *("below_earlier", "below_moving_average"),
)
SIDELESS = ("move", "range", "volatility", "topic")
# Fields of some kinds alone, which are stored only where they are set: older rows do not have them.
LATER_FIELDS = ("legs", "earlier")
# Kinds that may be decided before the deadline.
DECIDED_EARLY = (*TOUCHES, *ORDERS)


@dataclass(frozen=True)
class Leg:
    """One of the two events of a question of the kind `both` or `either`, with its own `asset` and price `spot`.

    The fields mean the same as those of a question.
    """

    asset: str
    comparator: LegComparator
    spot: float
    negated: bool = False
    level: float | None = None
    level_pct: float | None = None


@dataclass(frozen=True)
class Question:
    """What YES means.

    YES is the event that `comparator` describes, or its opposite when `negated`. `polarity` is the side of YES,
    "none" where YES has no side (`move`, `range`, `topic`). Levels are in USD. `level_pct` is the move from `spot` in
    percent if the question names one; the level is then computed from it. `days` is the least number of days of a kind
    that counts days, which must follow each other if `in_a_row`, or the length of a moving average. `legs` are the two
    events of a joint kind, `earlier` is the instant of the price that the one at the deadline is compared with, or
    the instant from which days are counted.
    `spot` is the price, in USD, at the time of the question. `text` is the cleaned question, `canonical` the same
    question built from the other fields alone; of a `topic` the text is the only statement, so there the two are equal.
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
    legs: tuple[Leg, ...] = ()
    earlier: datetime | None = None

    @cached_property
    def parts(self) -> tuple[Question, ...]:
        """The event of each leg as a question of its own, with the same deadline."""
        whole = replace(self, other_asset=None, legs=(), canonical="", notes=())
        return tuple(replace(whole, **asdict(leg)) for leg in self.legs)

    @property
    def assets(self) -> tuple[str, ...]:
        """The asset, and the other one of a question about two."""
        return (self.asset, self.other_asset) if self.other_asset is not None else (self.asset,)

    @property
    def coins(self) -> tuple[str, ...]:
        """The assets of the question that are other coins."""
        return tuple(asset for asset in self.assets if asset not in ASSETS)

    @property
    def threshold(self) -> float:
        """The level, in USD, of a comparator that has one; ValueError for the others."""
        return self._required(self.level, "level")

    @property
    def bounds(self) -> tuple[float, float]:
        """The lower and the upper level, in USD, of a comparator that has both; ValueError for the others."""
        return self.threshold, self._required(self.upper_level, "range")

    @property
    def size(self) -> float:
        """The size of a `move` or a `range` as a share of the price; ValueError for a kind without a percentage."""
        return self._required(self.level_pct, "percentage") / 100

    @property
    def least_days(self) -> int:
        """The least number of days of a kind that counts days; ValueError for the others."""
        return self._required(self.days, "number of days")

    @property
    def starts_at(self) -> datetime:
        """The instant of the earlier price of a kind that compares two; ValueError for the others."""
        return self._required(self.earlier, "earlier instant")

    def _required(self, value: T | None, name: str) -> T:
        if value is None:
            raise ValueError(f"a question of the kind {self.comparator} has no {name}")
        return value

    def counted_since(self, asked_at: int) -> int:
        """The unix second from which days are counted by a question asked at the unix second `asked_at`."""
        return asked_at if self.earlier is None else max(asked_at, int(self.earlier.timestamp()))

    @property
    def levels(self) -> tuple[float, ...]:
        """The levels that the comparator names: none, one, or the lower and the upper one."""
        return tuple(level for level in (self.level, self.upper_level) if level is not None)

    def to_plain(self) -> dict[str, Any]:
        """A dict that JSON represents without loss; instants are unix seconds."""
        earlier = self.earlier and int(self.earlier.timestamp())
        plain = asdict(self) | {"deadline": int(self.deadline.timestamp()), "earlier": earlier}
        return {name: value for name, value in plain.items() if value or name not in LATER_FIELDS}

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> Question:
        """The question that `to_plain` was called on."""
        legs = tuple(Leg(**leg) for leg in plain.get("legs", ()))
        earlier = utc(plain["earlier"]) if "earlier" in plain else None
        fields = {"deadline": utc(plain["deadline"]), "notes": tuple(plain["notes"]), "legs": legs, "earlier": earlier}
        return Question(**(dict(plain) | fields))


def is_zero(question: Question) -> bool:
    """Whether the question is about a price of zero, or hardly more."""
    return question.comparator == "touch_below" and question.threshold <= WORTHLESS * question.spot


def closes_known(question: Question, asked_at: int) -> int:
    """How many of the closes of a moving average at the deadline were known at the unix second `asked_at`."""
    ahead = len(trading_days(question.asset, asked_at, int(question.deadline.timestamp())))
    return max(0, question.least_days - ahead)


def polarity_of(question: Question) -> Polarity:
    """The side of YES; for a price between two levels, the side of their middle; for two events, that of both."""
    if question.comparator in SIDELESS:
        return "none"
    if question.legs:
        return _side_of_legs(question)
    bullish = question.comparator not in BEARISH
    if question.comparator == "between":
        bullish = sum(question.bounds) / 2 >= question.spot
    return "bull" if bullish != question.negated else "bear"


def _side_of_legs(question: Question) -> Polarity:
    sides = {polarity_of(part) for part in question.parts}
    if len(sides) > 1:
        return "none"
    return "bull" if ("bull" in sides) != question.negated else "bear"


def happened(question: Question, *, final: float, high: float, low: float) -> bool:
    """Whether the event of the question took place, regardless of `negated`.

    Not for `relative` and joint kinds, which need the prices of two assets. Where more than these prices decides, it
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
        case "up" | "open":
            return final > question.spot
    return False
