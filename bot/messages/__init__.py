"""Every text of the bot: pure functions from the API's documents to Telegram's HTML."""

from bot.messages import alerts, challenges, failures, follows, formats, oracle, own_page, predictions, prices, research

__all__ = ["alerts", "challenges", "failures", "follows", "formats", "oracle", "own_page", "predictions", "prices"]
__all__ += ["research"]
