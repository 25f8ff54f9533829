"""Charts for a phone: pure functions from the API's documents to the bytes of a PNG."""

from bot.charts.ai_vs_market import accuracy
from bot.charts.battle import lane, lanes
from bot.charts.equity import fund, strategy

__all__ = ["accuracy", "fund", "lane", "lanes", "strategy"]
