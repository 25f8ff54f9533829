"""The refusals of a question: each says how to ask instead, and repeats nothing of the text."""

from __future__ import annotations

from service.errors import FieldError, InvalidQuestion, NotAMarketQuestion
from service.market.assets import ASSETS

NAMES = ", ".join(
    f"{asset.name} ({asset.key})" if asset.name.lower() != asset.key else asset.name for asset in ASSETS.values()
)
EXAMPLE = "Will bitcoin reach 120,000 USD by December 31?"


def invalid(detail: str) -> InvalidQuestion:
    """The refusal of a market question that cannot be answered; its error names the field `question`."""
    return InvalidQuestion(detail, [FieldError("question", detail)])


def not_about_markets() -> NotAMarketQuestion:
    """The refusal of a text that is not about a market."""
    detail = (
        f"The question names no market. Ask about the price of one of {NAMES}: whether it goes up or down or reaches "
        f"a level, and by when. For example: {EXAMPLE}"
    )
    return NotAMarketQuestion(detail, [FieldError("question", detail)])
