"""What the meaning of a text depends on besides its words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from service.market.prices import NO_RATES, Rates
from service.questions.coins import NO_COINS, Coins
from service.questions.history import NO_HISTORY, PriceHistory


@dataclass(frozen=True)
class Circumstances:
    """The time, the prices and the limits with which a text is understood.

    Parameters
    ----------
    now
        When the question is asked, an aware datetime; it is kept in UTC.
    spots
        The present price of each asset that has one, in USD.
    until
        A deadline from outside the text, an aware datetime. It applies if the text names none; a text that names
        another day is refused, and so are questions that would otherwise be answered with a note about what was
        ignored, because others will rely on the question.
    history
        The stored prices of the assets; without them, questions that name past prices are refused.
    rates
        The exchange rates by currency. A level in a currency without a rate, or with an old one, is refused.
    coins
        The other coins that may be asked about; `spots` has the prices of those that the text names.
    """

    now: datetime
    spots: Mapping[str, float]
    until: datetime | None = None
    history: PriceHistory = NO_HISTORY
    rates: Rates = field(default_factory=lambda: NO_RATES)
    coins: Coins = NO_COINS

    def __post_init__(self) -> None:
        object.__setattr__(self, "now", self.now.astimezone(UTC))
