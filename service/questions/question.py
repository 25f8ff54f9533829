"""A question that was understood: what must happen, to which asset, by when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from service.market.assets import ASSETS
from service.market.instants import utc
from service.questions.kinds import KINDS, Comparator, Kind, LegComparator, Polarity

T = TypeVar("T")
# Fields of some kinds alone, which are stored only where they are set: older rows do not have them.
LATER_FIELDS = ("legs", "earlier")


@dataclass(frozen=True)
class Leg:
    """One of the two events of a question of the kind `both` or `either`; its fields mean what those of it mean."""

    asset: str
    comparator: LegComparator
    spot: float
    negated: bool = False
    level: float | None = None
    level_pct: float | None = None

    @property
    def kind(self) -> Kind:
        return KINDS[self.comparator]


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

    @property
    def kind(self) -> Kind:
        return KINDS[self.comparator]

    @cached_property
    def parts(self) -> tuple[Question, ...]:
        """The event of each leg as a question of its own, with the same deadline."""
        base = replace(self, other_asset=None, legs=(), canonical="", notes=())
        return tuple(replace(base, **asdict(leg)) for leg in self.legs)

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
