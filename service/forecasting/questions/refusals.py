"""The ways to say no: each tells the caller how to ask instead, and repeats nothing of what was sent."""

from __future__ import annotations

from service.errors import FieldError, InvalidQuestion, NotAMarketQuestion
from service.market.assets import ASSETS

NAMES = ", ".join(
    f"{asset.name} ({asset.key})" if asset.name.lower() != asset.key else asset.name for asset in ASSETS.values()
)
EXAMPLE = "Will bitcoin reach 120,000 USD by December 31?"


def invalid(detail: str) -> InvalidQuestion:
    """A market question that cannot be answered as it stands, blamed on the field `question`."""
    return InvalidQuestion(detail, [FieldError("question", detail)])


def not_about_markets() -> NotAMarketQuestion:
    detail = (
        f"This names no market. Ask about the price of one of {NAMES}: up or down, or a level, and by when. "
        f"For example: {EXAMPLE}"
    )
    return NotAMarketQuestion(detail, [FieldError("question", detail)])
