"""Every text of the bot: pure functions from the API's documents to Telegram's HTML."""

from bot.messages import alerts, failures, follows, formats, oracle, own_page, predictions, prices, research

__all__ = ["alerts", "failures", "follows", "formats", "oracle", "own_page", "predictions", "prices", "research"]
