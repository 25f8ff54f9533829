"""Every text of the bot: pure functions from the API's documents to Telegram's HTML."""

from bot.messages import (
    alerts,
    captions,
    challenges,
    failures,
    follows,
    formats,
    markup,
    notices,
    oracle,
    own_page,
    predictions,
    prices,
    research,
    start,
)

__all__ = [
    "alerts",
    "captions",
    "challenges",
    "failures",
    "follows",
    "formats",
    "markup",
    "notices",
    "oracle",
    "own_page",
    "predictions",
    "prices",
    "research",
    "start",
]
