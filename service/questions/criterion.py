"""What must happen in a question, the prices in it, and the refusals, which say how to ask instead."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from textwrap import shorten
from typing import TYPE_CHECKING, Literal

from service.errors import FieldError, InvalidQuestion, InvalidRequest, NotAMarketQuestion
from service.market.assets import ASSETS

if TYPE_CHECKING:
    from service.questions.question import Leg

NAMES = ", ".join(
    f"{asset.name} ({asset.key})" if asset.name.lower() != asset.key else asset.name for asset in ASSETS.values()
)
EXAMPLE = "Will bitcoin reach 120,000 USD by December 31?"
# A level farther from the spot price than this factor is taken for a mistake.
WIDEST = 100.0
# A number within this factor of it may be a level.
NEAR_FACTOR = 5.0
LARGEST_RATIO = 2  # of a level to the present price, where its thousands may be meant: 57 for 57,000
LONGEST_QUOTE = 80  # letters of a text in the detail of its refusal


# What a reading may assume: which asset, date or year, side, level, size of a move; whether the price at the deadline
# or before it counts; from when a move counts; that a rise is asked; that other words or a condition mean nothing.
AssumptionCode = Literal[
    "asset", "deadline", "year", "direction", "level", "size", "moment", "start", "event", "words", "condition"
]


# What a refusal is about, so that a front end can say it in another language: a market without a price here, a date or
# a level that cannot be used, several events or a condition, a matter that no price decides, the ratio of two prices;
# `invalid` is any other.
RefusalCode = Literal["invalid", "asset", "deadline", "level", "several", "no_price", "ratio"]


class Assumption(str):
    """A note about what the text leaves open; `code` says what that is."""

    __slots__ = ("code",)
    code: AssumptionCode

    def __new__(cls, note: str, code: AssumptionCode) -> Assumption:
        assumption = super().__new__(cls, note)
        assumption.code = code
        return assumption

    def __reduce__(self) -> tuple[type[Assumption], tuple[str, AssumptionCode]]:
        """What a copy is made of."""
        return Assumption, (str(self), self.code)


@dataclass(frozen=True)
class Criterion:
    """What must happen.

    Levels are in USD, `level_pct` is the move from the spot price in percent. `by_spot` means that no word named the
    side of the level: the spot price decided.
    """

    comparator: str
    level: float | None = None
    upper_level: float | None = None
    level_pct: float | None = None
    negated: bool = False
    days: int | None = None
    in_a_row: bool = False
    by_spot: bool = False
    legs: tuple[Leg, ...] = ()
    earlier: datetime | None = None
    notes: tuple[str, ...] = ()

    def noted(self, note: str, code: AssumptionCode | None = None) -> Criterion:
        """The criterion with a note for the user; `code` says what was assumed, if anything."""
        return replace(self, notes=(*self.notes, Assumption(note, code) if code else note))


def invalid(detail: str, code: RefusalCode = "invalid") -> InvalidQuestion:
    """The refusal of a market question that cannot be answered; its error names the field `question`."""
    return InvalidQuestion(detail, [FieldError("question", detail, code)])


def unclear(text: str, *, is_chatter: bool = False) -> InvalidRequest:
    """The refusal of a follow-up, for these words of it; where it `is_chatter`, as a text about no market."""
    detail = f"How “{shorten(text, LONGEST_QUOTE)}” carries the earlier question on is unclear. Ask in full."
    return NotAMarketQuestion(detail, [FieldError("question", detail)]) if is_chatter else invalid(detail)


def not_about_markets(reason: str = "The question names no market.") -> NotAMarketQuestion:
    """The refusal of a text that is not about a market, or asks nothing about one."""
    detail = (
        f"{reason} Ask about the price of one of {NAMES}: whether it goes up or down or reaches "
        f"a level, and by when. For example: {EXAMPLE}"
    )
    return NotAMarketQuestion(detail, [FieldError("question", detail)])


def is_near(level: float, spot: float, factor: float = NEAR_FACTOR) -> bool:
    """Whether a level is within a factor of the spot price."""
    return spot / factor <= level <= spot * factor


def checked(level: float, spot: float) -> float:
    """The level, rounded; InvalidQuestion if it is too far from the spot price."""
    if level > 0 and spot / WIDEST <= level <= spot * WIDEST:
        return rounded(level)
    limits = f"between {price(spot / WIDEST)} and {price(spot * WIDEST)}"
    hint = f" Did you mean {level * 1000:,.0f}?" if 0.2 < level * 1000 / spot < 5 else ""
    raise invalid(f"The level is implausible at a price of {price(spot)} USD. It must be {limits}.{hint}", "level")


def rounded(value: float) -> float:
    """The value to eight significant digits: as exact as a question is."""
    return float(f"{value:.8g}")


def price(usd: float | None) -> str:
    """The price with commas between thousands, up to eight significant digits and no trailing zeros; "" for None."""
    if usd is None:
        return ""
    digits, _, decimals = f"{rounded(usd):,.10f}".partition(".")
    return f"{digits}.{decimals}".rstrip("0").rstrip(".")
